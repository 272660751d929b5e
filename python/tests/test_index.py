"""An index that is asked, from several threads, while it changes."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import tegula

HARBOUR = "the harbour was closed at noon because of the storm the port authority said on monday"
FERRIES = "two more ferries were cancelled in the evening and nobody knows when they sail"


@pytest.fixture
def index(tmp_path: Path) -> tegula.Index:
    index = tegula.Index(tmp_path / "a.idx", recipe="copies", fields=["day"])
    rows = [{"id": "a", "text": HARBOUR, "day": "2020-01-01"}, {"id": "b", "text": FERRIES, "day": "2021-01-01"}]
    assert index.add(rows)["added"] == 2
    return index


def test_a_text_is_asked_about(index: tegula.Index) -> None:
    assert len(index) == 2 and "a" in index and "c" not in index and index.text("b") == FERRIES
    assert index.query(HARBOUR[:70]) == [{"id": "a", "score": 1.0, "shared": 9, "day": "2020-01-01"}]
    (found,) = index.query(HARBOUR + " and more", passages=True, top=1)
    assert found["passages"][0]["end_a"] == len(HARBOUR)
    assert index.query("nothing of that kind", threshold=0.1) == []
    assert [found["id"] for found in index.query(HARBOUR + " " + FERRIES, top=5)] == ["a", "b"]
    with pytest.raises(tegula.UsageError, match="^top: expected a whole number"):
        index.query(HARBOUR, top=-1)
    assert str(index).endswith("2 texts")


def test_a_string_that_names_a_file_is_a_text_with_a_warning(
    index: tegula.Index, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "a.txt"
    file.write_text(HARBOUR, encoding="utf-8")
    assert index.query(str(file)) == []
    assert "names a file" in caplog.text
    assert index.query(file)[0]["matches"][0]["id"] == "a"


def test_data_of_any_kind_are_asked_about_and_added(index: tegula.Index, tmp_path: Path) -> None:
    answers = index.query([HARBOUR, "nothing of that kind", FERRIES])
    assert [[found["id"] for found in answer["matches"]] for answer in answers] == [["a"], [], ["b"]]
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"key": ["x", "y"], "body": [HARBOUR, FERRIES], "day": ["2024-01-01", None]})
    answers = index.query(frame, text_key="body", id="key")
    assert [answer["id"] for answer in answers] == ["x", "y"]
    assert index.add(frame, text_key="body", id="key")["added"] == 2
    assert index.query(HARBOUR)[1]["day"] == "2024-01-01"
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps({"id": "f", "text": "something else entirely", "day": "2020-02-02"}) + "\n")
    assert index.query(file)[0]["matches"] == []
    assert index.add(file)["texts"] == 5


def test_what_is_there_is_refused_replaced_or_passed_over(index: tegula.Index) -> None:
    row = {"id": "a", "text": "another text than before", "day": "2020-01-01"}
    with pytest.raises(tegula.DataError, match="'a'"):
        index.add([row])
    assert len(index) == 2
    assert index.add([row], skip_known=True)["skipped"] == 1
    assert index.add([row], replace=True)["removed"] == 1
    assert index.text("a") == row["text"]
    assert index.remove(["a", "none"])["unknown"] == 1
    assert index.expire("day=4w")["removed"] == 1
    assert len(index) == 0
    index.merge()
    index.check()
    with pytest.raises(tegula.UsageError, match="recipe"):
        tegula.Index(index.path, recipe="ssr")


def test_an_index_is_used_where_files_are(index: tegula.Index) -> None:
    result = tegula.dedup([HARBOUR, "a text that is new"], against=Path(index.path))
    assert result.kept == ["a text that is new"]


def test_threads_ask_while_texts_are_added(index: tegula.Index) -> None:
    wrong: list[object] = []

    def ask() -> None:
        for _ in range(100):
            found = index.query(HARBOUR)
            if [one["id"] for one in found] != ["a"]:
                wrong.append(found)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(6):
        index.add([{"id": f"n{number}", "text": f"{FERRIES} {number}", "day": None}])
    for thread in threads:
        thread.join()
    assert not wrong and len(index) == 8
    with tegula.Index(index.path) as other:
        assert len(other) == 8


def test_what_is_misspelt_missing_or_empty_is_said_or_does_nothing(index: tegula.Index, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="did you mean threshold"):
        index.query(HARBOUR, treshold=0.9)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="text_key"):
        index.query(HARBOUR, text_key="body")  # type: ignore[call-overload]
    assert index.remove([])["removed"] == 0
    # Later texts may lack a field that is kept.
    assert index.add([{"id": "c", "text": "nothing is known of the day of this text"}])["added"] == 1
    assert index.add(["a text alone, which has a number instead of an id"])["added"] == 1
    assert index.remove(["a", "none"], dry_run=True)["removed"] == 1 and index.expire("day=4w", dry_run=True)["removed"] == 2
    assert len(index) == 4
    with pytest.raises(tegula.FileError, match="name a recipe"):
        tegula.Index(tmp_path / "none.idx")
    with pytest.raises(tegula.UsageError, match="fields"):
        tegula.Index(index.path, fields=["other"])
