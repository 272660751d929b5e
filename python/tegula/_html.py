"""What notebooks show."""

from __future__ import annotations

import html
import math
from typing import Any

ROWS = 10
"""The rows of a table that are shown."""

_STYLE = (
    "<style>.tegula{font:14px/1.5 system-ui,sans-serif}.tegula table{border-collapse:collapse}"
    # Notebooks have rules of their own for cells, which are as specific.
    ".tegula td,.tegula th{padding:.2em .7em;text-align:left!important;vertical-align:top!important}"
    ".tegula td.n{text-align:right!important;font-variant-numeric:tabular-nums}"
    ".tegula .two td{width:50%;white-space:pre-wrap;border:1px solid #8884}"
    ".tegula mark{background:#f5c24266;color:inherit}.tegula svg text{fill:currentColor;font-size:11px}</style>"
)


def table(columns: dict[str, list[Any]], rows: int) -> str:
    """The first rows of a table that has so many."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    cells = ("".join(map(_cell, row)) for row in zip(*columns.values(), strict=True))
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    more = f"<p>{rows - ROWS:,} more rows</p>" if rows > ROWS else ""
    return _page(f"<table><tr>{head}</tr>{body}</table>{more}")


def _cell(value: Any) -> str:
    if isinstance(value, float) and math.isfinite(value):
        # Not rounded: 1 means equal.
        value = math.trunc(value * 1e4) / 1e4
    kind = " class=n" if type(value) in (int, float) else ""
    return f"<td{kind}>{'' if value is None else html.escape(str(value))}</td>"


def summary(figures: list[tuple[str, str]], scores: list[float], least: dict[str, Any] | None) -> str:
    """The summary of a run, the scores of its removals, and the least similar of them."""
    rows = "".join(
        f"<tr><th>{html.escape(name)}</th><td class=n>{html.escape(value)}</td></tr>" for name, value in figures
    )
    parts = [f"<table>{rows}</table>"]
    if scores:
        parts.append(histogram(scores))
    if least:
        parts.append(side_by_side("Least similar, at", least))
    return _page("".join(parts))


def explanation(case: dict[str, Any] | None, text: str) -> str:
    """A text and its witness, or the explanation as it is written where there is none."""
    return _page(side_by_side("Score", case) if case else f"<pre>{html.escape(text)}</pre>")


def _page(body: str) -> str:
    return f"{_STYLE}<div class=tegula>{body}</div>"


def histogram(scores: list[float]) -> str:
    """How many removals have which score, in twenty bars."""
    low = min(scores)
    low = min(low, 0.95)
    bars = [0] * 20
    for score in scores:
        bars[min(19, int(20 * (score - low) / (1 - low)))] += 1
    most = max(bars)
    shapes = "".join(
        f"<rect x={22 * place} y={60 - 56 * count / most:.1f} width=20 height={56 * count / most:.1f} fill=#3b7dd8>"
        f"<title>{count:,} from {low + place * (1 - low) / 20:.2f}</title></rect>"
        for place, count in enumerate(bars)
    )
    return (
        "<p>Scores of what was found</p><svg width=440 height=78 role=img aria-label='Scores of what was found'>"
        f"{shapes}<text x=0 y=74>{low:.2f}</text><text x=440 y=74 text-anchor=end>1</text></svg>"
    )


def side_by_side(title: str, case: dict[str, Any]) -> str:
    """A text and its witness with their score, and what they share marked."""
    a, b = case["a"], case["b"]
    heads = "".join(f"<th>{html.escape(side['id'])}</th>" for side in (a, b))
    texts = "".join(f"<td>{marked(side['text'], side['shared'])}</td>" for side in (a, b))
    return f"<p>{title} {case['score']:.3f}</p><table class=two><tr>{heads}</tr><tr>{texts}</tr></table>"


def marked(text: str, shared: list[tuple[int, int]], most: int = 1200) -> str:
    """A text with ranges of characters marked, shortened if it is long."""
    out, done = [], 0
    for start, end in shared:
        if start >= most:
            break
        out.append(html.escape(text[done:start]))
        out.append(f"<mark>{html.escape(text[start : min(end, most)])}</mark>")
        done = min(end, most)
    out.append(html.escape(text[done:most]))
    return "".join(out) + ("…" if len(text) > most else "")
