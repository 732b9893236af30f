"""The table of a study, as rows and as a file: CSV, Parquet, HTML or JSON."""

from __future__ import annotations

import csv
import html
import importlib
import importlib.util
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cqlgui.base import cells, errors
from cqlgui.base.data import named
from cqlgui.base.files import disk
from cqlgui.tasks.studies import study, study_counts

FIELDS: Final = (
    "query",
    "base",
    "group",
    "band",
    "searched",
    "games",
    "share",
    "positions",
    "halfmoves",
    "first_ply",
    "score",
)
"""The columns of the table: the query and the base; the group ("elo", "years" or empty) and its band; the
games that were searched, and those that match; `share`, the matching games as a share of the searched games
(0 to 1); the matching positions; `halfmoves`, the mean number of them in a matching game; `first_ply`, the
median ply of the first hits; `score`, White's share of the points in the matching games (0 to 1). A number is
None if nothing is known."""
TABLED: Final = ("tabled", "won", "drawn", "lost")
EVALUATED: Final = ("evaluated", "evaluation")
"""The columns about the first hits of the games, if these were judged: how many of them tables know, and
White's wins, the draws and White's losses as shares of those (0 to 1); how many of them an engine evaluated,
and the mean of its evaluations in hundredths of a pawn from White's view (`study_counts.MOST_CP`)."""
ENDINGS: Final = (".csv", ".parquet", ".html", ".json")
_DIGITS: Final = 6
"""Digits of a share after the point."""


def fields(report: study.Report) -> tuple[str, ...]:
    """The columns of the table of a study: `FIELDS`, and those of the judges that were asked."""
    tables = TABLED if "wdl" in report.judged else ()
    return FIELDS + tables + (EVALUATED if "eval_cp" in report.judged else ())


def rows(report: study.Report) -> list[dict[str, Any]]:
    """The rows of the table: for each query and base the row of all games, then those of the groups."""
    wanted = fields(report)
    return [row for part in report.parts for row in part_rows(part, wanted)]


def part_rows(part: study.Part, wanted: Sequence[str] = FIELDS) -> list[dict[str, Any]]:
    """The rows of one query and one base: that of all games, then those of the groups. `wanted` are the
    columns."""
    listed = (_row(part, count) for count in part.found.counts)
    return [{name: row[name] for name in wanted} for row in listed]


def _row(part: study.Part, count: study_counts.Count) -> dict[str, Any]:
    shares = {
        name: _rounded(number / count.tabled if count.tabled else None)
        for name, number in (("won", count.won), ("drawn", count.drawn), ("lost", count.lost))
    }
    return {
        "query": part.query,
        "base": part.base,
        "group": count.group,
        "band": count.band,
        "searched": count.searched,
        "games": count.games,
        "share": _rounded(count.share),
        "positions": count.positions,
        "halfmoves": _rounded(count.halfmoves),
        "first_ply": count.first_ply,
        "score": _rounded(count.score),
        "tabled": count.tabled,
        **shares,
        "evaluated": count.evaluated,
        "evaluation": _rounded(count.evaluation),
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, _DIGITS)


def samples(report: study.Report) -> list[dict[str, Any]]:
    """The examples, each with its query and base."""
    return [
        {"query": part.query, "base": part.base, **named(one)}
        for part in report.parts
        for one in part.found.samples
    ]


def answer(report: study.Report) -> dict[str, Any]:
    """The study as one JSON object."""
    found: dict[str, Any] = {
        "title": report.study.title,
        "bases": [
            {"base": one.name, "games": one.base.games, "files": [str(two.path) for two in one.base.sources]}
            for one in report.bases
        ],
        "queries": [
            {"query": one.name, "text": one.text, "games": one.games, "variations": one.variations}
            for one in report.study.questions
        ],
        "rows": rows(report),
        "samples": samples(report),
        "faults": [named(one) for one in report.faults],
    }
    if report.cancelled:
        found["cancelled"] = True
    return found


def tabbed(listed: Sequence[Mapping[str, Any]]) -> str:
    """Rows of the table as lines of cells with tabs between them, under a line with the names of the columns.
    The numbers are those of the CSV file."""
    rows = ([str("" if v is None else v) for v in map(_cell, row.values())] for row in listed)
    return cells.tabbed([FIELDS, *rows])


def _cell(value: Any) -> Any:
    return cells.text_only(value) if isinstance(value, str) else value


def checked_ending(path: Path) -> str:
    """The ending of a file to be written, in lower case. Raises `CqlguiError` if the ending names no format,
    if the format needs a package that is missing, or if the folder does not exist."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise errors.CqlguiError(f"{path.name}: the ending must be one of {' '.join(ENDINGS)}.")
    if ending == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise errors.CqlguiError("Parquet needs the package pyarrow, which is not installed.")
    if disk.is_folder(path):
        raise errors.CqlguiError(f"{path} is a folder.")
    if not disk.is_folder(path.absolute().parent):
        raise errors.CqlguiError(f"{path} cannot be written: there is no folder {path.absolute().parent}.")
    if not os.access(path.absolute().parent, os.W_OK):
        raise errors.CqlguiError(f"{path} cannot be written: {path.absolute().parent} is read-only.")
    return ending


def refuse(report_bases: Sequence[study.StudyBase], inputs: Sequence[Path], path: Path) -> None:
    """Raise `CqlguiError` if `path` is a file that the study reads: one of its bases or of `inputs`."""
    read = [*inputs, *(source.path for one in report_bases for source in one.base.sources)]
    if any(disk.is_same(path, one) for one in read):
        raise errors.CqlguiError(f"{path} is not overwritten, because the study reads it.")


def write(report: study.Report, path: Path, *, overwrite: bool = False) -> None:
    """Write the table to `path`, whole or not at all, in the format that the ending names. HTML and JSON have
    the examples too. An existing file is replaced only with `overwrite`. Raises `CqlguiError`."""
    made: dict[str, Callable[[study.Report], bytes]] = {
        ".csv": _csv,
        ".parquet": _parquet,
        ".html": _html,
        ".json": _json,
    }
    data = made[checked_ending(path)](report)
    try:
        disk.replace_file(path, data, follow=True, overwrite=overwrite)
    except OSError as error:
        raise errors.CqlguiError(f"{path} cannot be written: {error.strerror or error}.") from error


def _csv(report: study.Report) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(fields(report))
    for row in rows(report):
        writer.writerow(list(map(_cell, row.values())))
    return text.getvalue().encode("utf-8", "backslashreplace")


def _json(report: study.Report) -> bytes:
    return (json.dumps(answer(report), ensure_ascii=False, indent=1) + "\n").encode(
        "utf-8", "backslashreplace"
    )


_WHOLE: Final = ("searched", "games", "positions", "tabled", "evaluated")
_TEXTS: Final = ("query", "base", "group", "band")


def _parquet(report: study.Report) -> bytes:
    # The package is an extra that only this format needs.
    arrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    kinds = {
        name: arrow.string() if name in _TEXTS else arrow.int64() if name in _WHOLE else arrow.float64()
        for name in fields(report)
    }
    listed = rows(report)
    columns = {name: [row[name] for row in listed] for name in fields(report)}
    buffer = io.BytesIO()
    parquet.write_table(arrow.table(columns, schema=arrow.schema(list(kinds.items()))), buffer)
    return buffer.getvalue()


# --- HTML ---------------------------------------------------------------------------------------------------

_HEADS: Final = {
    "query": "Query",
    "base": "Base",
    "group": "Group",
    "band": "Band",
    "searched": "Games searched",
    "games": "Games",
    "share": "Share of games, %",
    "positions": "Positions",
    "halfmoves": "Half-moves per game",
    "first_ply": "First hit, ply",
    "score": "White's score, %",
    "tabled": "First hits in tables",
    "won": "Won for White, %",
    "drawn": "Drawn, %",
    "lost": "Lost for White, %",
    "evaluated": "First hits evaluated",
    "evaluation": "Mean evaluation, pawns",
}
_GROUPS: Final = {"": "all games", study_counts.ELO: "Elo", study_counts.YEARS: "years"}
_STYLE: Final = """
body { font-family: sans-serif; margin: 2em }
pre { background: #eee; padding: 1em; white-space: pre-wrap }
table { border-collapse: collapse }
td, th { border-bottom: 1px solid #ccc; padding: .2em .6em; text-align: left }
td.number { text-align: right; font-variant-numeric: tabular-nums }
tr.band td { color: #444; border-bottom-color: #eee }
figure { display: inline-block; margin: 0 2em 1em 0; vertical-align: top; max-width: 22em }
figure pre { background: none; padding: 0; margin: 0; font-size: 1.6em; line-height: 1.15 }
figcaption { overflow-wrap: anywhere }
"""
_MEN: Final = str.maketrans("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟")


def shown(field: str, value: Any) -> str:
    """A value of the table as text for a person. Shares are percentages."""
    if value is None:
        return "-"
    if field == "evaluation":
        return f"{value / 100:+.2f}"
    if field in ("share", "score", "won", "drawn", "lost"):
        return f"{100 * value:.2f}" if field == "share" else f"{100 * value:.1f}"
    if field in ("halfmoves", "first_ply"):
        return f"{value:.1f}"
    if field == "group":
        return _GROUPS[value]
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else str(value)


def _html(report: study.Report) -> bytes:
    return "".join(_page(report)).encode("utf-8", "backslashreplace")


def _page(report: study.Report) -> Iterator[str]:
    title = html.escape(report.study.title)
    yield f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<ul>\n"
    for one in report.bases:
        files = ", ".join(str(source.path) for source in one.base.sources)
        games = shown("games", one.base.games) + (" game" if one.base.games == 1 else " games")
        yield f"<li>{html.escape(one.name)}: {games} ({html.escape(files)})</li>\n"
    yield "</ul>\n"
    if report.cancelled:
        yield f"<p>Stopped: {len(report.parts)} of {report.wanted} searches done.</p>\n"
    for fault in report.faults:
        yield f"<pre>{html.escape(fault.message)}</pre>\n"
    used = [name for name in fields(report) if name not in ("group", "band") or _has_groups(report)]
    yield "<table>\n<tr>" + "".join(f"<th>{html.escape(_HEADS[name])}</th>" for name in used) + "</tr>\n"
    anchors = {one.name: f"q{number}" for number, one in enumerate(report.study.questions, 1)}
    for row in rows(report):
        yield '<tr class="band">' if row["group"] else "<tr>"
        for name in used:
            text = html.escape(shown(name, row[name]))
            if name == "query" and not row["group"]:
                yield f'<td><a href="#{anchors[row["query"]]}">{text}</a></td>'
            else:
                yield f"<td>{text}</td>" if name in _TEXTS else f'<td class="number">{text}</td>'
        yield "</tr>\n"
    yield "</table>\n"
    for question in report.study.questions:
        yield f'<h2 id="{anchors[question.name]}">{html.escape(question.name)}</h2>\n'
        yield f"<pre>{html.escape(question.text.strip())}</pre>\n"
        if question.games:
            yield f"<p>Games: {html.escape(question.games)}</p>\n"
        for part in report.parts:
            if part.query == question.name:
                for sample in part.found.samples:
                    yield _figure(part, sample)
    yield "</body>\n</html>\n"


def _has_groups(report: study.Report) -> bool:
    return report.study.elo is not None or report.study.years is not None


def _figure(part: study.Part, sample: study_counts.Sample) -> str:
    players = f"{sample.white or '?'} - {sample.black or '?'}"
    year = f", {sample.year}" if sample.year else ""
    file = html.escape(sample.file, quote=True)
    place = f"{html.escape(part.base)}, game {sample.gamenumber}, ply {sample.ply}"
    return (
        f"<figure>\n<pre>{_diagram(sample.fen)}</pre>\n<figcaption>{html.escape(players)}{year}, "
        f'{html.escape(sample.result)}<br><span title="{file}">{place}</span><br>'
        f"<code>{html.escape(sample.fen)}</code></figcaption>\n</figure>\n"
    )


def _diagram(fen: str) -> str:
    """The board of a FEN as eight lines of text."""
    board = fen.split(" ")[0].translate(_MEN)
    lines = []
    for rank in board.split("/"):
        squares = "".join("·" * int(sign) if sign.isdecimal() else sign for sign in rank)
        lines.append(" ".join(squares))
    return html.escape("\n".join(lines))
