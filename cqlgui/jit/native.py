"""Compiles assembly to machine code through llvmlite, keeps machine code on disk, and releases machine code
in memory.

Without llvmlite, or with `CQLGUI_JIT=0` in the environment, `available()` is False. No other function of this
module may be called if `available()` is False.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import ctypes
import functools
import hashlib
import importlib.util
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cqlgui.base import errors
from cqlgui.base.data import dataclass
from cqlgui.base.files import disk, folders, secret
from cqlgui.jit import emitter, loading
from cqlgui.jit.words import KernelType, Scalar

if TYPE_CHECKING:
    import llvmlite.binding as llvm


@functools.cache
def available() -> bool:
    """Whether machine code can be made and run here."""
    return os.environ.get("CQLGUI_JIT") != "0" and importlib.util.find_spec("llvmlite") is not None


class Code:
    """Machine code in memory. The code is released when the last reference to this object is gone."""

    def __init__(
        self,
        assembly: str | None,
        compiled: bytes | None = None,
        *,
        optimise: bool,
        inside: Inside | None = None,
        places: Mapping[str, int] | None = None,
    ) -> None:
        """Compile assembly, or load the object file `compiled` of an earlier `Code`. `places` has the
        addresses of symbols that are not defined there. Raises `ValueError` if the assembly is wrong.

        With `inside`, functions of the assembly are inlined into the functions of `inside`, and all these
        functions are optimised together.
        """
        if compiled is None:
            assert assembly is not None
            compiled = _compiled(assembly, optimise, inside)
        self.compiled = compiled
        """The object file, which is valid for this processor and this llvmlite."""
        image = loading.load(compiled, places or {})
        self._find = self._with_llvm(optimise, places or {}) if image is None else image.address

    def _with_llvm(self, optimise: bool, places: Mapping[str, int]) -> Callable[[str], int]:
        """Load the code with LLVM. Returns a function that finds addresses by name."""
        with _LOCK:
            _close_all()
            engine = _machine(optimise).engine(self.compiled, places)
        # At the end of the process the code is not released: LLVM may already be unloaded, a thread may still
        # run the code, and the operating system frees the memory.
        weakref.finalize(self, _close, engine).atexit = False
        find: Callable[[str], int] = engine.get_function_address
        return find

    def address(self, name: str) -> int:
        """The address of an exported function. Raises `ValueError` for an unknown name."""
        found = self._find(name)
        if not found:
            raise ValueError(f"the code has no function {name}")
        return found

    def function(self, callee: emitter.Callee, *, keeps_lock: bool = False) -> Any:
        """An exported function that can be called from Python. With `keeps_lock`, a call keeps
        Python's global lock. Without `keeps_lock`, a call releases the lock.

        Do not call the function after this object is gone.
        """
        make = ctypes.PYFUNCTYPE if keeps_lock else ctypes.CFUNCTYPE
        parameters = [_ctype(kind) for kind in callee.parameters]
        result = None if callee.result is None else _ctype(callee.result)
        return make(result, *parameters)(self.address(callee.text.removeprefix("@")))


def _compiled(assembly: str, optimise: bool, inside: Inside | None) -> bytes:
    machine = _machine(optimise)
    with _LOCK:
        _close_all()
        module = machine.parse(assembly)
        try:
            if inside is not None:
                machine.take_in(module, inside)
            if optimise:
                machine.optimise(module, level=2)
            found: bytes = machine.target.emit_object(module)
        finally:
            module.close()
    return found


@dataclass(frozen=True, slots=True)
class Inside:
    """Compiled functions, and the names of other functions that are inlined into the compiled functions.
    `bitcode` is the code of the compiled functions. `names` are the functions that are inlined. The functions
    in `kept` can also be called by name."""

    bitcode: bytes
    names: tuple[str, ...]
    kept: tuple[str, ...] = ()


def bitcode(assembly: str) -> bytes:
    """Optimised bitcode for `Inside`. The functions in this code may call functions that do not exist yet.
    Raises `ValueError` if the assembly is wrong."""
    machine = _machine(True)
    with _LOCK:
        _close_all()
        module = machine.parse(assembly)
        try:
            machine.optimise(module, level=2)
            found: bytes = module.as_bitcode()
        finally:
            module.close()
    return found


def stored(name: str, key: Sequence[str], optimise: bool, folder: str = "kernels") -> bytes | None:
    """The content that was stored under a name, or None. The function returns only content that was made for
    this key, this processor and this version of llvmlite. The function returns no content that another user's
    program stored."""
    stamp = _stamp(key, optimise)
    try:
        path = place(name, folder)
        data = path.read_bytes()
        if not data.startswith(stamp):
            return None
        compiled = data[len(stamp) + _DIGEST :]
        if _seal(name, stamp, compiled) != data[len(stamp) : len(stamp) + _DIGEST]:
            # The content is damaged, or another program stored it. The content is not returned, because the
            # caller would execute it.
            return None
    except (OSError, errors.CqlguiError):
        return None
    _note_use(path)
    return compiled


def store(name: str, key: Sequence[str], optimise: bool, compiled: bytes) -> None:
    """Store an object or bitcode for later starts. If the folder is not writable, nothing is stored and no
    error is raised.

    Each processor and each version of llvmlite has files of its own, so that computers that share a home
    folder do not replace each other's files. Files that no start used for a while are removed (see
    `prepared`).
    """
    with contextlib.suppress(OSError, errors.CqlguiError):
        prepared(name, key, optimise, compiled)()


def prepared(
    name: str,
    key: Sequence[str],
    optimise: bool,
    compiled: bytes,
    folder: str = "kernels",
    most: int | None = None,
    *,
    synced: bool = True,
) -> Callable[[], None]:
    """A call that stores an object or bitcode. Any thread may make the call, at any time. The first call of a
    process for a folder, and every 64th call after it, also removes old files, and those that were used least
    recently if the folder has more than `most`. `synced` is that of `disk.replacing`: a file that a power
    failure has damaged is not used (`stored`). Raises `OSError` and `CqlguiError`, and the call raises
    `OSError`."""
    path, stamp = place(name, folder), _stamp(key, optimise)
    folders.make(path.parent)
    _make_private(path.parent)
    data = stamp + _seal(name, stamp, compiled) + compiled

    def put() -> None:
        disk.replace_file(path, data, synced=synced)
        before = _STORED[path.parent]
        _STORED[path.parent] += 1
        if before % _SELDOM == 0:
            _sweep(path.parent, most)

    return put


_SELDOM: Final = 64
"""After so many stored files, a process looks for old files in the folder again. It does not look more often,
because this takes a call of the system for each file, and the window competes with each of them for the
interpreter lock."""
_STORED: Final[collections.Counter[Path]] = collections.Counter()
"""The number of files that this process has stored in a folder."""


def place(name: str, folder: str = "kernels") -> Path:
    """The path of a stored object or bitcode. Raises `CqlguiError` if there is no place for files."""
    return folders.cache() / folder / f"{name}@{_target()}.obj"


def _target() -> str:
    """The processor and the version of llvmlite, in a form that fits into the name of a file. The digest
    stands for what is too long: the features of the processor and the system."""
    import llvmlite

    whole = f"{llvmlite.__version__}\0{_platform()}"
    digest = hashlib.blake2b(whole.encode(), digest_size=6).hexdigest()
    words = f"{_platform().split()[0]}-{llvmlite.__version__}"
    return "".join(sign if sign.isalnum() or sign in ".-" else "_" for sign in words) + f"-{digest}"


@functools.cache
def _platform() -> str:
    """The processor and the system: for equal ones, LLVM makes the same code. Linux lists its processors. On
    other systems LLVM tells the processor, but loading LLVM takes time."""
    with contextlib.suppress(OSError):
        if sys.platform == "linux" and os.uname().machine == "x86_64":
            # Linux gives whole processors, at least one in each call. The list of a large computer is long.
            with _PROCESSORS.open("rb", buffering=0) as file:
                first = (file.read(_LONGEST_PROCESSOR) or b"").split(b"\n\n")[0]
            pairs = (line.partition(":") for line in first.decode("utf-8", "replace").splitlines())
            said = {name.strip(): value.strip() for name, _, value in pairs}
            if said.get("flags"):
                return " ".join(["x86_64-linux", *(said.get(name, "") for name in _OF_PROCESSOR)])
    return _machine(True).platform


_PROCESSORS: Final = Path("/proc/cpuinfo")
_LONGEST_PROCESSOR: Final = 1 << 14
_OF_PROCESSOR: Final = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")
"""What Linux says about a processor. LLVM asks the processor itself, but processors that differ for LLVM
differ here, too."""


def _note_use(path: Path) -> None:
    """Give a file the current time, unless it was used a short time ago."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > _NOTED_SECONDS:
            os.utime(path)


def _sweep(folder: Path, most: int | None) -> None:
    """Remove unfinished files, files that were not used for a while, files with names of earlier versions,
    and files beyond the `most` that were used last."""
    disk.sweep(folder, idle=_IDLE_SECONDS)
    oldest = time.time() - _UNUSED_SECONDS
    used = []
    for path in folder.glob("*.obj"):
        with contextlib.suppress(OSError):
            seconds = path.stat().st_mtime
            if "@" not in path.name or seconds < oldest:
                path.unlink()
            else:
                used.append((seconds, path))
    if most is not None:
        for _, path in sorted(used)[: max(len(used) - most, 0)]:
            with contextlib.suppress(OSError):
                path.unlink()


_IDLE_SECONDS: Final = 3600.0
"""After this time, a file that was not finished belongs to a process that has ended."""
_NOTED_SECONDS: Final = 24 * 3600.0
_UNUSED_SECONDS: Final = 60 * 24 * 3600.0


def _make_private(folder: Path) -> None:
    """Remove the access of all other users to a folder. Raises `PermissionError` if the folder belongs to
    another user."""
    if os.name != "nt" and folder.stat().st_mode & 0o077:
        folder.chmod(folders.PRIVATE)


def _seal(name: str, stamp: bytes, compiled: bytes) -> bytes:
    """A checksum that cannot be made without the user's key. Raises `CqlguiError` if there is no key."""
    secret_key = secret.key()
    if secret_key is None:
        raise errors.CqlguiError("There is no place for the program's key.")
    seal = hashlib.blake2b(key=secret_key, digest_size=_DIGEST)
    for part in (f"{name}\0".encode(), stamp, compiled):
        seal.update(part)
    return seal.digest()


_DIGEST: Final = 32
_LOCK: Final = threading.Lock()
"""Only one thread at a time may call LLVM. Running machine code needs no lock."""
_LONGEST_SECONDS: Final = 30
"""The process waits at most this long for a thread that compiles when the process ends."""
_GIVEN_BACK: Final[collections.deque[Any]] = collections.deque()
"""Engines with code that is no longer needed."""


def _stamp(key: Sequence[str], optimise: bool) -> bytes:
    import llvmlite

    parts = [llvmlite.__version__, _platform(), str(optimise), *key]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=_DIGEST).digest()


_PASSES: Final = (
    "always_inliner",
    "global_dead_code_eliminate",
    "sroa",
    "new_gvn",
    "instruction_combine",
    "simplify_cfg",
    "jump_threading",
    "loop_rotate",
    "new_gvn",
    "dead_store_elimination",
    "aggressive_dce",
    "instruction_combine",
    "simplify_cfg",
)


def _load_library() -> None:
    """Load LLVM's library, of more than a hundred megabytes, without the interpreter lock. The import of
    `llvmlite.binding` would keep the lock while it loads the library. If the library had to be read from
    disk, the window stood still for up to two seconds. A process loads a library only once, so the import
    finds it loaded. A thread that imports an extension module at the same time still waits, because the
    system loads one library at a time."""
    if os.name != "posix":
        # On Windows, Python releases the lock.
        return
    import llvmlite.utils

    path = Path(llvmlite.__file__).parent / "binding" / llvmlite.utils.get_library_name()
    library = ctypes.CDLL(None)
    library.dlopen.argtypes = ctypes.c_char_p, ctypes.c_int
    library.dlopen.restype = ctypes.c_void_p
    # If this fails, the import loads the library or tells why it cannot.
    library.dlopen(os.fsencode(path), os.RTLD_NOW | os.RTLD_LOCAL)


class _Machine:
    """The target processor of a compilation, at one level of optimisation."""

    def __init__(self, optimise: bool) -> None:
        _load_library()
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        self._llvm = llvm
        self._create = functools.partial(
            llvm.Target.from_default_triple().create_target_machine,
            cpu=cpu,
            features=features,
            opt=2 if optimise else 1,
            jit=True,
        )
        self.target: llvm.TargetMachine = self._create()
        self.platform = f"{llvm.get_process_triple()} {cpu} {features}"
        self._head = (
            f'target triple = "{llvm.get_process_triple()}"\n'
            f'target datalayout = "{self.target.target_data}"\n'
        )

    def parse(self, assembly: str) -> llvm.ModuleRef:
        try:
            module = self._llvm.parse_assembly(self._head + assembly)
            module.verify()
        except RuntimeError as fault:
            raise ValueError(f"The assembly is not valid: {fault}") from fault
        return module

    def take_in(self, module: llvm.ModuleRef, inside: Inside) -> None:
        """Add the functions of `inside` to a module. The functions `inside.names` of the module are inlined
        into the added functions."""
        module.link_in(self._llvm.parse_bitcode(inside.bitcode))
        for name in inside.names:
            function = module.get_function(name)
            function.add_function_attribute("alwaysinline")
            if name not in inside.kept:
                function.linkage = "internal"
        passes, builder = self._passes
        passes.run(module, builder)

    @functools.cached_property
    def _passes(self) -> tuple[llvm.ModulePassManager, llvm.PassBuilder]:
        """The passes that run on a query after parsing. The passes are made only once. llvmlite's own
        pipelines are not used. Such a pipeline leaks 70 kB each time it makes passes, and such a pipeline
        cannot be run twice."""
        passes = self._llvm.create_new_module_pass_manager()
        for add in _PASSES:
            getattr(passes, f"add_{add}_pass")()
        return passes, self._llvm.create_pass_builder(
            self.target, self._llvm.create_pipeline_tuning_options()
        )

    def optimise(self, module: llvm.ModuleRef, level: int) -> None:
        options = self._llvm.create_pipeline_tuning_options(speed_level=level)
        # Without this, each position of a game would be laid out word by word (`replay`).
        options.loop_vectorization = True
        builder = self._llvm.create_pass_builder(self.target, options)
        passes = builder.getModulePassManager()
        passes.run(module, builder)
        passes.close()
        builder.close()

    def engine(self, compiled: bytes, places: Mapping[str, int]) -> llvm.ExecutionEngine:
        # LLVM has one table of symbols for all engines. The engine has all addresses once it is finished.
        for name, address in places.items():
            self._llvm.add_symbol(name, address)
        # An LLVM engine takes over its target machine, so each engine gets a new target machine.
        engine = self._llvm.create_mcjit_compiler(self._llvm.parse_assembly(self._head), self._create())
        engine.add_object_file(self._llvm.ObjectFileRef.from_data(compiled))
        engine.finalize_object()
        return engine


@functools.cache
def _machine(optimise: bool) -> _Machine:
    return _Machine(optimise)


def _end() -> None:
    """Wait until no thread compiles, and let no thread compile any more. At the end of the process LLVM is
    unloaded, and a thread that still compiled would end the process with a crash."""
    _LOCK.acquire(timeout=_LONGEST_SECONDS)


atexit.register(_end)


def _close(engine: llvm.ExecutionEngine) -> None:
    """Release code, or leave the release to the next caller of LLVM. Python may call this function during any
    garbage collection. The current thread may already have the lock, or may be a thread that must not wait.
    The function therefore never waits for the lock."""
    _GIVEN_BACK.append(engine)
    if _LOCK.acquire(blocking=False):
        try:
            _close_all()
        finally:
            _LOCK.release()


def _close_all() -> None:
    """Close all engines in `_GIVEN_BACK`. The caller must have the lock."""
    while _GIVEN_BACK:
        _GIVEN_BACK.popleft().close()


def _ctype(kind: KernelType) -> Any:
    if not isinstance(kind, Scalar):
        return ctypes.c_void_p
    return {Scalar.BOOL: ctypes.c_bool, Scalar.INT: ctypes.c_int64, Scalar.WORD: ctypes.c_uint64}[kind]
