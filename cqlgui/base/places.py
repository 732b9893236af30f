"""Where modules come from: the program and the processes it starts take none from the current folder, which
may be a stranger's.

Nothing is imported here but what Python has loaded before any line of the program, as the current folder may
still be among the places. So paths are strings in this module.
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
"""The package of the program is taken from its own folder, all else from the places given."""


def forget_current_folder() -> None:
    """Take the current folder out of `sys.path`, to be called before anything else is imported.

    `python -m cqlgui` puts it first, and an empty entry of `PYTHONPATH` means it too. A checkout is no
    exception: the package is loaded, and its modules are found by its own folder. A folder that modules
    are installed in stays. Modules that Python loaded to get here cannot be kept from the current folder; the
    script `cqlgui` and `python -P -m cqlgui` never look there.
    """
    try:
        here = os.path.realpath(".")
    except OSError:
        # A folder that was deleted holds no modules.
        return
    kept = [place for place in sys.path if os.path.realpath(place) != here]
    if len(kept) < len(sys.path) and here not in _installed():
        sys.path[:] = kept


def forget_relative(*names: str) -> None:
    """Take out of lists of folders in the environment those that depend on the current folder."""
    for name in names:
        kept = [place for place in os.environ.get(name, "").split(os.pathsep) if os.path.isabs(place)]
        if kept:
            os.environ[name] = os.pathsep.join(kept)
        else:
            os.environ.pop(name, None)


def command(module: str) -> list[str]:
    """The command line of a new process that runs `main()` of a module of this program and finds the modules
    that this process finds. Neither the current folder nor the environment adds places to them.
    """
    places = [place for place in sys.path if os.path.isabs(place)]
    options = ["-I", "-X", "utf8"]
    # Isolation takes these from the environment as well, and compiling anew makes a start slow.
    if sys.dont_write_bytecode:
        options.append("-B")
    if sys.pycache_prefix is not None:
        options += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    program = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return [sys.executable, *options, "-c", _BEGIN, module, program, *places]


def _installed() -> set[str]:
    """The folders that hold Python's own modules and those installed."""
    places = [os.path.dirname(os.__file__)]
    site = sys.modules.get("site")
    if site is not None:
        places += [*site.getsitepackages(), site.getusersitepackages()]
    return {os.path.realpath(place) for place in places}
