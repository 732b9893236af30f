"""Where modules are imported from. The program and its child processes import nothing from the current
folder, which may belong to a stranger.

This module imports only what Python loads before the program begins, because at that time `sys.path` may
still contain the current folder. For the same reason paths are strings in this module.
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
"""The `cqlgui` package comes from its own folder, everything else from the given folders."""


def forget_current_folder() -> None:
    """Remove the current folder from `sys.path`. Call it before anything else is imported.

    `python -m cqlgui` puts the current folder first, and an empty entry of `PYTHONPATH` means the current
    folder too. The current folder is removed in a checkout too: the package is already loaded, and its
    modules are found through its own folder. A current folder stays if modules are installed in it. Modules
    that Python loaded before this call may have come from the current folder; the script `cqlgui` and
    `python -P -m cqlgui` never look there.
    """
    try:
        here = os.path.realpath(".")
    except OSError:
        # A deleted folder holds no modules.
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
    """The command line of a new process that runs `main()` of a module of this program. The process finds the
    same modules as this one. Neither the current folder nor the environment adds folders to its path."""
    places = [place for place in sys.path if os.path.isabs(place)]
    options = ["-I", "-X", "utf8"]
    # The isolated mode also ignores `PYTHONDONTWRITEBYTECODE` and `PYTHONPYCACHEPREFIX`. Compiling the
    # modules again would make a start slow.
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
