"""What each briefing says of a bank with a year behind it: lines and tokens, beside the tokens that it may take.

python -m bench.briefs [--show]
"""

from __future__ import annotations

import argparse
import io
import sys
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from bankd.briefing.choose import MODES
from bankd.briefing.shown import count_tokens
from tests.year import END, at, made_of, make_year


def main() -> int:
    """Make the bank, and print a row a mode, each as a reader hears it who was told nothing else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="the lines too")
    shows = parser.parse_args().show
    with TemporaryDirectory(prefix="bankd-briefs-") as name:
        root = Path(name) / "ws"
        with redirect_stdout(io.StringIO()):
            make_year(root)
        shown = (root / ".bankd/shown.json").read_bytes()
        print("mode         lines tokens   of")
        for mode, rule in MODES.items():
            (root / ".bankd/shown.json").write_bytes(shown)
            made = made_of(root, mode, at(END, 9))
            print(f"{mode:12} {len(made.items):5} {count_tokens(made.text):6} {rule.tokens:4}")
            if shows:
                print(made.text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
