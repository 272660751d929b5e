//! Options that would change nothing: each is refused, and says why.

use crate::rig::Rig;
use std::fmt::Write as _;

const TEXT: &str = "the quick brown fox jumps over the lazy dog near the bank of the wide river";

/// Three equal records, and one that is another.
fn records(field: impl Fn(usize) -> String) -> String {
    let texts = [TEXT, TEXT, TEXT, "nothing of that is in this one text here"];
    let mut out = String::new();
    for (at, text) in texts.iter().enumerate() {
        let _ = writeln!(out, "{{\"id\":\"{at}\",\"text\":\"{text}\",{}}}", field(at));
    }
    out
}

/// Documents of one paragraph and two columns.
fn vertical(par: &str) -> String {
    let mut out = String::new();
    for (at, text) in [TEXT, TEXT, "nothing of that is in this one text here"]
        .iter()
        .enumerate()
    {
        let lines = text.replace(' ', "\tx\n") + "\tx\n";
        let _ = writeln!(
            out,
            "<doc id=\"{at}\">\n<{par}>\n{lines}<g/>\n.\tx\n</{par}>\n</doc>"
        );
    }
    out
}

fn assert_all(name: &str, all: &str) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name.to_owned(), all);
    });
}

#[test]
fn an_earlier_run_has_settled_how_files_are_read_and_compared() {
    let rig = Rig::new();
    rig.write("a.jsonl", records(|at| format!("\"n\":{at}")));
    rig.ok("dedup a.jsonl -o out.jsonl --recipe exact --digest sha1 --run run --evidence all -q");
    for options in [
        "--tokens as-is",
        "--digest md5",
        "--modulus 7 --fingerprint rabin",
        "--encoding gb18030",
        "--on-bad-record skip",
        "--strict-ids",
        "--delimiter ;",
        "--escape \\",
        "--comment #",
        "--no-header",
        "--doc-tag text",
        "--par-tag q",
        "--word-column 2",
        "--columns a,b",
        "--skip-element note",
        "--reading original",
    ] {
        rig.refuses(
            &format!("dedup --from run -o again.jsonl {options}"),
            &["it is determined by the run of --from"],
        );
    }
    rig.ok("dedup --from run -o again.jsonl --keep last -q");
    let whole = "dedup a.jsonl --recipe exact --digest sha1 --fingerprints out.sha1 -q";
    rig.ok(whole);
    assert!(
        !rig.text("out.sha1")
            .lines()
            .next()
            .unwrap()
            .contains("00000000  ")
    );
    assert_all(
        "no_effect_from",
        &rig.refused(
            "",
            &[
                "dedup --from run --fingerprints again.sha1",
                "dedup a.jsonl -o out.jsonl --unified",
            ],
        ),
    );
}

#[test]
fn named_tags_and_columns_are_in_some_file() {
    let rig = Rig::new();
    rig.write("a.vert", vertical("p"))
        .write("q.vert", vertical("q"))
        .write("a.jsonl", records(|at| format!("\"n\":{at}")));
    rig.write(
        "a.xml",
        "<TEI><text><body><p>One two three.</p></body></text></TEI>",
    );
    let sentence =
        "# See the manual\n# note = x\n# sent_id = 1\n1\tone\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
    rig.write("a.conllu", sentence);
    let all = rig.refused(
        "",
        &[
            "dedup a.vert -o out.vert --par-tag nope --sent-tag nope",
            "dedup a.vert -o out.vert --sent-tag nope",
            "dedup a.vert -o out.vert --glue-tag nope",
            "dedup a.vert -o out.vert --columns word,lemma,tag",
            "dedup a.vert -o out.vert --recipe simfinder --tag-column 3",
            "dedup a.xml -o out.xml --doc-element nope",
            "dedup a.jsonl -o out.jsonl --word-column 2",
            "dedup a.jsonl -o out.jsonl --columns word,lemma",
            "tokens a.jsonl --columns word,lemma",
            "stats a.vert -o out.tsv --glue-tag nope",
            "dedup a.conllu -o out.conllu --unit paragraph",
        ],
    );
    assert_all("no_effect_tags", &all);
    rig.ok("dedup a.vert q.vert -o out --par-tag q --columns word,tag -q");
    rig.ok("dedup a.vert -o out.vert --glue-tag none -q");
}

#[test]
fn references_are_no_reason_to_refuse_options_that_affect_the_collection() {
    let rig = Rig::new();
    rig.write("old.txt", "something older that no other text has in it")
        .write("new.vert", vertical("q"));
    rig.write("old.jsonl", "{\"text\":\"something older\"}\n")
        .write("old.vert", vertical("p"));
    rig.write(
        "new.jsonl",
        records(|at| format!("\"uid\":\"u{at}\",\"content\":\"{TEXT}\"")),
    );
    rig.ok("dedup new.jsonl --text-key content --against old.txt -o a.jsonl -q");
    rig.ok("dedup new.jsonl --id-key uid --against old.jsonl -o b.jsonl -q");
    rig.ok("dedup new.vert --par-tag q --against old.txt -o c.vert -q");
    rig.ok("dedup new.vert --par-tag q --against old.vert -o d.vert -q");
    for line in [
        "dedup new.jsonl --id-key nope --against old.jsonl -o e.jsonl",
        "dedup new.jsonl --par-tag q --against old.txt -o e",
    ] {
        assert_eq!(rig.run(line).code, 2, "{line}");
    }
}

#[test]
fn options_without_an_effect_are_refused() {
    let rig = Rig::new();
    rig.write(
        "a.jsonl",
        records(|at| format!("\"date\":\"2019-0{}-01\"", at + 1)),
    )
    .write("a.vert", vertical("p"));
    let all = rig.refused("", &[
            "dedup a.vert -o out.vert --recipe onion --normalize plain",
            "dedup a.vert -o out.vert --recipe onion --set normalise.case=lower",
            "sweep a.vert --set normalise.case=lower",
            "mark a.vert -o out.vert --recipe benko --sent-tag none --set paragraphs.normalise.case=lower",
            "sweep a.jsonl --recipe i-match --ngrams 3,9",
            "stats a.jsonl -o out.tsv --recipe cosine --statistics none.tsv",
            "stats a.jsonl -o out.tsv --threshold 0.5",
            "stats a.jsonl -o out.tsv --set ngram=3",
            "tokens a.jsonl --ngram 3",
            "plan a.jsonl --recipe cosine --statistics none.tsv",
            "dedup a.jsonl -o out.jsonl --evidence all",
            "dedup a.jsonl -o out.jsonl --mark-prefix x_",
            "dedup a.vert --list removed --mark-place first-column",
            "dedup a.jsonl -o out.jsonl --across date --within date",
            "dedup a.jsonl -o out.jsonl --across date:year --within date:month",
            "sweep a.jsonl --recipe ssr --across date --within date",
        ],
    );
    assert_all("no_effect_idle", &all);
    rig.ok("dedup a.vert -o out.vert --recipe onion --normalize plain --tokens found -q");
    rig.ok("dedup a.vert -o out.vert --recipe onion --tokens as-is -q");
    rig.ok("mark a.vert -o out.vert --recipe benko --sent-tag none --set sentences.normalise.case=keep -q");
    rig.ok("dedup a.jsonl -o out.jsonl --recipe onion --normalize plain -q");
    rig.ok("dedup a.jsonl -o out.jsonl --mark-prefix x_ --removed removed.jsonl -q");
    assert!(rig.text("removed.jsonl").contains("\"x_duplicate_of\""));
    rig.ok("dedup a.jsonl -o out.jsonl --across date --within date:year -q");
    // Thresholds can be swept over without n-grams.
    let swept: serde_json::Value =
        serde_json::from_slice(&rig.ok("sweep a.jsonl --recipe i-match --json").stdout).unwrap();
    assert_eq!(swept["ngrams"].as_array().unwrap().len(), 1, "{swept}");
    rig.ok("sweep a.jsonl --recipe cosine --thresholds 0.5");
    rig.write("mine.toml", "recipe = 'cosine'\n");
    let before = rig.text("mine.toml");
    assert_eq!(
        rig.run("stats a.jsonl --recipe mine.toml -o mine.toml")
            .code,
        2
    );
    assert_eq!(rig.text("mine.toml"), before);
}

#[test]
fn dates_are_ambiguous_on_every_road() {
    let rig = Rig::new();
    rig.write(
        "a.jsonl",
        records(|_| "\"date\":\"2019-01-05\"".into())
            + "{\"text\":\"the last\",\"date\":\"03/04/2019\"}\n",
    );
    for recipe in ["copies", "exact", "exact --keep first"] {
        rig.refuses(
            &format!("dedup a.jsonl -o out.jsonl --recipe {recipe} --by date:year"),
            &["found '03/04/2019'"],
        );
        assert_eq!(rig.files(), ["a.jsonl"], "{recipe}");
    }
    for (format, why) in [
        ("%Y-W%W", "would both be 2001-01-01"),
        ("%d.%m.", "the year"),
    ] {
        let ended = rig.run(&format!(
            "dedup a.jsonl -o out.jsonl --by date:year --date-format {format}"
        ));
        assert!(
            ended.code == 2 && ended.stderr.contains(why),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn long_numbers_are_compared_digit_by_digit() {
    let rig = Rig::new();
    rig.write(
        "a.jsonl",
        records(|at| format!("\"n\":145000000000000000{at}")),
    );
    for (rule, kept) in [("highest", "\"2\""), ("lowest", "\"0\"")] {
        rig.ok(&format!("dedup a.jsonl -o out.jsonl --keep {rule}:n -q"));
        assert!(
            rig.text("out.jsonl")
                .starts_with(&format!("{{\"id\":{kept}")),
            "{rule}: {}",
            rig.text("out.jsonl")
        );
    }
}

#[test]
fn gold_and_result_are_judged_by_what_they_have() {
    let rig = Rig::with("peps.jsonl");
    rig.write("groups.tsv", "id\tgroup\na\t1\nb\t1\n")
        .write("pairs.tsv", "id_a\tid_b\tlabel\na\tb\t1\n");
    rig.write("found.tsv", "id_a\tid_b\tscore\na\tb\t0.9\n")
        .write("others.tsv", "id_a\tid_b\tscore\nx\ty\t0.9\n");
    rig.ok("dedup peps.jsonl -o out.jsonl --run run -q");
    let all = rig.refused(
        "",
        &[
            "evaluate groups.tsv found.tsv --label grade",
            "evaluate groups.tsv found.tsv --positive cut",
            "evaluate pairs.tsv found.tsv --group-key set",
            "evaluate pairs.tsv found.tsv --id-key key",
            "evaluate groups.tsv found.tsv --clusters",
            "evaluate peps.jsonl run --score nosuch",
            "evaluate peps.jsonl run --clusters --score ssr",
            "evaluate peps.jsonl run --threshold 0.1",
            "evaluate pairs.tsv others.tsv",
        ],
    );
    assert_all("no_effect_gold", &all);
    rig.ok("evaluate peps.jsonl run --threshold 0.9");
    rig.ok("evaluate pairs.tsv found.tsv --positive 1");
    // Nothing found is a result.
    rig.write("nothing.tsv", "id_a\tid_b\tscore\n");
    rig.ok("evaluate pairs.tsv nothing.tsv");
}

#[test]
fn an_option_is_given_even_if_its_value_is_the_default() {
    let rig = Rig::new();
    rig.write("a.jsonl", records(|at| format!("\"n\":{at}")));
    for options in [
        "--doc-tag doc",
        "--sent-tag s",
        "--glue-tag g",
        "--word-column 1",
        "--text main",
        "--reading corrected",
        "--quoted keep",
        "--attachments compare",
    ] {
        rig.refuses(
            &format!("dedup a.jsonl -o out.jsonl {options}"),
            &["expected a file in a format that has it"],
        );
    }
    rig.ok("dedup a.jsonl -o out.jsonl --run run --evidence all -q");
    for options in [
        "--encoding auto",
        "--on-bad-record fail",
        "--threshold 0.75",
    ] {
        let line = format!("dedup --from run -o again.jsonl {options}");
        if options.starts_with("--threshold") {
            rig.ok(&line);
        } else {
            rig.refuses(&line, &["it is determined by the run of --from"]);
        }
    }
}
