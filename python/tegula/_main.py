"""The program `tegula`."""

from __future__ import annotations

import signal
import sys

from tegula import _tegula


def main() -> None:
    """Runs the command line with the arguments of the process, and exits."""
    # The command handles interrupts itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_tegula.main(["tegula", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
