"""Writes tegula/_typed.py: the options that functions take beyond their named arguments, with their types, from the
command line's definition.

    python typed.py            writes the file
    python typed.py --check    ends with 1 if it is not as it would be written
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import tegula
from tegula._options import names, parameters

HERE = Path(__file__).resolve().parent
FUNCTIONS = {"dedup": tegula.dedup, "mark": tegula.mark, "pairs": tegula.pairs}
# Options that the package sets itself.
OWN = {"from", "root", "check", "expand"}


# Types by what a value is.
TYPES = {"whole": "int", "text": "str", "path": "str | os.PathLike[str]", "": "Value"}


def literal(values: list[str]) -> str:
    return "Literal[" + ", ".join(f'"{value}"' for value in values) + "]"


def kind(takes: bool, repeats: bool, values: list[str], holds: str) -> str:
    if not takes:
        return "bool"
    one = literal(values) if values else TYPES[holds]
    return f"{one} | Iterable[{one}]" if repeats else one


def options(name: str) -> dict[str, str]:
    """The options of a function, each with its type and what it says."""
    own = set(inspect.signature(FUNCTIONS[name]).parameters) | OWN
    known = parameters(name)
    found = {}
    for option in names(name):
        if option in own or not option:
            continue
        takes, repeats, values, holds, text = known[option]
        what = "Mapping[str, object] | Iterable[str]" if option == "set" else kind(takes, repeats, values, holds)
        found[option] = f'    {option}: {what}\n    """{sentence(text)}"""'
    return found


def typed() -> str:
    out = [
        '"""Options by function, with their types. Written by typed.py."""\n',
        "from __future__ import annotations\n",
        "import os",
        "from collections.abc import Iterable, Mapping",
        "from typing import Literal, TypedDict\n",
        "Value = str | int | float | os.PathLike[str]\n",
        "# A recipe by name; a file of a recipe is a path.",
        f"Recipe = {literal(['auto', *(recipe['name'] for recipe in tegula.recipes())])} | os.PathLike[str]",
        f"Unit = {literal(parameters('dedup')['unit'][2])}",
        f"Evidence = {literal(parameters('dedup')['evidence'][2])}\n",
    ]
    all_options = {name: options(name) for name in FUNCTIONS}
    first, *others = all_options.values()
    shared = {option: said for option, said in first.items() if all(other.get(option) == said for other in others)}
    listed = ", ".join(f"`{name}`" for name in FUNCTIONS)
    classes = [("SharedOptions", "TypedDict", f"What the further options of {listed} share.", shared)]
    for name, found in all_options.items():
        text = f"Further options of `{name}`: those of `tegula {name}`."
        more = {option: said for option, said in found.items() if option not in shared}
        classes.append((f"{name.title()}Options", "SharedOptions", text, more))
    for name, base, text, found in classes:
        out += [f"\nclass {name}({base}, total=False):", f'    """{text}"""\n', *found.values(), ""]
    return "\n".join(out)


def sentence(text: str) -> str:
    from tegula._options import as_keywords

    text = " ".join(as_keywords(text).split()).replace("\\", "\\\\")
    return text if text.endswith(".") else text + "."


if __name__ == "__main__":
    target = HERE / "tegula" / "_typed.py"
    if "--check" in sys.argv:
        sys.exit(target.read_text(encoding="utf-8") != typed())
    target.write_text(typed(), encoding="utf-8")
