"""The answers are those of the command line."""

from __future__ import annotations

import json

import pytest
import tegula


def test_files_give_the_bytes_of_the_command_line(tegula_command, peps_path, tmp_path):
    tegula_command("dedup", peps_path, "-o", tmp_path / "a.jsonl", "--run", tmp_path / "a", "--evidence", "all", "-q")
    result = tegula.dedup(peps_path, to=tmp_path / "b.jsonl", run=tmp_path / "b")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    tables = sorted(path.name for path in (tmp_path / "a").glob("*.parquet"))
    assert tables == ["clusters.parquet", "groups.parquet", "pairs.parquet", "units.parquet", "verdicts.parquet"]
    for table in tables:
        assert (tmp_path / "a" / table).read_bytes() == (tmp_path / "b" / table).read_bytes(), table
    assert result.summary["balance"]["removed"]["units"] > 0


def test_rows_in_memory_have_the_same_survivors(tegula_command, peps, peps_path, tmp_path):
    tegula_command("dedup", peps_path, "-o", tmp_path / "a.jsonl", "-q")
    kept = [json.loads(line)["id"] for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    result = tegula.dedup(peps)
    assert [row["id"] for row in result.kept] == kept
    assert len(result.kept) + len(result.removed) == len(peps)
    assert all(row in peps for row in result.removed)


def test_a_mixed_collection_is_judged_by_both_stages(tegula_command, peps, tmp_path):
    short = [{"id": f"s{at}", "text": f"meet me at {at % 30} in town {at // 30}"} for at in range(60)]
    rows = [*short, *peps[:60], {"id": "in", "text": peps[3]["text"][100:180]}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    tegula_command("dedup", tmp_path / "in.jsonl", "--recipe", "auto", "-o", tmp_path / "out.jsonl", "-q")
    kept = [json.loads(line)["id"] for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    result = tegula.dedup(rows, recipe="auto")
    assert result.stages == ["1-long", "2-short"]
    assert [row["id"] for row in result.kept] == kept
    assert len(result.kept) + len(result.removed) == len(rows)
    short_kept = sum(id.startswith("s") for id in kept)
    assert 0 < short_kept < 60 and "in" not in kept


def test_paragraphs_are_cut_as_in_files(tegula_command, peps, peps_path, tmp_path):
    tegula_command("dedup", peps_path, "--unit", "paragraph", "-o", tmp_path / "a.jsonl", "-q")
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    expected = {row["id"]: row["text"] for row in map(json.loads, lines)}
    kept = tegula.dedup(peps, unit="paragraph").kept
    assert {row["id"]: row["text"] for row in kept} == expected


def test_each_removal_has_a_witness_that_is_kept(peps):
    result = tegula.dedup(peps)
    kept = {row["id"] for row in result.kept}
    removed = [row for row in result.verdicts if row["verdict"] == "removed"]
    assert removed
    assert all(row["witness_id"] in kept and row["score"] >= 0.75 for row in removed)


def test_at_decides_again_as_a_new_run_would(peps):
    result = tegula.dedup(peps)
    stricter = result.at(0.95)
    assert stricter.kept == tegula.dedup(peps, threshold=0.95).kept
    assert stricter.at(1).kept == tegula.dedup(peps, threshold=1).kept
    with pytest.raises(tegula.UsageError):
        result.at(0.5)


def test_marks_are_those_of_files(tegula_command, peps, peps_path, tmp_path):
    tegula_command("mark", peps_path, "-o", tmp_path / "a.parquet", "-q")
    assert tegula.mark(peps).marked == tegula.Table.read(tmp_path / "a.parquet").to_pylist()


def test_at_also_cuts_and_marks(peps):
    cut = tegula.dedup(peps, unit="paragraph")
    assert cut.at(1).kept == tegula.dedup(peps, unit="paragraph", threshold=1).kept
    assert cut.at(1).at(1).kept == cut.at(1).kept
    marked = tegula.mark(peps, mark_prefix="x_")
    assert marked.at(1).marked == tegula.mark(peps, mark_prefix="x_", threshold=1).marked


def test_threads_and_memory_change_nothing(peps):
    kept = tegula.dedup(peps).kept
    assert tegula.dedup(peps, threads=1, memory="64M").kept == kept
    assert tegula.dedup(peps, threads=2, memory=80 << 20, evidence="witness").kept == kept


def test_pairs_clusters_and_evaluation(peps, tmp_path):
    found = tegula.pairs(peps, threshold=0.5)
    assert all(row["score"] >= 0.5 for row in found.pairs)
    clusters = tegula.cluster(found, threshold=0.9)
    assert clusters.column_names[:2] == ["cluster_id", "id"]
    tegula.pairs(peps, threshold=0.5, to=tmp_path / "pairs.parquet")
    table = tegula.Table.read(tmp_path / "pairs.parquet")
    assert tegula.cluster(table, threshold=0.9)["id"] == clusters["id"]
    assert tegula.cluster(found.pairs, threshold=0.9)["id"] == clusters["id"]
    gold = [{"id": row["id"], "group": row["group"]} for row in peps]
    judged = tegula.evaluate(gold, found, resamples=0)
    assert 0 <= judged["pairs"]["precision"] <= 1
    tegula.pairs(peps, to=tmp_path / "pairs.tsv")
    assert (tmp_path / "pairs.tsv").read_text(encoding="utf-8").startswith("unit_a\t")


def test_pairs_of_equal_texts_are_listed(tmp_path):
    text = "the harbour was closed at noon because of the storm the port authority said"
    texts = [text, text + " again", text, "two more ferries were cancelled in the evening by their owners", text]
    few = tegula.pairs(texts)
    assert [row["equal_a"] * row["equal_b"] for row in few.pairs] == [3, 1, 2]
    assert any("expand=True" in warning for warning in few.warnings)
    every = tegula.pairs(texts, expand=True)
    assert [(row["unit_a"], row["unit_b"]) for row in every.pairs] == [(0, 1), (0, 2), (0, 4), (1, 2), (1, 4), (2, 4)]
    assert "pairs 6" in repr(few) and "pairs 6" in repr(every)
    assert len(tegula.pairs(texts, expand=True, run=tmp_path / "run").pairs) == 6


def test_against_is_compared_with_but_stays(peps):
    old, new = peps[::2], peps[1::2]
    result = tegula.dedup(new, against=old)
    alone = tegula.dedup(new)
    assert len(result.kept) < len(alone.kept)
    assert len(result.kept) + len(result.removed) == len(new)


def test_onion_is_the_drop_in(tegula_command, tmp_path):
    lines = ["<doc>", "<p>", *"a b c d e f g h".split(), "</p>", "<p>", *"a b c d e f g h".split(), "</p>", "</doc>"]
    source = tmp_path / "in.vert"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    tegula.onion(source, tmp_path / "a.vert", ngram=3)
    tegula_command("onion", "-n", 3, source, "-o", tmp_path / "b.vert", "-q")
    assert (tmp_path / "a.vert").read_bytes() == (tmp_path / "b.vert").read_bytes()
    assert b"1\ta\n" in (tmp_path / "a.vert").read_bytes()


def test_a_run_folder_is_that_of_the_command_line(tegula_command, peps_path, tmp_path):
    tegula_command("dedup", peps_path, "--run", tmp_path / "run", "-q")
    run = tegula.open(tmp_path / "run")
    removed = next(row["id"] for row in run.verdicts if row["verdict"] == "removed")
    explained = run.explain(removed)
    assert explained.verdict == "removed" and explained.score >= 0.75
    assert f"{removed} was removed" in str(explained)
    with pytest.raises(tegula.RunFolderError, match='evidence="all"'):
        _ = run.pairs


def test_the_report_is_a_page(peps, tmp_path):
    tegula.dedup(peps).report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")


def test_comparison():
    found = tegula.compare("one two three four five six", "one two three four five seven")
    assert found.measures["ssr"] == pytest.approx(1 / 3)
    assert found.passages and "<iframe" in found._repr_html_()


def test_a_string_that_names_a_file_is_compared_as_a_text_with_a_warning(tmp_path, caplog):
    file = tmp_path / "a.txt"
    file.write_text("one two three four five six", encoding="utf-8")
    assert tegula.compare(str(file), "one two three four five six").measures["ssr"] == 0
    [record] = caplog.records
    assert record.name == "tegula" and f"{str(file)!r} names a file" in record.message and "pathlib.Path" in record.message
    assert tegula.compare(file, "one two three four five six").measures["ssr"] == 1
    assert tegula.compare("\0", "a" * 5000) and len(caplog.records) == 1


def test_plan_and_recipes(peps):
    assert tegula.plan(peps)["estimate"]
    assert "copies" in [recipe["name"] for recipe in tegula.recipes()]


def test_repr_is_a_summary_and_a_picture(peps):
    result = tegula.dedup(peps)
    assert repr(result).startswith("Result(recipe copies")
    page = result._repr_html_()
    assert "<svg" in page and "Least similar" in page and "<mark>" in page
    assert "<table" in result.verdicts._repr_html_()


def test_a_configuration_applies_where_it_is_named(peps, tmp_path, monkeypatch):
    (tmp_path / "tegula.toml").write_text("[all]\nrecipe = 'exact'\n[recipes]\nmine = 'mine.toml'\n")
    (tmp_path / "mine.toml").write_text("recipe = 'exact'\n")
    monkeypatch.chdir(tmp_path)
    exact = tegula.dedup(peps, config="tegula.toml")
    assert len(exact.removed) == len(tegula.dedup(peps, recipe="exact").removed)
    assert len(tegula.dedup(peps, config="tegula.toml", recipe="mine").removed) == len(exact.removed)
    assert len(tegula.dedup(peps).removed) > len(exact.removed)
    (tmp_path / "tegula.toml").write_text("[dedup]\ntreshold = 1\n")
    with pytest.raises(tegula.UsageError, match="did you mean 'threshold'"):
        tegula.dedup(peps, config="tegula.toml")


def test_settings_are_applied_together_however_they_are_written(peps):
    kept = [
        [row["id"] for row in tegula.dedup(peps, recipe="sketch", set=settings).kept]
        for settings in [
            {"keys.rows": 7, "keys.bands": 16},
            {"keys": {"bands": 16, "rows": 7}, "rejoin": False},
            ["keys.bands=16", "keys.rows=7"],
        ]
    ]
    assert kept[0] == kept[1] == kept[2]
    with pytest.raises(tegula.UsageError, match="ngram: expected a whole number from 1 to 64, found 'many'"):
        tegula.dedup(peps, set={"ngram": "many"})
    assert tegula.tokens("Hello 1", **{"keys.rows": 7, "keys.bands": 16}, recipe="sketch") == ["hello", "1"]
