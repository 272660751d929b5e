"""The measured cells as tables, and the pages that they are part of."""

from dataclasses import dataclass

from measured import machine
from sets import APART

HEAD = """# {title}

<!-- Made by bench/quality/run.py; the text between the tables is bench/quality/{source}. -->

"""
TITLES = {"summary.md": "Quality", "notes.md": "Quality: all results"}
LEAST = 0.9


@dataclass
class Row:
    """What a method came to on a set."""

    set_: object
    name: str
    ours: bool
    one: str | None  # the method that it is a setting of, in the table of one setting for all sets
    variant: bool | None  # a setting of a recipe that shows what a part of it does, and is not for use
    cell: dict


def shingle(kind):
    """A kind of shingle, as it is called in tables."""
    size, unit = int(kind[-1]), {"word": "word", "char": "character"}[kind[:-1]]
    return f"{size} {unit}{'s' if size > 1 else ''}"


def shown(row):
    """The name of a row: peers are in italics."""
    return row.name if row.ours else f"*{row.name}*"


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
        name = shown(row)
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
        name = shown(row)
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


def best(rows, view):
    """The row with the best F1 on half a."""
    return max(rows, key=lambda row: half_a(row, view), default=None)


def between(interval):
    low, high = interval
    return f"({low:.3f}–{high:.3f})"


def firsts(rows, lead, views):
    """The best recipe and the best peer by view, chosen on half a, with their F1 on half b, intervals and the lead, which is in bold where
    its interval excludes 0."""
    body = []
    for set_ in sets_of(rows):
        for view in set_.views:
            if not view.tuned or view.name not in views:
                continue
            mine = [row for row in rows if row.set_ is set_ and not row.variant]
            ours, theirs = (best([row for row in mine if row.ours is side], view) for side in (True, False))
            default = next((best_f1(row, view) for row in mine if row.name.endswith("(default)")), None)
            cells = [f"{row.name.removesuffix(' (default)')} {best_f1(row, view):.3f}" if row else "–" for row in (ours, theirs)]
            gain = "–"
            if ours and theirs and of(ours, "low", view) and of(theirs, "low", view):
                judged = lead(view, ours, theirs)
                spans = [result["intervals"]["pairs"]["f1"] for result in reversed(judged["results"])]
                cells = [f"{cell} {between(span)}" for cell, span in zip(cells, spans)]
                f1 = judged["differences"][0]["f1"]
                low, high = f1["interval"]
                gain = f"{f1['difference']:+.3f} ({low:+.3f} to {high:+.3f})"
                gain = f"**{gain}**" if low > 0 or high < 0 else gain
            body.append([f"{set_.name}, {view.name}", cells[0], number(default), cells[1], gain])
    return lines(["", "best recipe, F1", "`copies`, F1", "best peer, F1", "lead"], body)


def versions_of(rows):
    """The sets of versions, their view by provenance, and by method and setting its rows on all of them, in this order."""
    views = {set_.name: view for set_ in sets_of(rows) for view in set_.views if view.name == "provenance"}
    methods = {}
    for row in rows:
        if row.one and row.set_.name in views and of(row, "low", views[row.set_.name]):
            methods.setdefault(row.one, {}).setdefault(row.name, []).append(row)
    return views, {one: whole for one, named in methods.items() if (whole := [all_ for all_ in named.values() if len(all_) == len(views)])}


def of_set(settings, name, view):
    """The setting that is best on half a of a set."""
    return best([row for all_ in settings for row in all_ if row.set_.name == name], view)


def one_setting(rows, harness, whole):
    """Each method with the shingle and the threshold that suit all sets of versions best on half a, with a precision of at least LEAST on
    each but APART; F1 and precision on half b. The whole table has variants and the intervals of each set."""
    views, methods = versions_of(rows)
    body = []
    for settings in methods.values():
        if settings[0][0].variant and not whole:
            continue
        choices = []
        for all_ in settings:
            curves = [harness.curve(views[row.set_.name], row) for row in all_]
            for threshold in set.intersection(*map(set, curves)):
                points = [curve[threshold] for curve in curves]
                lowest = min(precision or 0.0 for row, (precision, _) in zip(all_, points) if row.set_.name != APART)
                choices.append((lowest >= LEAST, sum(f1 or 0.0 for _, f1 in points) / len(points), threshold, all_))
        reaches, _, threshold, all_ = max(choices, key=lambda choice: choice[:3])
        if not reaches:
            body.append([shown(all_[0]), "none", *["–"] * (len(views) + 3)])
            continue
        found = [harness.at(views[row.set_.name], row, threshold) for row in all_]
        cells, mean, spread = [], 0.0, 0.0
        for one in found:
            low, high = one["intervals"]["pairs"]["f1"]
            mean += one["pairs"]["f1"] / len(found)
            spread += ((high - low) / 2 / len(found)) ** 2
            cells.append(f"{one['pairs']['f1']:.3f} {between((low, high)) + ' ' if whole else ''}/ {one['pairs']['precision']:.3f}")
        lowest = min(one["pairs"]["precision"] for row, one in zip(all_, found) if row.set_.name != APART)
        each = sum(best_f1(of_set(settings, name, view), view) for name, view in views.items())
        name = shown(all_[0]).replace(" (default)", "")
        body.append([name, threshold, *cells, f"{mean:.3f} ± {spread**0.5:.3f}", number(lowest), number(each / len(views))])
    return lines(["", "threshold", *views, "mean F1", f"lowest P but {APART}", "mean F1, setting of each set"], body)


def each_set(rows):
    """F1 on half b of each method, with the shingle and the threshold chosen for each set on half a."""
    views, methods = versions_of(rows)
    body = []
    for one, settings in methods.items():
        if settings[0][0].variant:
            continue
        chosen = [(of_set(settings, name, view), view) for name, view in views.items()]
        found = [best_f1(row, view) for row, view in chosen]
        kinds = [row.name.removeprefix(one).partition(", ")[2] for row, _ in chosen]
        cells = [f"{f1:.3f} ({kind})" if kind else number(f1) for f1, kind in zip(found, kinds)]
        body.append([one if settings[0][0].ours else f"*{one}*", *cells, number(sum(found) / len(found))])
    return lines(["", *views, "mean"], body)


def sets_of(rows):
    return list({row.set_.name: row.set_ for row in rows}.values())


def places(rows, version, harness):
    """What stands in the places of the pages."""
    tables = []
    for set_ in sets_of(rows):
        mine = [row for row in rows if row.set_ is set_]
        for view in set_.views:
            make = tuned_table if view.tuned else label_table
            tables.append(f"### {set_.name}, {view.name}\n\n{make(mine, view)}")
    firsts_of = {view.name for set_ in sets_of(rows) for view in set_.views}
    return {
        "machine": machine(),
        "version": version,
        "firsts": firsts(rows, harness.lead, firsts_of),
        "one setting": one_setting(rows, harness, whole=False),
        "one setting, all": one_setting(rows, harness, whole=True),
        "each set": each_set(rows),
        "tables": "\n".join(tables),
    }


def page(source, text, places):
    """A page: its text with the tables in their places."""
    for place, made in places.items():
        text = text.replace("{" + place + "}", made.rstrip())
    return HEAD.format(title=TITLES[source], source=source) + text
