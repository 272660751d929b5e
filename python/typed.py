"""Writes tegula/_typed.py: the options that functions take beyond their named arguments, with their types, as the
library declares them.

    python typed.py            writes the file
    python typed.py --check    ends with 1 if it is not as it would be written
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import tegula
from tegula import _tegula
from tegula._options import Option, names, options

HERE = Path(__file__).resolve().parent
# Options that the package sets itself, by function.
OWN = {
    "": {"data", "engine", "master", "staging"},
    "dedup": {"from", "root", "check"},
    "mark": {"from", "root"},
    "pairs": {"expand"},
    "compare": {"to"},
    "diff": {"first", "second"},
    "evaluate": {"gold", "results"},
    "filter": {"input"},
    "find": {"to"},
    "index": {"index", "fields", "no_texts", "recipe", "remove", "remove_list", "expire", "merge", "check", "info"},
    "query": {"index", "explain", "to", "width"},
    "judge": {"run", "with"},
    "onion": {"files", "save_fingerprints"},
    "passages": {"to"},
    "phrases": {"to"},
    "report": {"run", "to"},
    "rerun": {"source", "run"},
    "stories": {"to"},
    "study": {"figures"},
    "templates": {"to"},
}

# Types by what a value is.
TYPES = {"whole": "int", "text": "str", "path": "str | os.PathLike[str]", "any": "Value"}


def literal(values: list[str]) -> str:
    return "Literal[" + ", ".join(f'"{value}"' for value in values) + "]"


def kind(option: Option) -> str:
    if option.name == "set":
        return "Mapping[str, object] | Iterable[str]"
    if option.kind == "switch":
        return "bool"
    one = literal(option.values) if option.values else TYPES[option.holds]
    return f"{one} | Iterable[{one}]" if option.kind == "many" else one


def function(name: str) -> object:
    methods = {"report": tegula.Run.report, "index": tegula.Index.add, "query": tegula.Index.query}
    return methods.get(name, getattr(tegula, name, None))


def takes_options(name: str) -> bool:
    """Whether the function of a command has the further options of the command as keywords."""
    called = function(name)
    further = inspect.signature(called).parameters.values() if callable(called) else []
    return any(str(parameter.annotation).startswith("Unpack[") for parameter in further)


def further(name: str) -> dict[str, str]:
    """The options of a function, each with its type and what it says."""
    own = set(inspect.signature(function(name)).parameters) | OWN[""] | OWN.get(name, set())
    known = options(name)
    found = {}
    for keyword in names(name):
        if keyword not in own:
            found[keyword] = f'    {keyword}: {kind(known[keyword])}\n    """{sentence(known[keyword].help)}"""'
    found["config"] = '    config: str | os.PathLike[str]\n    """A configuration file: options by function, and recipes by name."""'
    return dict(sorted(found.items()))


def common(all_options: list[dict[str, str]]) -> dict[str, str]:
    first, *others = all_options
    return {option: said for option, said in first.items() if all(other.get(option) == said for other in others)}


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
        f"Unit = {literal(options('dedup')['unit'].values)}",
        f"Evidence = {literal(options('dedup')['evidence'].values)}\n",
    ]
    found = {name: further(name) for name in _tegula.command_names() if takes_options(name)}
    # What functions on texts share is said once, and what those that compare them share.
    texts = [name for name in found if "field_from_name" in names(name)]
    compare = [name for name in texts if "check_recall" in names(name)]
    reading = common([found[name] for name in texts])
    comparing = common([found[name] for name in compare])
    classes = [
        ("ReadingOptions", "TypedDict", "What functions on texts share.", reading),
        ("SharedOptions", "ReadingOptions", f"What {listed(compare)} share.", without(comparing, reading)),
    ]
    for name, own in found.items():
        base, shared = "TypedDict", {}
        if name in compare:
            base, shared = "SharedOptions", {**reading, **comparing}
        elif name in texts:
            base, shared = "ReadingOptions", reading
        text = f"Further options of `{name}`: those of `tegula {name}`."
        classes.append((f"{name.title()}Options", base, text, without(own, shared)))
    for name, base, text, own in classes:
        out += [f"\nclass {name}({base}, total=False):", f'    """{text}"""\n', *own.values(), ""]
    return "\n".join(out)


def without(own: dict[str, str], shared: dict[str, str]) -> dict[str, str]:
    return {option: said for option, said in own.items() if option not in shared}


def listed(functions: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in functions)


def sentence(text: str) -> str:
    text = " ".join(text.split()).replace("\\", "\\\\")
    return text if text.endswith(".") else text + "."


if __name__ == "__main__":
    target = HERE / "tegula" / "_typed.py"
    if "--check" in sys.argv:
        sys.exit(target.read_text(encoding="utf-8") != typed())
    target.write_text(typed(), encoding="utf-8")
