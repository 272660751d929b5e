"""`python -m tegula`: the program `tegula`."""

from tegula._main import main

main()
