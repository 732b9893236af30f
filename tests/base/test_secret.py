"""The user's key: made once, known to nobody else, replaced when others could have made or read it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cqlgui.base.files import folders, secret


def test_the_key_is_made_once() -> None:
    first = secret.key()
    assert first is not None
    assert len(first) == 32
    assert secret.key() == first


@pytest.mark.skipif(os.name == "nt", reason="files have no such rights there")
def test_nobody_else_can_read_it() -> None:
    before = os.umask(0)
    try:
        secret.key()
    finally:
        os.umask(before)
    path = folders.config() / "key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def readable(path: Path) -> None:
    path.chmod(0o640)


def short(path: Path) -> None:
    path.write_bytes(b"x")


def linked(path: Path) -> None:
    other = path.with_name("other")
    path.rename(other)
    path.symlink_to(other)


def another_users(path: Path) -> None:
    if os.geteuid():
        pytest.skip("only the superuser can give files to others")
    os.chown(path, 12345, 12345)


@pytest.mark.skipif(os.name == "nt", reason="files have no such rights there")
@pytest.mark.parametrize("spoil", [readable, short, linked, another_users])
def test_one_that_others_may_know_is_replaced(spoil) -> None:
    first = secret.key()
    path = folders.config() / "key"
    spoil(path)
    made = secret.key()
    if spoil is linked:
        # A link may lead to what others have written.
        assert not path.is_symlink()
    assert made is not None
    assert made != first
    assert made == path.read_bytes() == secret.key()


def test_there_is_none_where_none_can_be_kept() -> None:
    (folders.config() / "key").mkdir()
    assert secret.key() is None
