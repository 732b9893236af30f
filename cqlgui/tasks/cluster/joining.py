"""Connects with the scheduler of a cluster. Dask is loaded only then."""

from __future__ import annotations

import threading
from concurrent import futures
from typing import TYPE_CHECKING, Final

from cqlgui.base import errors, progress
from cqlgui.tasks.cluster import admission

if TYPE_CHECKING:
    from cqlgui.tasks.cluster import clients

_POLL_SECONDS: Final = 0.05
THREAD: Final = "join a cluster"
"""The name of the thread that connects."""
_MISSING: Final = "A cluster needs Dask: pip install 'cqlgui[cluster]'."


def joined(
    address: str, *, partial: bool = False, cancel: progress.CancelToken | None = None
) -> clients.Dask:
    """The cluster of a scheduler. The caller must close it. Raises the errors of `clients.Dask`,
    `errors.CqlguiError` if Dask is not installed, and `errors.Cancelled`."""
    admission.admit(address)
    try:
        from cqlgui.tasks.cluster import clients
    except ImportError as error:
        raise errors.CqlguiError(_MISSING) from error
    made: futures.Future[clients.Dask] = futures.Future()

    def join() -> None:
        try:
            made.set_result(clients.Dask(address, partial=partial, cancel=cancel))
        except BaseException as error:  # whatever it is, the caller waits for it
            made.set_exception(error)

    # Dask's own start cannot be cancelled. The thread is no daemon: if the program ended in the midst of this
    # start, Dask would hang for longer.
    threading.Thread(target=join, name=THREAD).start()
    while not made.done():
        if cancel is not None and cancel.cancelled:
            made.add_done_callback(_close)
            raise errors.Cancelled("Stopped.")
        futures.wait([made], _POLL_SECONDS)
    return made.result()


def _close(made: futures.Future[clients.Dask]) -> None:
    """Leave a cluster that was joined too late."""
    if made.exception() is None:
        made.result().close()
