"""The measured cells as a page of tables."""

from dataclasses import dataclass

from measured import machine

HEAD = """# Quality

<!-- Made by bench/quality/run.py; the text between the tables is bench/quality/notes.md. -->

"""


@dataclass
class Row:
    """What a method came to on a set."""

    set_: object
    name: str
    ours: bool
    cell: dict


def number(value, digits=3):
    return "–" if value is None else f"{value:.{digits}f}"


def scores(pairs):
    return [number(pairs[name]) for name in ("precision", "recall", "f1")]


def cost(row):
    took = row.cell["default"]["took"]
    return [f"{took['cpu']:.1f}", f"{took['mib']:.0f}"]


def of(row, mode, view):
    """The evaluation of a view, or nothing where the run or the judging failed."""
    found = row.cell.get(mode, {}).get("views", {}).get(view.name)
    return None if found is None or "failed" in found else found


def lines(head, body):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "".join("| " + " | ".join(cells) + " |\n" for cells in [head, align, *body])


def best_f1(row, view):
    """The F1 on half b by which methods are compared: at the threshold chosen on half a, or at the default, where that is the only one."""
    tuned = of(row, "low", view)
    if tuned:
        return tuned["tuned"]["reported"]["pairs"]["f1"] or 0.0
    plain = of(row, "default", view)
    return (plain["pairs"]["f1"] or 0.0) if plain else 0.0


def half_a(row, view):
    """The best F1 on half a, by which a recipe and a peer can be chosen without a look at half b."""
    tuned = of(row, "low", view)
    return (tuned["tuned"]["chosen"]["f1"] or 0.0) if tuned else 0.0


def tuned_table(rows, view):
    head = ["", "P", "R", "F1", "ARI", "threshold", "P", "R", "F1", "ARI", "CPU s", "MiB"]
    first = max(best_f1(row, view) for row in rows)
    body = []
    for row in rows:
        plain, low = of(row, "default", view), of(row, "low", view)
        name = row.name if row.ours else f"*{row.name}*"
        failed = row.cell["default"]["took"]["failed"]
        if failed:
            body.append([f"{name}: {failed}"] + ["–"] * 9 + cost(row))
            continue
        if plain is None:
            name += " (timed only)"
        cells = [*scores(plain["pairs"]), number(plain["ari"])] if plain else ["–"] * 4
        if low:
            tuned = low["tuned"]
            reported = tuned["reported"]
            cells += [number(tuned["chosen"]["threshold"]), *scores(reported["pairs"]), number(reported["ari"])]
        else:
            cells += ["–"] * 5
        if first > 0 and best_f1(row, view) == first:
            name = f"**{name}**"
        body.append([name, *cells, *cost(row)])
    return lines(head, body)


def label_table(rows, view):
    """By label: the share of its pairs found at the default, and at the threshold of the best F1."""
    known = next((found for row in rows if (found := of(row, "default", view))), None)
    if known is None:
        return ""
    labels = [label["label"] for label in known["labels"]]
    counts = {label["label"]: label["pairs"] for label in known["labels"]}
    head = ["", *(f"{label} ({counts[label]})" for label in labels), "best F1", "at", "CPU s", "MiB"]
    body = []
    for row in rows:
        plain, low = of(row, "default", view), of(row, "low", view)
        name = row.name if row.ours else f"*{row.name}*"
        shares = {label["label"]: label["found"] / label["pairs"] for label in plain["labels"]} if plain else {}
        best = low["sweep"]["best"] if low and "sweep" in low else None
        body.append(
            [
                name,
                *(f"{100 * shares[label]:.1f} %" if label in shares else "–" for label in labels),
                number(best["f1"] if best else None),
                number(best["threshold"] if best else None),
                *cost(row),
            ]
        )
    return lines(head, body)


def firsts(sets, rows, lead, by):
    """The best recipe and the best peer on each set, by F1 on one half, with their F1 on half b, intervals and the lead, which is in bold where
    its interval excludes 0."""
    body = []
    for set_ in sets:
        for view in set_.views:
            if not view.tuned:
                continue
            mine = [row for row in rows if row.set_ is set_]
            ours, theirs = (
                max((row for row in mine if row.ours is side), key=lambda row: by(row, view), default=None) for side in (True, False)
            )
            default = next((best_f1(row, view) for row in mine if row.name.endswith("(default)")), None)
            cells = [f"{row.name.removesuffix(' (default)')} {best_f1(row, view):.3f}" if row else "–" for row in (ours, theirs)]
            gain = "–"
            if ours and theirs and of(ours, "low", view) and of(theirs, "low", view):
                judged = lead(view, ours, theirs)
                between = [result["intervals"]["pairs"]["f1"] for result in reversed(judged["results"])]
                cells = [f"{cell} ({low:.3f}–{high:.3f})" for cell, (low, high) in zip(cells, between)]
                f1 = judged["differences"][0]["f1"]
                low, high = f1["interval"]
                gain = f"{f1['difference']:+.3f} ({low:+.3f} to {high:+.3f})"
                gain = f"**{gain}**" if low > 0 or high < 0 else gain
            body.append([f"{set_.name}, {view.name}", cells[0], number(default), cells[1], gain])
    return lines(["", "best recipe, F1", "`copies`, F1", "best peer, F1", "lead"], body)


def page(rows, notes, version, lead):
    """The page: the notes with the tables in their places."""
    sets = list({row.set_.name: row.set_ for row in rows}.values())
    tables = []
    for set_ in sets:
        mine = [row for row in rows if row.set_ is set_]
        for view in set_.views:
            make = tuned_table if view.tuned else label_table
            tables.append(f"### {set_.name}, {view.name}\n\n{make(mine, view)}")
    notes = notes.replace("{machine}", machine()).replace("{version}", version)
    for place, by in [("{firsts}", best_f1), ("{firsts of half a}", half_a)]:
        notes = notes.replace(place, firsts(sets, rows, lead, by).rstrip())
    return HEAD + notes.replace("{tables}", "\n".join(tables))
