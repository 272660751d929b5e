"""Every command has its function, and data in memory give what files give."""

from __future__ import annotations

import json
import os
import tempfile
import threading

import pyarrow
import pytest
import tegula
from tegula import _tegula

COPY = "the harbour was closed at noon because of the storm said the port authority on monday"
OTHER = "two more ferries were cancelled in the evening by their owners and nobody complained about it"
ROWS = [
    {"id": "a", "source": "s1", "date": "2020-01-01", "text": COPY},
    {"id": "b", "source": "s2", "date": "2020-01-02", "text": OTHER},
    {"id": "c", "source": "s3", "date": "2020-01-03", "text": COPY},
    {"id": "d", "source": "s4", "date": "2020-01-04", "text": COPY + " again"},
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_every_command_has_a_function():
    assert len(_tegula.command_names()) > 20
    for name in _tegula.command_names():
        if name in ("explain", "report"):  # a run has them as methods
            assert callable(getattr(tegula.Run, name))
        elif name in ("index", "query"):
            assert callable(tegula.Index.query)
        else:
            assert callable(getattr(tegula, name)) and name in tegula.__all__, name


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (tegula.passages, {"min_tokens": 5}),
        (tegula.phrases, {"min_tokens": 4, "by": "source"}),
        (tegula.templates, {"min_texts": 2}),
        (tegula.stories, {"date": "date", "by": "source", "min_tokens": 5}),
    ],
)
def test_lists_of_rows_are_those_of_files(path, function, options):
    of_files, of_rows = function(path, **options), function(ROWS, **options)
    assert len(of_rows) > 0 and list(of_rows) == list(of_files)


def test_passages_against_other_texts():
    found = tegula.passages([COPY, OTHER], against=[f"He said: {COPY}."], min_tokens=5)
    assert [row["tokens"] for row in found] == [len(COPY.split())]
    assert found["text"] == [COPY]


def test_figures_of_rows_are_those_of_files(path, tmp_path):
    for function, options in [
        (tegula.sweep, {"ngrams": [3, 5], "thresholds": [0.5, 0.8]}),
        (tegula.stats, {"to": tmp_path / "terms.tsv", "recipe": "cosine"}),
    ]:
        of_files = function(path, **options)
        assert function(ROWS, **options) == of_files and of_files["units"] == 4
    assert tegula.plan(ROWS)["stages"] and "normalise" in str(tegula.plan(path))


def test_copies_among_files(tmp_path):
    (tmp_path / "a.txt").write_text(COPY)
    (tmp_path / "b.txt").write_text(COPY + " again")
    found = tegula.find(tmp_path)
    assert len(found) == 2 and sorted(found["copy_of"], key=bool)[0] is None


def test_lists_of_data_in_memory_leave_no_file(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a temporary folder")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    monkeypatch.chdir(tmp_path)
    for function, options in [
        (tegula.passages, {"min_tokens": 5}),
        (tegula.phrases, {"min_tokens": 5}),
        (tegula.templates, {}),
        (tegula.stories, {"date": "date", "min_tokens": 5}),
    ]:
        assert len(function(ROWS, **options)) > 0
    assert tegula.filter(ROWS) == ROWS[:2]
    assert list(tmp_path.iterdir()) == []


def test_hits_are_filtered_in_the_kind_that_came_in(path, tmp_path):
    assert tegula.filter([row["text"] for row in ROWS]) == [COPY, OTHER]
    assert tegula.filter(ROWS) == ROWS[:2] and tegula.filter(tuple(ROWS)) == tuple(ROWS[:2])
    assert tegula.filter([{"body": COPY}] * 2, text_key="body") == [{"body": COPY}]
    table = tegula.filter(pyarrow.Table.from_pylist(ROWS))
    assert isinstance(table, pyarrow.Table) and table.to_pylist() == ROWS[:2]
    with pytest.raises(tegula.DataError, match="row 1"):
        tegula.filter([{"text": COPY}, {"text": None}])
    figures = tegula.filter(path, to=tmp_path / "kept.jsonl")
    assert (figures["kept"], figures["hidden"]) == (2, 2)
    with pytest.raises(tegula.UsageError, match="to: expected the file"):
        tegula.filter(path)


def test_runs_are_compared_judged_and_repeated(path, tmp_path):
    result, exact = tegula.dedup(ROWS), tegula.dedup(ROWS, recipe="exact")
    found = tegula.diff(result, exact)
    assert found["caught"]["both"]["units"] == 1 and "agree" in str(found)
    tegula.judge(result, to=tmp_path / "judge.html")
    page = (tmp_path / "judge.html").read_text(encoding="utf-8")
    assert COPY in page
    answers = tmp_path / "answers.tsv"
    answers.write_text("id_a\tid_b\tlabel\n" + "".join(f"{a}\t{b}\t1\n" for a, b in ["ac", "ad", "cd"]))
    [precision] = tegula.judge(result, answers=answers)["figures"]
    assert (precision["name"], precision["value"]) == ("precision", 1.0)
    run, out = tmp_path / "run", tmp_path / "out.jsonl"
    tegula.dedup(path, run=run, to=out)
    tegula.rerun(run, tmp_path / "again.jsonl", folder=tmp_path / "again")
    assert (tmp_path / "again.jsonl").read_bytes() == out.read_bytes()


def test_texts_in_memory_are_read_where_they_are(tmp_path):
    result = tegula.dedup(ROWS, scratch=tmp_path)
    files = [name for _, _, names in os.walk(tmp_path) for name in names]
    assert files and all(name.endswith((".parquet", ".json")) for name in files), files
    assert "storm said the port" in str(result.explain("a"))
    result.report(tmp_path / "report.html")
    assert COPY[:30] in (tmp_path / "report.html").read_text(encoding="utf-8")
    # The texts are not in the evidence: without the data, nobody can show them.
    with pytest.raises(tegula.RunFolderError, match="in memory"):
        tegula.open(result.path).explain("a")


def test_errors_name_rows_of_the_data():
    rows = [{"text": COPY}, {"text": None}]
    with pytest.raises(tegula.DataError, match="data: row 1: expected a string") as caught:
        tegula.dedup(rows)
    assert (caught.value.row, caught.value.record, caught.value.path) == (1, 2, None)
    with pytest.raises(tegula.DataError, match="test: row 0: "):
        tegula.dedup({"train": rows[:1], "test": rows[1:]})
    with pytest.raises(tegula.UsageError, match="text_key: expected a column body") as missing:
        tegula.dedup(rows, text_key="body")
    assert "/tmp" not in str(missing.value)


def test_the_old_keyword_of_the_text_is_refused_with_the_new_one():
    with pytest.raises(tegula.UsageError, match="text_key"):
        tegula.dedup(ROWS, text="text")


def test_the_option_text_is_reachable(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(f"<html><body><nav>Home</nav><article><p>{COPY}. {OTHER}.</p></article></body></html>")
    assert len(tegula.dedup(page, text="all").units) == 1
    assert tegula.dedup(page, text="main").summary["balance"]["in"]["units"] == 1


def test_commands_of_several_threads_do_not_disturb_each_other():
    found: dict[int, list[object]] = {}

    def work(number: int) -> None:
        rows = [{"text": f"{number} {row['text']}"} for row in ROWS]
        found[number] = [tegula.phrases(rows, min_tokens=4)["phrase"][0], tegula.sweep(rows, thresholds=[0.5])["units"]]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(str(phrase).startswith(f"{number} the harbour") and units == 4 for number, (phrase, units) in found.items())
    assert len(found) == 4


def test_a_table_is_written(tmp_path):
    table = tegula.phrases(ROWS, min_tokens=4)
    table.write(tmp_path / "phrases.parquet")
    assert list(tegula.Table.read(tmp_path / "phrases.parquet")) == list(table)


def test_rows_that_cannot_be_read_beside_references_are_not_mixed_up():
    # As many references as rows that are skipped.
    rows = [{"text": OTHER}, {"text": None}, {"text": COPY}]
    result = tegula.dedup(rows, against=[COPY], on_bad_record="skip")
    assert (result.kept, result.removed) == ([rows[0]], [rows[2]])
