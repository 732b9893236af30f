"""Lets the user choose the cluster that searches published bases, and tells which one it is."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cqlgui.ui.look import naming, wording
from cqlgui.ui.panels import cluster_dialog
from cqlgui.ui.window import frame

_KEY = "cluster"


class Clustering(QObject):
    """Asks for the address of a scheduler. The status bar names the scheduler while it is in use."""

    def __init__(self, main: frame.Frame) -> None:
        super().__init__(main)
        self._main = main
        main.cluster.changed.connect(self._show)
        main.cluster.answered.connect(self._tell)
        main.cluster.failed.connect(self._tell_failure)
        main.cluster_button.clicked.connect(self.ask)
        self._show()

    def ask(self) -> None:
        """Let the user choose a scheduler, or this computer."""
        cluster = self._main.cluster
        chosen = cluster_dialog.ClusterDialog.ask(
            self._main, cluster.address or cluster.last, in_use=bool(cluster.address)
        )
        if chosen is None:
            return
        self._main.infobar.dismiss(_KEY)
        self._main.infobar.dismiss(frame.ASKING)
        if chosen:
            cluster.join(chosen)
        elif cluster.address:
            self.leave()

    def leave(self) -> None:
        """Search all bases on this computer from now on."""
        self._main.cluster.leave()
        self._main.tell("All searches run on this computer")

    def _show(self) -> None:
        cluster, button = self._main.cluster, self._main.cluster_button
        button.setVisible(bool(cluster.address))
        name = naming.shortened(cluster.address)
        button.setText(f"Connecting to {name} …" if cluster.trying else f"Cluster {name}")
        button.setToolTip(
            wording.plain_tip(
                f"F5 searches published bases on the Dask cluster at {cluster.address}. Press to change this."
            )
        )

    def _tell(self, workers: int) -> None:
        if workers:
            self._main.tell(f"The cluster has {wording.counted(workers, 'worker', 'workers')}")
            return
        self._main.infobar.show_message(
            f"The scheduler at {self._main.cluster.address} has no workers yet. A search waits for the first "
            "one.",
            "warning",
            key=_KEY,
        )

    def _tell_failure(self, sentence: str) -> None:
        self._main.infobar.show_message(
            f"{sentence} All searches run on this computer.",
            "error",
            ("Change the address…", self.ask),
            key=_KEY,
            front=True,
        )
