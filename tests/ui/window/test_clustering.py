"""The window searches a published base on a Dask cluster, and goes nowhere else without a word."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

from cqlgui.tasks import cluster as cluster_package
from cqlgui.tasks.cluster import clients, joining, publishing, versions
from cqlgui.tasks.databases import importing, workspace
from cqlgui.tasks.search import scheduling, searching
from cqlgui.ui.panels import cluster_dialog
from cqlgui.ui.state import session
from cqlgui.ui.window import main_window, start
from tests import helpers
from tests.helpers import clusters

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
QUERY = "flipcolor flipvertical {Bh7 kg8 check}"
NOBODY = "tcp://127.0.0.1:9"
PRELOAD = """
import pathlib, time
from cqlgui.tasks.search import sieving

slow = pathlib.Path({slow!r})
# Dask runs this text more than once in a process.
scan_part = getattr(sieving, "plain_scan_part", sieving.scan_part)
sieving.plain_scan_part = scan_part

def scanned(*words):
    if slow.exists():
        time.sleep(0.02)
    return scan_part(*words)

sieving.scan_part = scanned
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a published base of 2,000 games, `pub`."""
    made = tmp_path_factory.mktemp("cluster")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CQLGUI_HOME", str(made / "home"))
        files = [made / f"{number}.pgn" for number in range(4)]
        for number, file in enumerate(files):
            # Equal parts would be one file.
            file.write_bytes(b"; copy" + b"." * number + b"\n\n" + SAMPLE.read_bytes())
        publishing.publish(importing.open_base(files).base, str(made / "pub"))
        workspace.close()
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """The scheduler of two workers. They are slow while there is a file `slow`."""
    preload = folder / "preload.py"
    preload.write_text(PRELOAD.format(slow=str(folder / "slow")))
    with clusters.started(2, folder / "workers", preload) as found:
        yield found


@pytest.fixture
def main(qtbot: QtBot, qapp: QApplication) -> Iterator[main_window.MainWindow]:
    start.set_up(qapp)
    # Only what the user starts is searched.
    session.save(session.Session(live=False))
    shown = main_window.MainWindow()
    shown.show()
    yield shown
    shown.close()
    shown.deleteLater()


def opened(qtbot: QtBot, main: main_window.MainWindow, path: Path, scheduler: str | None = None) -> None:
    main.begin([path], scheduler)
    qtbot.waitUntil(lambda: main.base is not None and not main.opener.busy and not main.cluster.trying)


def message(main: main_window.MainWindow) -> str:
    return "" if main.infobar.shown is None else main.infobar.shown.text


def refused(qtbot: QtBot, main: main_window.MainWindow, text: str = QUERY) -> str:
    """What the window says of a search that fails. Nothing is found then."""
    with qtbot.waitSignal(main.searcher.failed):
        main.searching.run_text(text, "a query")
    assert main.hits.count == 0
    assert not main.searcher.running
    return message(main)


def search_here(qtbot: QtBot, main: main_window.MainWindow) -> None:
    """Press the button of the message, and look at what this computer finds."""
    assert main.infobar._action.text() == "Search here"
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.mouseClick(main.infobar._action, Qt.MouseButton.LeftButton)
    assert main.hits.count > 0
    assert "cluster" not in main.hits._detail.text()


def test_hits_are_those_of_this_computer(
    qtbot: QtBot,
    main: main_window.MainWindow,
    folder: Path,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened(qtbot, main, folder / "pub", address)
    assert main.cluster_button.isVisible()
    assert main.cluster_button.text() == f"Cluster {address}"
    told: list[int] = []
    main.searcher.found.connect(lambda found: told.extend(found))
    for text in (QUERY, 'mate sort "checks" find all check', 'player "Kasparov" check'):
        told.clear()
        with monkeypatch.context() as patch:
            # Nothing is searched here.
            patch.setattr(scheduling.Local, "chunks", None)
            with qtbot.waitSignal(main.searcher.finished):
                main.searching.run_text(text, "a query")
        found = main.result
        assert found is not None
        assert main.base is not None
        wanted = searching.search(main.base, text, found.options)
        assert wanted.order
        assert found.order == wanted.order
        assert found.games.columns.hits.tolist() == wanted.games.columns.hits.tolist()
        assert found.games.columns.codes.tolist() == wanted.games.columns.codes.tolist()
        assert found.orbits == wanted.orbits
        assert told == sorted(wanted.order)
        assert main.hits.count == wanted.positions
        assert main.hits._detail.text().endswith("on the cluster")
    assert not message(main)


def test_the_command_that_is_copied_searches_on_the_cluster(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path, address: str
) -> None:
    opened(qtbot, main, folder / "pub", address)
    with qtbot.waitSignal(main.searcher.finished):
        main.searching.run_text(QUERY, "a query")
    main.actions_.copy_command.trigger()
    _, *words = shlex.split(QGuiApplication.clipboard().text())
    assert words[words.index("--scheduler") + 1] == address
    run = helpers.cli(*words)
    assert run.code == 0, run.err
    rows = [json.loads(line) for line in run.out.splitlines()]
    shown = [main.hits.hit_at(row) for row in range(main.hits.count)]
    assert [(row["game"], row["positionid"]) for row in rows] == [(hit.game, hit.positionid) for hit in shown]
    assert rows
    # What this computer has found is searched on this computer.
    main.clustering.leave()
    with qtbot.waitSignal(main.searcher.finished):
        main.searching.run_text(QUERY, "a query")
    main.actions_.copy_command.trigger()
    assert "--scheduler" not in QGuiApplication.clipboard().text()


def test_stop_keeps_the_first_hits(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path, address: str
) -> None:
    opened(qtbot, main, folder / "pub", address)
    assert main.base is not None
    (folder / "slow").touch()
    try:
        main.searching.run_text("piece x in [QR] {piece y in [qr] {x attacks y}}", "a query")
        qtbot.waitUntil(lambda: main.hits.count > 0)
        with qtbot.waitSignal(main.searcher.finished):
            main.searching.stop()
    finally:
        (folder / "slow").unlink()
    found = main.result
    assert found is not None
    assert found.cancelled
    whole = searching.search(main.base, found.query, found.options)
    count = found.positions
    assert 0 < count < whole.positions
    assert np.array_equal(found.games.columns.hits, whole.games.columns.hits[:count])
    # The window goes on.
    with qtbot.waitSignal(main.searcher.finished):
        main.searching.run_text(QUERY, "a query")
    assert not main.result.cancelled
    assert main.hits.count == main.result.positions > 0


@pytest.mark.allow_log("distributed")
def test_a_scheduler_that_goes_away_is_told(
    qtbot: QtBot,
    main: main_window.MainWindow,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    preload = tmp_path / "preload.py"
    preload.write_text(PRELOAD.format(slow=str(tmp_path)))
    with clusters.started(1, tmp_path, preload) as address:
        opened(qtbot, main, folder / "pub", address)
        main.searching.run_text(".", "a query")
        qtbot.waitUntil(lambda: main.hits.count > 0)
        monkeypatch.setattr(clients, "_CONNECT_SECONDS", 0.5)
    qtbot.waitUntil(lambda: not main.searcher.running)
    assert message(main) == f"The scheduler at {address} is gone."
    # Nothing is there any more when the next search begins.
    with qtbot.waitSignal(main.searcher.failed):
        main.searching.run_text(QUERY, "a query")
        assert main.hits._detail.text() == "Connecting with the cluster …"
    assert f"No Dask scheduler answers at {address}" in message(main)
    assert main.hits._detail.text() == message(main)
    search_here(qtbot, main)
    # That was for one search.
    assert main.cluster.address == address


@pytest.mark.parametrize("stopped", [False, True])
def test_a_scheduler_that_hangs_in_a_search_is_told_or_left(
    qtbot: QtBot,
    main: main_window.MainWindow,
    folder: Path,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    stopped: bool,
) -> None:
    monkeypatch.setattr(clients, "_SILENT_SECONDS", 60.0 if stopped else 1.0)
    opened(qtbot, main, folder / "pub", address)
    (folder / "slow").touch()
    try:
        with clusters.Stopped(address) as hung:
            main.searching.run_text("piece x in [QR] {piece y in [qr] {x attacks y}}", "a query")
            qtbot.waitUntil(lambda: main.hits.count > 0)
            hung.stop()
            if stopped:
                began = time.monotonic()
                main.searching.stop()
                qtbot.waitUntil(lambda: not main.searcher.running)
                assert time.monotonic() - began < 15
            else:
                qtbot.waitUntil(lambda: not main.searcher.running, timeout=15_000)
                assert "has not answered for 1 seconds, so it was left" in message(main)
            assert main.hits.count > 0
    finally:
        (folder / "slow").unlink()
    # The scheduler answers again, and the window goes on with it.
    with qtbot.waitSignal(main.searcher.finished, timeout=30_000):
        main.searching.run_text(QUERY, "a query")
    assert not main.result.cancelled
    assert main.hits.count == main.result.positions > 0


def test_a_base_that_is_not_published_is_told(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path, address: str
) -> None:
    opened(qtbot, main, folder / "0.pgn", address)
    assert refused(qtbot, main).startswith("A cluster searches published bases. `cqlgui publish")
    search_here(qtbot, main)


def test_files_and_other_versions_are_told(
    qtbot: QtBot,
    main: main_window.MainWindow,
    folder: Path,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened(qtbot, main, folder / "pub", address)
    words = refused(qtbot, main, 'mate readfile "data.cqo" == "mate"')
    assert words == "On a cluster, a query may neither read nor write files."
    own = versions.own()
    monkeypatch.setattr(versions, "own", lambda: "0.0-other")
    words = refused(qtbot, main)
    assert "0.0-other" in words
    assert own in words
    search_here(qtbot, main)


def test_an_address_that_is_silent_is_told_and_can_be_left(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(qtbot, main, folder / "pub")
    with clusters.silent() as silent:
        # Stop works while the window connects.
        main.cluster.address = silent
        main.searching.run_text(QUERY, "a query")
        before = time.monotonic()
        main.searching.stop()
        qtbot.waitUntil(lambda: not main.searcher.running)
        assert time.monotonic() - before < 2
        monkeypatch.setattr(clients, "_CONNECT_SECONDS", 0.5)
        assert refused(qtbot, main).startswith(
            f"No Dask scheduler answers at {silent}: no answer came within"
        )
    search_here(qtbot, main)


def test_an_address_where_nobody_answers_is_not_used(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "_CONNECT_SECONDS", 0.5)
    opened(qtbot, main, folder / "pub", NOBODY)
    assert message(main).startswith(f"No Dask scheduler answers at {NOBODY}")
    assert message(main).endswith("All searches run on this computer.")
    assert not main.cluster_button.isVisible()
    with qtbot.waitSignal(main.searcher.finished):
        main.searching.run_text(QUERY, "a query")
    assert main.hits.count > 0
    # The dialog suggests the address, so that it can be corrected.
    asked: list[tuple[str, bool]] = []

    def ask(_parent: object, address: str, *, in_use: bool) -> None:
        asked.append((address, in_use))

    monkeypatch.setattr(cluster_dialog.ClusterDialog, "ask", ask)
    assert main.infobar._action.text() == "Change the address…"
    qtbot.mouseClick(main.infobar._action, Qt.MouseButton.LeftButton)
    assert asked == [(NOBODY, False)]


def test_tls_without_a_certificate_is_told(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.cluster.failed):
        main.begin([], "tls://127.0.0.1:9")
    assert message(main).startswith("tls:// needs a certificate.")


def test_without_dask_the_window_says_how_to_install_it(
    qtbot: QtBot, main: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, clients.__name__)
    monkeypatch.delattr(cluster_package, "clients")
    with qtbot.waitSignal(main.cluster.failed):
        main.begin([], "tcp://127.0.0.1:8786")
    assert "pip install 'cqlgui[cluster]'" in message(main)


def test_a_scheduler_without_workers_is_told(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path, tmp_path: Path
) -> None:
    with clusters.started(0, tmp_path) as address:
        opened(qtbot, main, folder / "pub", address)
        assert "has no workers yet" in message(main)
        main.searching.run_text(QUERY, "a query")
        qtbot.waitUntil(lambda: main.hits.running)
        with qtbot.waitSignal(main.searcher.finished):
            main.searching.stop()
    assert main.result is not None
    assert main.result.cancelled


def test_the_dialog_refuses_what_the_command_line_refuses(qtbot: QtBot) -> None:
    dialog = cluster_dialog.ClusterDialog(None, "", in_use=False)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.here.isVisible()
    for text, wanted in (
        ("", "Name the address"),
        ("tcp://[::1", "not an address"),
        ("tcp://192.0.2.1:8786", "cqlgui goes only to tls://"),
    ):
        dialog.address.setText(text)
        assert not dialog.problem.isVisible()
        dialog.there.click()
        assert dialog.isVisible()
        assert wanted in dialog.problem.text()
    dialog.address.setText(" tls://192.0.2.1:8786 ")
    dialog.there.click()
    assert dialog.result() == cluster_dialog.QDialog.DialogCode.Accepted
    assert dialog.choice() == "tls://192.0.2.1:8786"


def test_the_dialog_chooses_a_cluster_and_this_computer(
    qtbot: QtBot, main: main_window.MainWindow, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    main.begin([])
    press: list[Callable[[cluster_dialog.ClusterDialog], None]] = []

    def execute(dialog: cluster_dialog.ClusterDialog) -> int:
        press.pop()(dialog)
        return dialog.result()

    def name_it(dialog: cluster_dialog.ClusterDialog) -> None:
        dialog.address.setText(address)
        dialog.there.click()

    monkeypatch.setattr(cluster_dialog.ClusterDialog, "exec", execute)
    press.append(name_it)
    with qtbot.waitSignal(main.cluster.answered) as told:
        main.clustering.ask()
    assert told.args == [2]
    assert main.cluster.address == address
    press.append(lambda dialog: dialog.here.click())
    qtbot.mouseClick(main.cluster_button, Qt.MouseButton.LeftButton)
    assert not press
    assert main.cluster.address == ""
    assert not main.cluster_button.isVisible()


def test_the_next_start_suggests_the_address_and_connects_with_nothing(
    qtbot: QtBot, main: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "_CONNECT_SECONDS", 4.0)
    main.begin([], NOBODY)
    assert main.cluster_button.text() == f"Connecting to {NOBODY} …"

    def waiting() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == joining.THREAD]

    qtbot.waitUntil(lambda: bool(waiting()))
    before = time.monotonic()
    main.close()
    # The window does not wait for an answer of the scheduler, and nobody else does.
    assert time.monotonic() - before < 2
    qtbot.waitUntil(lambda: not waiting(), timeout=2000)
    again = main_window.MainWindow()
    again.begin([])
    assert again.cluster.address == ""
    assert again.cluster.last == NOBODY
    assert not again.jobs.active("cluster")
    again.close()
    again.deleteLater()


def test_dask_is_not_loaded_before_a_cluster_is_chosen(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "application = QApplication([])\n"
        "from cqlgui.ui.window import main_window\n"
        "made = main_window.MainWindow()\n"
        "made.begin([])\n"
        "made.close()\n"
        "print([name for name in ('dask', 'distributed') if name in sys.modules])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=helpers.ROOT,
        env=dict(os.environ, CQLGUI_HOME=str(tmp_path)),
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "[]\n"), run.stderr


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["a.pgn", "b.cql"], (["a.pgn", "b.cql"], None)),
        (["pub", "--scheduler", "tls://h:1"], (["pub"], "tls://h:1")),
        (["--scheduler=tls://h:1", "pub"], (["pub"], "tls://h:1")),
        (["pub", "--scheduler"], (["pub"], "")),
    ],
)
def test_the_window_is_started_with_a_scheduler(
    arguments: list[str], wanted: tuple[list[str], str | None]
) -> None:
    assert start.taken_apart(arguments) == wanted
