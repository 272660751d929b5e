"""What comes in comes out: the same rows, in the same kind."""

from __future__ import annotations

import pytest
import tegula

TEXTS = [
    "The harbour was closed at noon because of the storm, the port authority said on Monday.",
    "Two more ferries were cancelled in the evening by their owners.",
    "HARBOUR NEWS: The harbour was closed at noon because of the storm, the port authority said on Monday.",
    "Žltý kôň sa pásol na lúke za dedinou, kde nebolo nikoho okrem neho 🐎.",
]
ROWS = [{"name": f"n{number}", "text": text, "year": 2000 + number} for number, text in enumerate(TEXTS)]
KEPT = [1, 2, 3]


def test_strings_and_rows():
    assert tegula.dedup(TEXTS).kept == [TEXTS[row] for row in KEPT]
    assert tegula.dedup(tuple(TEXTS)).removed == (TEXTS[0],)
    assert tegula.dedup(iter(TEXTS)).kept == [TEXTS[row] for row in KEPT]
    assert tegula.dedup(ROWS, id="name").kept == [ROWS[row] for row in KEPT]
    assert tegula.dedup(ROWS, keep="oldest:year").removed == [ROWS[2]]
    assert tegula.dedup(ROWS, within="year").removed == []
    assert tegula.dedup([{"body": text} for text in TEXTS], text_key="body").removed == [{"body": TEXTS[0]}]


def test_several_collections_by_name():
    result = tegula.dedup({"b": TEXTS[:2], "a": TEXTS[2:]}, keep="first")
    assert result.kept == {"b": TEXTS[:2], "a": [TEXTS[3]]}
    assert result.removed == {"b": [], "a": [TEXTS[2]]}
    cut = tegula.dedup({"b": [f"{TEXTS[0]}\n\n{TEXTS[1]}"], "a": [f"{TEXTS[0]}\n\n{TEXTS[3]}"]}, unit="paragraph")
    assert cut.kept == {"b": [f"{TEXTS[0]}\n\n{TEXTS[1]}"], "a": [TEXTS[3]]}


def test_what_the_caller_does_to_the_data_later_changes_nothing():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    texts, rows, frame, other = list(TEXTS), list(ROWS), pandas.DataFrame(ROWS), polars.DataFrame(ROWS)
    results = [tegula.dedup(data) for data in (texts, rows, frame, other)]
    texts.reverse()
    rows.reverse()
    frame.sort_values("year", ascending=False, inplace=True, ignore_index=True)
    frame.drop(index=0, inplace=True)
    other.drop_in_place("year")
    expected = [ROWS[row] for row in KEPT]
    assert results[0].kept == [row["text"] for row in expected]
    assert results[1].kept == expected
    assert results[2].kept.to_dict("records") == expected
    assert results[3].kept.to_dicts() == expected


def test_figures_are_added_to_what_is_kept_or_marked():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    result = tegula.dedup(ROWS, add=["copies", "copies_by:year", "rank"])
    assert result.kept[1] == {**ROWS[2], "copies": 1, "copies_by_year": '{"2000":1}', "rank": 1}
    assert result.kept[0]["copies"] == 0 and result.removed == [ROWS[0]]
    assert result.at(1).kept[0]["copies"] == 0
    assert tegula.dedup(TEXTS, add="copies").kept[1] == {"text": TEXTS[2], "copies": 1}
    assert list(tegula.dedup(polars.DataFrame(ROWS), add="rank").kept["rank"]) == [1, 1, 1]
    marked = tegula.mark(pandas.DataFrame(ROWS), add="copies").marked
    assert str(marked["copies"].dtype) == "Int64" and marked["copies"].isna().tolist() == [True, False, False, False]
    with pytest.raises(tegula.DataError, match="rank"):
        tegula.dedup([{"text": "a", "rank": 1}], add="rank")
    for option in ("removed", "to"):
        with pytest.raises(tegula.UsageError, match="data in memory"):
            tegula.dedup(ROWS, **{option: "x.parquet"})


def test_views_of_strings_are_given_back():
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    if not hasattr(polars.DataFrame, "__arrow_c_stream__"):
        pytest.skip("from before the interface")
    table = pyarrow.table(polars.DataFrame(ROWS))
    result = tegula.dedup(table)
    assert result.kept.schema == table.schema and result.kept.to_pylist() == [ROWS[row] for row in KEPT]
    assert result.removed.to_pylist() == [ROWS[0]]


def test_empty_data():
    assert tegula.dedup([]).kept == []
    assert tegula.dedup([], unit="paragraph").kept == []


MARKED = {"duplicate_of": ["n2", None, None, None], "duplicate_score": [1.0, None, None, None], "cluster_id": ["n0", None, "n0", None]}
MARKED_ROWS = [{**row, **dict(zip(MARKED, marks))} for row, marks in zip(ROWS, zip(*MARKED.values()))]


def test_marks_of_strings_and_rows():
    assert tegula.mark(ROWS, id="name").marked == MARKED_ROWS
    assert tegula.mark(tuple(ROWS), id="name").marked == tuple(MARKED_ROWS)
    marked = tegula.mark(TEXTS, mark_prefix="x_").marked
    assert marked[0] == {"text": TEXTS[0], "x_duplicate_of": "2", "x_duplicate_score": 1.0, "x_cluster_id": "0"}
    several = tegula.mark({"b": TEXTS[:2], "a": TEXTS[2:]}, keep="first").marked
    assert several["a"][0]["duplicate_of"] == several["b"][0]["cluster_id"] and several["b"][1]["cluster_id"] is None
    assert tegula.mark([]).marked == []
    with pytest.raises(tegula.UsageError, match="tegula.mark"):
        tegula.dedup(TEXTS).marked


def test_marks_of_parts_are_spans():
    result = tegula.mark([f"{TEXTS[1]}\n\n{TEXTS[3]}", f"{TEXTS[0]}\n\n{TEXTS[1]}"], unit="paragraph", keep="first")
    assert [row["duplicate_spans"] for row in result.marked] == [
        [],
        [{"start": len(TEXTS[0]) + 2, "end": len(TEXTS[0]) + 2 + len(TEXTS[1]), "duplicate_of": "0#p1", "score": 1.0}],
    ]
    assert len(result.kept) == 2 and result.removed == []


def test_marks_have_names_of_their_own():
    rows = [{"text": text, "cluster_id": 1} for text in TEXTS]
    with pytest.raises(tegula.DataError, match="mark_prefix"):
        tegula.mark(rows)
    assert tegula.mark(rows, mark_prefix="new_").marked[2]["new_cluster_id"] == "0"


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, index=[10, 20, 30, 40])
    result = tegula.dedup(frame, id="name")
    pandas.testing.assert_frame_equal(result.kept, frame.iloc[KEPT])
    series = pandas.Series(TEXTS, name="text")
    pandas.testing.assert_series_equal(tegula.dedup(series).removed, series.iloc[[0]])
    marked = tegula.mark(frame, id="name").marked
    assert tegula.mark(frame).marked["duplicate_of"].dropna().to_dict() == {10: "2"}  # a position
    assert marked["duplicate_of"].dropna().to_dict() == {10: "n2"} and marked["duplicate_score"].dtype == "float64"
    assert list(tegula.mark(series).marked.columns) == ["text", *MARKED]
    assert list(result.verdicts.to_pandas()["id"]) == ["n0", "n1", "n2", "n3"]
    cut = tegula.dedup(pandas.DataFrame({"text": [f"{TEXTS[0]}\n\n{TEXTS[1]}", f"{TEXTS[3]}\n\n{TEXTS[0]}"]}), unit="paragraph")
    assert list(cut.kept["text"]) == [f"{TEXTS[0]}\n\n{TEXTS[1]}", f"{TEXTS[3]}\n\n"]


def test_columns_of_pandas_may_have_numbers_as_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[f"n{number}", text] for number, text in enumerate(TEXTS)])
    for text, name in ((1, 0), ("1", "0")):
        pandas.testing.assert_frame_equal(tegula.dedup(frame, text_key=text, id=name).kept, frame.iloc[KEPT])
        assert tegula.mark(frame, text_key=text, id=name).marked.columns.tolist() == [0, 1, *MARKED]
        assert len(tegula.filter(frame, text_key=text)) == 3
    double = pandas.DataFrame([[f"{TEXTS[0]}\n\n{TEXTS[1]}"], [f"{TEXTS[3]}\n\n{TEXTS[0]}"]])
    cut = tegula.dedup(double, text_key=0, unit="paragraph").kept
    assert cut.columns.tolist() == [0] and cut[0].tolist() == [f"{TEXTS[0]}\n\n{TEXTS[1]}", f"{TEXTS[3]}\n\n"]
    assert tegula.dedup([{1: text} for text in TEXTS], text_key=1).removed == [{1: TEXTS[0]}]
    with pytest.raises(tegula.UsageError, match="several of that name"):
        tegula.dedup(pandas.DataFrame([TEXTS[:2]], columns=[1, "1"]), text_key=1)
    with pytest.raises(tegula.UsageError, match="the columns are 0, 1"):
        tegula.filter(frame)


def test_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(ROWS)
    assert tegula.dedup(frame).kept.equals(frame[KEPT])
    lazy = tegula.dedup(frame.lazy()).kept
    assert isinstance(lazy, polars.LazyFrame) and lazy.collect().equals(frame[KEPT])
    assert tegula.dedup(frame["text"]).kept.to_list() == [TEXTS[row] for row in KEPT]
    assert tegula.dedup(frame).verdicts.to_polars()["verdict"].to_list() == ["removed", "kept", "kept", "kept"]
    marked = tegula.mark(frame, id="name").marked
    assert marked.to_dicts() == MARKED_ROWS and marked.schema["duplicate_score"] == polars.Float64
    assert tegula.mark(frame.lazy(), id="name").marked.collect().equals(marked)
    assert tegula.mark(frame["text"]).marked.columns == ["text", *MARKED]
    double = polars.DataFrame({"text": [f"{TEXTS[0]}\n\n{TEXTS[1]}", f"{TEXTS[3]}\n\n{TEXTS[0]}"], "n": [1, 2]})
    assert tegula.dedup(double, unit="paragraph").kept["text"].to_list() == [f"{TEXTS[0]}\n\n{TEXTS[1]}", f"{TEXTS[3]}\n\n"]


def test_pyarrow():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(ROWS)
    assert tegula.dedup(table).kept.equals(table.take(KEPT))
    assert tegula.dedup(table.to_batches()[0]).kept.equals(table.take(KEPT))
    chunked = pyarrow.concat_tables([table.slice(0, 1), table.slice(1, 2), table.slice(3)])
    assert tegula.dedup(chunked).kept.equals(table.take(KEPT)) and tegula.dedup(chunked).removed.equals(table.slice(0, 1))
    assert tegula.mark(table, id="name").marked.to_pylist() == MARKED_ROWS
    for column in (table["text"].cast(pyarrow.large_string()), table["text"].dictionary_encode()):
        cast = table.set_column(1, "text", column)
        assert tegula.dedup(cast).kept["text"].to_pylist() == [TEXTS[row] for row in KEPT], column.type
    assert tegula.dedup(table).pairs.to_pyarrow().num_rows == 1
    with pytest.raises(tegula.DataError, match="set text_key to the column"):
        tegula.dedup(table, text_key="year")


def test_arrays_of_pyarrow_are_texts():
    pyarrow = pytest.importorskip("pyarrow")
    views = [pyarrow.string_view()] if hasattr(pyarrow, "string_view") else []
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), *views):
        array = pyarrow.array(TEXTS, kind)
        for data in (array, pyarrow.chunked_array([array.slice(0, 2), array.slice(2)])):
            result = tegula.dedup(data)
            assert type(result.kept) is type(data) and result.kept.type == kind
            assert result.kept.to_pylist() == [TEXTS[row] for row in KEPT] and result.removed.to_pylist() == TEXTS[:1]
            marked = tegula.mark(data).marked
            assert marked.column_names == ["text", *MARKED] and marked["duplicate_of"].to_pylist() == ["2", None, None, None]
    double = pyarrow.array([f"{TEXTS[0]}\n\n{TEXTS[1]}", f"{TEXTS[3]}\n\n{TEXTS[0]}"])
    assert tegula.dedup(double, unit="paragraph", text_key="body").kept.to_pylist() == [double[0].as_py(), f"{TEXTS[3]}\n\n"]
    missing = pyarrow.array([TEXTS[0], None, TEXTS[0]])
    assert tegula.dedup(missing, on_bad_record="skip").kept.to_pylist() == TEXTS[:1]
    assert tegula.filter(array).to_pylist() == [TEXTS[row] for row in (0, 1, 3)]
    assert tegula.dedup(pyarrow.array([], pyarrow.string())).kept.to_pylist() == []
    with pytest.raises(tegula.DataError, match="expected strings"):
        tegula.dedup(pyarrow.array([1, 2]))


def test_anything_with_the_stream_interface():
    pyarrow = pytest.importorskip("pyarrow")

    class Mine:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.Table.from_pylist(ROWS).__arrow_c_stream__(requested_schema)

    kept = tegula.dedup(Mine()).kept
    assert isinstance(kept, tegula.Table) and kept["text"] == [TEXTS[row] for row in KEPT]
    assert tegula.dedup(kept).kept["text"] == kept["text"]
    assert tegula.mark(Mine(), id="name").marked.to_pylist() == MARKED_ROWS


def test_hugging_face():
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_list(ROWS)
    assert tegula.dedup(dataset, id="name").kept["name"] == ["n1", "n2", "n3"]
    shuffled = dataset.select([2, 0, 1])
    assert tegula.dedup(shuffled, keep="first").kept["name"] == ["n2", "n1"]
    both = datasets.DatasetDict({"train": dataset.select([0, 1]), "test": dataset.select([2, 3])})
    kept = tegula.dedup(both, keep="first").kept
    assert list(kept) == ["train", "test"] and kept["test"]["name"] == ["n3"]
    assert tegula.mark(shuffled, id="name").marked["duplicate_of"][:] == [None, "n2", None]
    assert tegula.mark(both, id="name").marked["test"]["cluster_id"][:] == ["n0", None]
    cut = tegula.dedup(datasets.Dataset.from_dict({"text": [f"{TEXTS[0]}\n\n{TEXTS[1]}", f"{TEXTS[3]}\n\n{TEXTS[0]}"]}), unit="paragraph")
    assert list(cut.kept["text"]) == [f"{TEXTS[0]}\n\n{TEXTS[1]}", f"{TEXTS[3]}\n\n"]


def test_files_and_globs(tmp_path):
    out, tmp_path = tmp_path / "clean", tmp_path / "texts"
    tmp_path.mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    result = tegula.dedup(tmp_path)
    assert result.kept["file"] == ["1.txt", "2.txt", "3.txt"]
    assert result.removed["id"] == ["0.txt"]
    result.write(out)
    assert sorted(path.name for path in out.glob("*.txt")) == ["1.txt", "2.txt", "3.txt"]
    assert tegula.dedup(str(tmp_path / "*.txt")).kept["file"] == result.kept["file"]
    assert len(tegula.dedup([tmp_path / "0.txt", tmp_path / "2.txt"]).kept) == 1
    with pytest.raises(tegula.UsageError, match="found none"):
        tegula.dedup(str(tmp_path / "*.jsonl"))


def test_messages_of_every_script_come_through():
    texts = ["مرحبا بالعالم في هذا اليوم الجميل", "再见世界今天天气很好我们去公园", "", "\x00\x01 a\nb\tc", "e\u0301té " * 9]
    assert tegula.dedup(texts, recipe="exact").kept == texts
