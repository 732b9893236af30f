"""Where modules are imported from. The program and its child processes import nothing from the current
folder, which may belong to a stranger.

This module imports only modules that Python has already loaded when the program begins. At that time
`sys.path` may still contain the current folder, and any other import could load a stranger's module. Paths
are strings in this module, because `pathlib` must not be imported either.
"""

# ruff: noqa: PTH100, PTH117, PTH120

import os
import sys

_BEGIN = """\
import sys
module, program, *places = sys.argv[1:]
sys.path[:] = [program]
import cqlgui
sys.path[:] = places
import importlib
importlib.import_module(module).main()
"""
"""This code imports the `cqlgui` package from the folder `program`, and all other modules from the folders
`places`."""


def forget_current_folder() -> None:
    """Remove the current folder from `sys.path`. Call this before anything else is imported.

    `python -m cqlgui` puts the current folder first in `sys.path`. An empty entry of `PYTHONPATH` also means
    the current folder. The current folder is removed even if it is a checkout of this program. Removing the
    checkout does no harm: the package `cqlgui` is already loaded, and Python finds the package's modules
    through the package's own folder. If modules are installed in the current folder, the folder is not
    removed. Before this call, Python may already have loaded modules from the current folder. This cannot
    happen if the program is started by the script `cqlgui` or by `python -P -m cqlgui`.
    """
    try:
        here = os.path.realpath(".")
    except OSError:
        # The current folder was deleted, so it holds no modules.
        return
    kept = [place for place in sys.path if os.path.realpath(place) != here]
    if len(kept) < len(sys.path) and here not in _installed():
        sys.path[:] = kept


def forget_relative(*names: str) -> None:
    """Remove relative folders from environment variables that hold lists of folders."""
    for name in names:
        kept = [place for place in os.environ.get(name, "").split(os.pathsep) if os.path.isabs(place)]
        if kept:
            os.environ[name] = os.pathsep.join(kept)
        else:
            os.environ.pop(name, None)


def command(module: str) -> list[str]:
    """The command line of a new process that runs `main()` of a module of this program. The new process finds
    the same modules as this process. Neither the current folder nor environment variables add folders to the
    `sys.path` of the new process."""
    places = [place for place in sys.path if os.path.isabs(place)]
    options = ["-I", "-X", "utf8"]
    # The isolated mode also ignores `PYTHONDONTWRITEBYTECODE` and `PYTHONPYCACHEPREFIX`, so both are passed
    # on as options. Without the prefix, the new process would compile the modules again and start slowly.
    if sys.dont_write_bytecode:
        options.append("-B")
    if sys.pycache_prefix is not None:
        options += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    program = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return [sys.executable, *options, "-c", _BEGIN, module, program, *places]


def _installed() -> set[str]:
    """The folders of Python's own modules and of installed modules."""
    places = [os.path.dirname(os.__file__)]
    site = sys.modules.get("site")
    if site is not None:
        places += [*site.getsitepackages(), site.getusersitepackages()]
    return {os.path.realpath(place) for place in places}
