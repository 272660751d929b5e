"""Errors name keyword arguments, and no value of any type crashes the interpreter."""

from __future__ import annotations

import errno
import itertools
from fractions import Fraction

import pytest
import tegula

TEXTS = ["one two three four five six seven", "one two three four five six eight"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"threshold": 2}, tegula.UsageError, "threshold"),
        ({"threshold": "a"}, ValueError, "threshold"),
        ({"recipe": "copis"}, tegula.UsageError, "there is no recipe 'copis'"),
        ({"unit": "word"}, tegula.UsageError, "unit"),
        ({"keep": "newest:date"}, tegula.UsageError, "keep: expected rows with a field date"),
        ({"memory": "1K"}, tegula.UsageError, "memory: expected at least 64M"),
        ({"set": {"normalise.case": "x"}}, tegula.UsageError, "set normalise.case"),
        ({"text_key": ["a", "b"]}, tegula.UsageError, "text_key"),
        ({"text": "body"}, tegula.UsageError, "named by text_key"),
        ({"id_key": "n"}, TypeError, "unexpected keyword argument 'id_key'"),
        ({"config": 3}, TypeError, "config"),
        ({"to": "out.jsonl"}, tegula.UsageError, "to: expected files"),
        ({"treshold": 0.5}, TypeError, "did you mean threshold"),
        ({"strict_ids": "yes"}, TypeError, "strict_ids: expected True or False"),
        ({"min_tokens": object()}, TypeError, "min_tokens"),
        ({"against": 5}, TypeError, "found int"),
    ],
)
def test_wrong_arguments(options, error, message):
    with pytest.raises(error, match=message) as caught:
        tegula.dedup(TEXTS, **options)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (5, TypeError, "found int"),
        (None, TypeError, "found NoneType"),
        (b"bytes", TypeError, "decode"),
        ([1, 2], tegula.DataError, 'row 0: expected a string in the column "text", found int'),
        (["a", 2], tegula.DataError, 'row 1: expected a string in the column "text", found int'),
        ([{"text": "a"}, {"text": 2}], tegula.DataError, 'row 1: expected a string in the column "text", found int'),
        ([{"text": "a"}, 7], tegula.UsageError, "mapping"),
        ([{"body": "a"}], tegula.UsageError, "expected a column text, found none"),
        (["\ud800"], ValueError, "lone surrogate"),
        ({"a/b": ["x"]}, tegula.UsageError, "a/b"),
        ({"a": 5}, TypeError, "found int"),
        ("/no/such/file.jsonl", tegula.FileError, "no/such/file.jsonl"),
    ],
)
def test_wrong_data(data, error, message):
    with pytest.raises(error, match=message):
        tegula.dedup(data)


def test_errors_of_the_system_have_its_number():
    with pytest.raises(tegula.FileError) as caught:
        tegula.dedup("/no/such/file.jsonl")
    assert caught.value.errno == errno.ENOENT
    assert str(caught.value).startswith("/no/such/file.jsonl: ")


def test_a_missing_text_is_an_error_unless_skipped():
    rows = [{"text": TEXTS[0]}, {"text": None}, {"text": TEXTS[0]}]
    with pytest.raises(tegula.DataError) as caught:
        tegula.dedup(rows)
    assert caught.value.record == 2
    assert tegula.dedup(rows, on_bad_record="skip", keep="first").kept == [rows[0]]


def test_values_that_are_no_strings_are_bad_records_as_missing_ones_are(tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = [{"text": TEXTS[0]}, {"text": 5}, {"text": TEXTS[0]}, {"text": None}]
    frame = pandas.DataFrame(rows)
    for data in (rows, [row["text"] for row in rows], frame):
        with pytest.raises(tegula.DataError, match='row 1: .*, found int\n.*on_bad_record="skip"') as caught:
            tegula.dedup(data)
        assert caught.value.row == 1
        result = tegula.dedup(data, on_bad_record="skip", keep="first")
        assert len(result.kept) == len(result.removed) == 1
        assert [warning.split(": expected")[0] for warning in result.warnings[:2]] == ["skipped: data: row 1", "skipped: data: row 3"]
    pandas.testing.assert_frame_equal(tegula.dedup(frame, on_bad_record="skip", keep="first").kept, frame.iloc[[0]])
    marked = tegula.mark(frame, on_bad_record="skip", keep="first").marked
    assert marked["text"].tolist()[1] == 5 and marked["duplicate_of"].dropna().to_dict() == {2: "0"}
    assert tegula.filter(rows, on_bad_record="skip") == rows[:1]
    tegula.dedup({"a": TEXTS, "b": ["x", 1.5]}, on_bad_record="quarantine", quarantine=tmp_path / "bad")
    assert (tmp_path / "bad" / "records.tsv").read_text(encoding="utf-8").endswith("found float\n")


def test_errors_carry_advice_and_place(tmp_path):
    path = tmp_path / "broken.jsonl"
    path.write_text('{"text": "a"}\n{"text": \n', encoding="utf-8")
    with pytest.raises(tegula.DataError) as caught:
        tegula.dedup(path)
    assert caught.value.path == path and caught.value.record == 2
    assert isinstance(caught.value, tegula.TegulaError)


def test_nothing_stays_after_an_error(tmp_path):
    with pytest.raises(tegula.DataError):
        tegula.dedup([{"text": None}], scratch=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_values_of_all_types():
    assert tegula.dedup(TEXTS, threshold=Fraction(4, 5)).recipe["threshold"] == "0.8"
    assert tegula.dedup(TEXTS, threshold="80%").recipe["threshold"] == "0.8"
    with pytest.raises(tegula.UsageError):
        tegula.dedup(TEXTS, threshold=1e-9 / 1e9)
    with pytest.raises(TypeError):
        tegula.dedup(TEXTS, threshold=True)


WEIRD = [None, True, -1, 0, 2**80, 1.5, float("nan"), float("inf"), "", "\0", "--help", "-", "a" * 10_000, b"x", [], ["a"], {}, (), object(), len]


@pytest.mark.parametrize("option", ["threshold", "recipe", "keep", "within", "unit", "memory", "threads", "min_tokens", "set", "format", "window", "text", "text_key", "id"])
def test_no_value_crashes_the_interpreter(option):
    for value in WEIRD:
        try:
            tegula.dedup(TEXTS, progress=False, **{option: value})
        except (tegula.TegulaError, TypeError, ValueError, OSError):
            pass


def test_no_data_crashes_the_interpreter():
    alone = [data for a in WEIRD for data in (a, (a, a))]
    together = [data for a, b in itertools.product(WEIRD, repeat=2) for data in ([a, b], {"x": a, "y": b}, [{"text": a, "id": b}])]
    for data in alone + together:
        # Names of files, which these are as well, have tests of their own.
        if data in ("-", "--help", "", "\0"):
            continue
        try:
            tegula.dedup(data, progress=False)
        except (tegula.TegulaError, TypeError, ValueError, OSError):
            pass


def test_weird_features():
    for text in ["", "\0", "a" * 100_000]:
        assert isinstance(tegula.simhash(text), int)
    with pytest.raises((tegula.UsageError, OverflowError)):
        tegula.fingerprints("a b", ngram=0)
    with pytest.raises((TypeError, OverflowError)):
        tegula.Join(0.5).pairs([[-1]])
    with pytest.raises(TypeError):
        tegula.tokens(5)


@pytest.mark.parametrize(
    ("arguments", "option", "expected", "found"),
    [
        ({"threshold": 2}, "threshold", "a number above 0 and at most 1, such as 0.8, 80% or 4/5", "'2'"),
        ({"unit": "word"}, "unit", "document, paragraph, line, sentence, passage", "'word'"),
        ({"text_key": ["a", "b"]}, "text_key", "one column for data in memory", "several"),
        ({"id": "nr"}, "id", "rows with a field nr", "texts alone"),
    ],
)
def test_errors_have_parts(arguments, option, expected, found):
    with pytest.raises(tegula.UsageError) as caught:
        tegula.dedup(["a text"], **arguments)
    error = caught.value
    assert (error.option, error.expected, error.found) == (option, expected, found)
