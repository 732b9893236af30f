"""Converts the bytes of PGN to text and back. A game is read as UTF-8 if it is valid UTF-8. Any other game is
read as Windows-1252.

The five bytes that Windows-1252 leaves undefined are read as Latin-1. Every byte therefore has a character,
and encoding the text gives the same bytes again.
"""

from __future__ import annotations

import codecs
import contextlib
from typing import Final, Literal

Encoding = Literal["utf-8", "windows-1252"]

WIDE_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
"""The byte-order marks of UTF-16 and UTF-32."""


def _table() -> str:
    characters = []
    for byte in range(256):
        try:
            characters.append(bytes((byte,)).decode("cp1252"))
        except UnicodeDecodeError:
            characters.append(chr(byte))
    return "".join(characters)


_DECODING = _table()
_ENCODING = {ord(character): byte for byte, character in enumerate(_DECODING)}


def encoding_of(data: bytes) -> Encoding:
    """UTF-8 if all of `data` is valid UTF-8; Windows-1252 for any other data."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


def decode(data: bytes, encoding: Encoding | None = None) -> str:
    """`data` as text, by default in the encoding that `encoding_of` finds. Never raises."""
    encoding = encoding or encoding_of(data)
    if encoding == "utf-8":
        return data.decode("utf-8", "replace")
    return codecs.charmap_decode(data, "strict", _DECODING)[0]


def encode(text: str, encoding: Encoding) -> bytes:
    """`text` as bytes in `encoding`; in UTF-8 if the text has a character that Windows-1252 lacks. `decode`
    restores the text."""
    if encoding == "windows-1252":
        with contextlib.suppress(UnicodeEncodeError):
            return codecs.charmap_encode(text, "strict", _ENCODING)[0]
    return text.encode("utf-8", "replace")
