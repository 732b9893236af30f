"""Which schedulers are reached, and what is searched on a cluster. This module does not load Dask.

Dask itself unpickles what reaches the ports of its scheduler and workers. So whoever reaches such a port may
run any code there. Only this computer is reached without TLS.
"""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from cqlgui.base import errors
from cqlgui.tasks.results import base_model


def admit(address: str) -> None:
    """Raise `CqlguiError` for a text that is no address, and for the address of a scheduler on another
    computer that is reached without TLS."""
    if not address.strip():
        raise errors.CqlguiError("Name the address of a Dask scheduler, such as tls://HOST:8786.")
    scheme, _, place = address.rpartition("://")
    if scheme in ("tls", "inproc", "unix"):
        return
    try:
        parts = urlsplit(f"//{place}")
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise errors.CqlguiError(f"{address} is not an address of a Dask scheduler: {error}.") from error
    if port is None:
        raise errors.CqlguiError(
            f"{address} is not an address of a Dask scheduler, such as tcp://HOST:PORT or tls://HOST:PORT."
        )
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(host).is_loopback:
            return
    if host == "localhost":
        return
    raise errors.CqlguiError(
        f"{address} is on another computer and is not reached by TLS. Whoever reaches the port of a Dask "
        "scheduler may run any program there and on its workers, so cqlgui goes only to tls:// beyond "
        "this computer. Start scheduler and workers with --tls-ca-file, --tls-cert and --tls-key, or go "
        "through an SSH tunnel."
    )


def refuse(listed: Iterable[base_model.Source], *, files: bool) -> None:
    """Raise `CqlguiError` if a source is not published, or if the query reads or writes `files`."""
    if any(source.place is None for source in listed):
        raise errors.CqlguiError(
            "A cluster searches published bases. `cqlgui publish FILES -o FOLDER` makes one; the workers "
            "must reach the folder under the same name."
        )
    if files:
        raise errors.CqlguiError("On a cluster, a query may neither read nor write files.")
