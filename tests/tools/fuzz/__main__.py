"""Coverage-guided fuzzing, for an environment that has `atheris`:

    python -m tests.tools.fuzz front|running [SECONDS] [FOLDER]

What breaks a rule is left in FOLDER (default: the working directory) and its text is printed; `--text FILE`
prints the text that a file of bytes stands for.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    if sys.argv[1] == "--text":
        from tests.tools.fuzz import texts

        print(texts.text_of(Path(sys.argv[2]).read_bytes()))
        return
    import atheris  # not a dependency: it comes for few platforms

    with atheris.instrument_imports(include=["cqlgui.cql"]):
        from tests.tools.fuzz import targets, texts

    target = {"front": targets.front, "running": targets.running}[sys.argv[1]]
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else ".")

    def one(data: bytes) -> None:
        text = texts.text_of(data)
        try:
            target(text)
        except BaseException:
            print("TEXT:", ascii(text), file=sys.stderr, flush=True)
            raise

    words = [sys.argv[0], f"-max_total_time={seconds}", "-max_len=160", "-timeout=20", "-rss_limit_mb=4096"]
    atheris.Setup([*words, f"-artifact_prefix={folder}/"], one)
    atheris.Fuzz()


main()
