"""The program `tegula`."""

from __future__ import annotations

import os
import signal
import sys

from tegula import _tegula


def main() -> None:
    """Runs the command line with the arguments of the process, and exits."""
    # The command handles interrupts itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Where `--engine spark` finds this package.
    os.environ.setdefault("TEGULA_PYTHON", sys.executable)
    sys.exit(_tegula.main(["tegula", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
