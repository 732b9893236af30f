"""Compiler of `similarposition`: boards of another PGN file that equal the current board up to symmetry (spec
8.8).

The positions of the other PGN file come from the host. The host refuses the file if the user did not allow
queries to read the file. The positions are put into a table when the filter first runs. If a transform maps
one board to another, both boards have the same *normal form*. The keys of the table contain the normal form.
"""

from __future__ import annotations

from typing import Final

from cqlgui.base.data import dataclass, field
from cqlgui.board import men
from cqlgui.cql.ast import nodes_tree
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, SortSpec, code, compiles
from cqlgui.cql.interpreting.runtime import host as hosts
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation
from cqlgui.cql.transforming import geometry, words

MAX_POSITIONS: Final = 2_000_000
"""Maximum number of positions of the other PGN file; a larger file is refused."""


@compiles(nodes_tree.SimilarPosition)
def _similar_position(compiler: Compiler, node: nodes_tree.SimilarPosition) -> Code:
    table = _Table(node.file, not node.notransform)
    key = None
    if not node.nosort:
        key = compiler.own_sort_key((node.file, "similarposition"), SortSpec("similarposition", False, True))

    def similar(s: Evaluation) -> bool:
        if not table.filled:
            try:
                table.fill(s.host)
            except hosts.RefusedError as refusal:
                raise s.fault(str(refusal), node.span) from None
            if table.too_large:
                message = f"{node.file} has more than {MAX_POSITIONS:,} positions, too many to be compared"
                raise s.fault(message, node.span)
        board = bytes(s.position.squares)
        found = table.positions.get((_normal_form(board, table.transforms), s.position.turn))
        if not found:
            return False
        if key is not None and (s.best[key] is None or found[0].game < s.best[key]):  # type: ignore[operator]
            s.best[key] = found[0].game
        if s.explicit_comments:
            side = "btm" if s.position.turn else "wtm"
            for one in found:
                name = words.bracketed((_transform(one.board, board),))
                s.log.append(
                    (s.id, f"see {node.file} game: {one.game} at move: {one.movenumber} {side} {name}")
                )
        return True

    return code(Type.LOGICAL, similar, logs=True)


@dataclass(frozen=True, slots=True)
class _Place:
    """A position of the other PGN file."""

    game: int
    movenumber: int
    board: bytes


@dataclass(slots=True)
class _Table:
    """The main-line positions of a PGN file. A key of `positions` is a pair: the normal form, and the side to
    move. The positions of one key are in the order of the file."""

    file: str
    transforms: bool
    positions: dict[tuple[bytes, int], list[_Place]] = field(default_factory=dict)
    filled: bool = False
    too_large: bool = False

    def fill(self, host: hosts.Host) -> None:
        """Read the PGN file; raises `host.RefusedError`."""
        count = 0
        for game, read in enumerate(host.other_games(self.file), 1):
            if read is None:
                continue
            line = read.mainline()
            count += len(line)
            if count > MAX_POSITIONS:
                self.too_large = True
                break
            for positionid, position in enumerate(line.positions):
                board = bytes(position.squares)
                key = (_normal_form(board, self.transforms), position.turn)
                place = _Place(game, line.movenumber(positionid), board)
                self.positions.setdefault(key, []).append(place)
        self.filled = True


def _normal_form(board: bytes, transforms: bool) -> bytes:
    """The normal form of a board. If a symmetry maps one board to another, both boards have the same normal
    form. For boards with pawns, the symmetries are left-right mirroring and all horizontal shifts. For boards
    without pawns, the symmetries are the four rotations and the four reflections of the board."""
    if not transforms:
        return board
    if men.WP not in board and men.BP not in board:
        return min(bytes([board[square] for square in table]) for table in _SYMMETRIC)
    return min(_leftmost(board), _leftmost(_mirrored(board)))


def _leftmost(board: bytes) -> bytes:
    """The board with all men moved left by the same number of files, as far as possible."""
    return _shifted(board, -_first_file(board))


def _first_file(board: bytes) -> int:
    return next(file for file in range(8) if any(board[file::8]))


def _mirrored(board: bytes) -> bytes:
    return b"".join(board[rank : rank + 8][::-1] for rank in range(0, 64, 8))


def _shifted(board: bytes, files: int) -> bytes:
    """The board with all men moved `files` files to the right, or to the left if `files` is negative. The
    caller must make sure that all men stay on the board."""
    gap = bytes(abs(files))
    if files >= 0:
        return b"".join(gap + board[rank : rank + 8 - files] for rank in range(0, 64, 8))
    return b"".join(board[rank - files : rank + 8] + gap for rank in range(0, 64, 8))


def _transform(start: bytes, end: bytes) -> str:
    """The name of the transform that maps `start` to `end`. Both boards must have the same normal form."""
    if start == end:
        return ""
    if men.WP not in start and men.BP not in start:
        for table, name in zip(_SYMMETRIC, geometry.SYMMETRIES, strict=True):
            # For each square of the image, a table contains the corresponding square of the original board.
            if bytes([start[square] for square in table]) == end:
                return name
    for name, board in (("", start), ("reflect_v", _mirrored(start))):
        files = _first_file(end) - _first_file(board)
        if _leftmost(board) == _leftmost(end):
            shift = f"right^{files}" if files > 0 else f"left^{-files}" if files else ""
            return " ".join(part for part in (shift, name) if part)
    raise AssertionError("boards of one normal form are images of each other")


def _sources(symmetry: int) -> tuple[int, ...]:
    basic = geometry.Basic(symmetry=symmetry)
    images = [geometry.map_squares(basic, 1 << square).bit_length() - 1 for square in range(64)]
    return tuple(images.index(square) for square in range(64))


_SYMMETRIC: Final = tuple(_sources(symmetry) for symmetry in range(8))
