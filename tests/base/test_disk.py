"""Files that are written appear whole or not at all, under names that nobody can foresee."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cqlgui.base.files import disk
from tests import helpers

POSIX = pytest.mark.skipif(os.name != "posix", reason="rights and signals are those of POSIX")


def test_a_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    disk.replace_file(path, b"one")
    disk.replace_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_a_fault_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with disk.replacing(path) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_replaced_without_leave(tmp_path: Path) -> None:
    path, link, nowhere = tmp_path / "a.txt", tmp_path / "link", tmp_path / "nowhere"
    path.write_bytes(b"old")
    link.symlink_to(path)
    nowhere.symlink_to(tmp_path / "none")
    for one in (path, link, nowhere):
        assert disk.stands(one)
        with pytest.raises(FileExistsError, match="exists already"):
            disk.replace_file(one, b"new", follow=True, overwrite=False)
    with pytest.raises(FileExistsError), disk.replacing(tmp_path / "b.txt", overwrite=False):
        (tmp_path / "b.txt").write_bytes(b"other")
    assert (path.read_bytes(), (tmp_path / "b.txt").read_bytes()) == (b"old", b"other")
    with disk.adding(overwrite=True) as add:
        add(path, b"new")
        add(tmp_path / "c.txt", b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == (tmp_path / "c.txt").read_bytes() == b"new"
    assert not list(tmp_path.glob(f"{disk.PREFIX}*"))


def test_what_is_never_replaced_does_not_stand_in_the_way(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, tmp_path / "none", Path("/dev/null"), Path("a\0b")):
        assert not disk.stands(path)


def temporary(folder: Path) -> Path:
    (found,) = folder.glob(f"{disk.PREFIX}*")
    return found


def test_temporary_names_are_random_and_of_any_length(tmp_path: Path) -> None:
    names = set()
    path = tmp_path / ("a" * 250 + ".txt")
    for _ in range(20):
        with disk.replacing(path):
            names.add(temporary(tmp_path).name)
    assert len(names) == 20
    assert all(str(os.getpid()) not in name or len(name) > 20 for name in names)


def test_a_link_in_the_way_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    wanted = iter([b"\0" * 8, b"\1" * 8])
    monkeypatch.setattr(os, "urandom", lambda _size: next(wanted))
    (tmp_path / f"{disk.PREFIX}{bytes(8).hex()}{disk.SUFFIX}").symlink_to(victim)
    disk.replace_file(tmp_path / "a.txt", b"new")
    assert victim.read_bytes() == b"mine"
    assert (tmp_path / "a.txt").read_bytes() == b"new"


@POSIX
def test_a_link_to_a_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, target = tmp_path / "a.txt", tmp_path / "far" / "b.txt"
    for before in (None, b"old"):
        if before is not None:
            target.write_bytes(before)
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        disk.replace_file(link, b"new", follow=True)
        assert link.is_symlink()
        assert target.read_bytes() == b"new"


@POSIX
def test_a_file_of_our_own_replaces_a_link(tmp_path: Path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "a.txt"
    victim.write_bytes(b"mine")
    link.symlink_to(victim)
    disk.replace_file(link, b"new")
    assert victim.read_bytes() == b"mine"


@POSIX
def test_a_link_to_itself_and_what_is_no_name_are_told_as_faults_of_files(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path, words in ((loop, "link|symbolic"), (tmp_path / "a\0b", "no name of a file")):
        with pytest.raises(OSError, match=words):
            disk.replace_file(path, b"new", follow=True)
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


@POSIX
def test_what_is_no_ordinary_file_is_not_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OSError, match="no ordinary file"):
            disk.replace_file(path, b"new", follow=True)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "link"}


@POSIX
@pytest.mark.parametrize("rights", [0o600, 0o640, 0o666])
def test_a_file_is_private_while_it_is_written_and_keeps_its_rights(rights: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.touch()
    path.chmod(rights)
    with disk.replacing(path) as file:
        file.write(b"new")
        assert stat.S_IMODE(temporary(tmp_path).stat().st_mode) == 0o600
    assert stat.S_IMODE(path.stat().st_mode) == rights


@POSIX
def test_a_new_file_has_the_rights_that_new_files_have(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    disk.replace_file(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


WRITING = (
    "import signal, sys, time; from pathlib import Path; from cqlgui.base.files import disk\n"
    # Who runs in the background has it ignored.
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "disk.discard_when_terminated()\n"
    "with disk.replacing(Path(sys.argv[1], 'a')) as file:\n"
    "    print('ready', flush=True); time.sleep(100)\n"
)


@POSIX
@pytest.mark.parametrize(("number", "left"), [(signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, 1)])
def test_what_a_signal_leaves(number: signal.Signals, left: int, tmp_path: Path) -> None:
    words = [sys.executable, "-c", WRITING, str(tmp_path)]
    with subprocess.Popen(
        words, cwd=helpers.ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline()
        disk.sweep(tmp_path)
        assert len(list(tmp_path.iterdir())) == 1, "what is being written is not forsaken"
        writer.send_signal(number)
    assert writer.returncode == -number
    assert len(list(tmp_path.iterdir())) == left
    (tmp_path / "other.tmp").touch()
    disk.sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["other.tmp"]


@POSIX
def test_a_process_may_have_more_files_open_than_it_is_given(tmp_path: Path) -> None:
    code = (
        "import resource\n"
        "from cqlgui.base.files import disk\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))\n"
        "disk.allow_many_files()\n"
        f"held = [open({str(tmp_path / 'a')!r}, 'w') for _ in range(200)]\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=helpers.ROOT, check=True)


def test_a_folder_with_the_name_of_a_file_keeps_all_files_as_they_are(tmp_path: Path) -> None:
    one, other = tmp_path / "a-1.pgn", tmp_path / "a-2.pgn"
    one.write_text("old")
    other.mkdir()

    def write() -> None:
        with disk.adding(overwrite=True) as add:
            add(one, b"new")
            add(other, b"new")

    with pytest.raises(IsADirectoryError) as caught:
        write()
    assert caught.value.filename == str(other)
    assert one.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [one, other]


def test_files_that_were_replaced_before_an_error_are_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / f"a-{number}.pgn" for number in (1, 2, 3)]
    for path in (paths[0], paths[2]):
        path.write_text(f"old {path.name}")
    paths[0].chmod(0o640)
    real = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if target == paths[2]:
            raise OSError(errno.EBUSY, "busy")
        return real(self, target)

    def write() -> None:
        with disk.adding(overwrite=True) as add:
            for path in paths:
                add(path, b"new")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="busy") as caught:
        write()
    assert caught.value.filename == str(paths[2])
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a-1.pgn", "a-3.pgn"]
    assert paths[0].read_text() == "old a-1.pgn"
    assert paths[2].read_text() == "old a-3.pgn"
    assert stat.S_IMODE(paths[0].stat().st_mode) == 0o640


def test_several_files_follow_the_links_of_the_user_and_name_the_file_at_fault(tmp_path: Path) -> None:
    target, link, missing = tmp_path / "target.pgn", tmp_path / "a-1.pgn", tmp_path / "none" / "a-2.pgn"
    target.write_bytes(b"old")
    link.symlink_to(target)

    def write(*paths: Path) -> None:
        with disk.adding(follow=True, overwrite=True) as add:
            for path in paths:
                add(path, b"new")

    with pytest.raises(FileNotFoundError) as caught:
        write(link, missing)
    assert caught.value.filename == str(missing)
    assert target.read_bytes() == b"old"
    other = tmp_path / "a-2.pgn"
    other.symlink_to(target)
    with pytest.raises(FileExistsError) as caught_twice:
        write(link, other)
    assert caught_twice.value.filename == str(other)
    assert target.read_bytes() == b"old"
    other.unlink()
    # A link to another of the files, in a folder with two names.
    twin = tmp_path / "twin"
    twin.symlink_to(tmp_path)
    with pytest.raises(FileExistsError):
        write(twin / "target.pgn", link)
    twin.unlink()
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(tmp_path.iterdir()) == [link, target]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no such name here")
def test_what_the_output_already_goes_to_is_a_file_that_stands(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("old\n")
    code = (
        "import pathlib; from cqlgui.base.files import disk; print(disk.stands(pathlib.Path('/dev/stdout')))"
    )
    with log.open("a") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, cwd=helpers.ROOT, check=True)
    assert log.read_text() == "old\nTrue\n"
