//! Frequencies counted before: `tegula stats`, then `--statistics`, for weights by rarity.

use crate::rig::Rig;
use crate::scores::{records, scored, texts};

#[test]
fn frequencies_of_shingles_make_scores_independent_of_other_texts() {
    let rig = Rig::new();
    let all = texts(8);
    // Half of the texts of the other collection are forms of one wording, which counts for little.
    let form = |at: usize| format!("{} form{at} number {at}", all[0]);
    let other: Vec<String> = (0..40).map(form).chain(all[1..9].to_vec()).collect();
    rig.write("other.jsonl", records(other.iter().enumerate()));
    rig.write("all.jsonl", records(all.iter().enumerate()));
    rig.write("part.jsonl", records(all.iter().enumerate().take(20)));
    let told = rig.ok("stats other.jsonl --recipe revisions -o counts.tsv.zst");
    assert!(told.shown().contains("shingles in several of 4"));
    let pairs = |input: &str, options: &str| {
        let line = format!(
            "pairs {input} --recipe revisions --threshold 0.1 --expand -o - --form jsonl -q {options}"
        );
        scored(rig.ok(&line).out())
    };
    let fixed = "--statistics counts.tsv.zst";
    let (alone, among_all) = (pairs("part.jsonl", fixed), pairs("all.jsonl", fixed));
    assert!(alone.len() > 5, "{alone:?}");
    for (pair, score) in &alone {
        assert_eq!(among_all.get(pair), Some(score));
    }
    assert_ne!(alone, pairs("part.jsonl", ""));
    // Those of the collection itself give the same as no file.
    rig.ok("stats part.jsonl --recipe revisions -o own.tsv -q");
    assert_eq!(
        pairs("part.jsonl", "--statistics own.tsv"),
        pairs("part.jsonl", "")
    );
    for options in ["--threads 1 --memory 64M", "--threads 3"] {
        rig.ok(&format!(
            "stats part.jsonl --recipe revisions -o again.tsv -q {options}"
        ));
        assert_eq!(rig.text("again.tsv"), rig.text("own.tsv"));
        assert_eq!(pairs("part.jsonl", &format!("{fixed} {options}")), alone);
    }
    // Two texts, and two units of a run, have the scores of the run.
    let score_of = |shown: &str| {
        let shown: serde_json::Value = serde_json::from_str(shown).unwrap();
        let of_run = shown.pointer("/comparison/score/score");
        let score = of_run.or(shown.pointer("/score/score"));
        score.and_then(serde_json::Value::as_f64).unwrap()
    };
    let ((a, b), score) = alone.iter().find(|(_, score)| **score < 0.999).unwrap();
    for (id, name) in [(a, "a.txt"), (b, "b.txt")] {
        let at: usize = id
            .trim_start_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .unwrap();
        rig.write(name, &all[at]);
    }
    let compared = rig.ok(&format!(
        "compare a.txt b.txt --recipe revisions {fixed} --json"
    ));
    assert!((score_of(compared.out()) - score).abs() < 2e-6);
    for (run, options) in [("with", fixed), ("without", "")] {
        rig.ok(&format!(
            "dedup part.jsonl --recipe revisions --threshold 0.1 -o {run}.jsonl --run {run} -q {options}"
        ));
        let explained = rig.ok(&format!("explain {run} {a} {b} --json"));
        let score = pairs("part.jsonl", options)[&(a.clone(), b.clone())];
        assert!((score_of(explained.out()) - score).abs() < 2e-6, "{run}");
    }
    let refuses = |line: &str, what: &str| rig.refuses(line, &[what]);
    let whole = rig.text("own.tsv");
    let (cut, _) = whole.trim_end().rsplit_once('\n').unwrap();
    rig.write("short.tsv", cut);
    refuses(
        "pairs part.jsonl --recipe revisions --statistics short.tsv -o p.tsv",
        "and the number of rows, found 'the end of the file after",
    );
    // A run goes on only with the frequencies that it began with.
    let run = "pairs part.jsonl --recipe revisions --statistics own.tsv -o p.tsv --run resumed -q";
    rig.ok(run);
    rig.ok(&format!("{run} --resume"));
    rig.write("own.tsv", rig.text("own.tsv").replace("\t2\n", "\t3\n"));
    refuses(
        &format!("{run} --resume"),
        "the run used other inputs or other options",
    );
    refuses(
        &format!("pairs part.jsonl --recipe revisions --ngram 3 {fixed} -o p.tsv"),
        "expected counts of shingles of 3 tokens, tegula-1, found counts of shingles of 4 tokens",
    );
    refuses(
        &format!("sweep part.jsonl --recipe revisions --ngrams 3,4 --thresholds 0.5 {fixed}"),
        "found counts of shingles of 4 tokens",
    );
    refuses(
        &format!("pairs part.jsonl --recipe cosine {fixed} -o p.tsv"),
        "expected counts of terms, found counts of shingles",
    );
    rig.ok("stats part.jsonl --recipe cosine -o terms.tsv -q");
    refuses(
        "pairs part.jsonl --recipe revisions --statistics terms.tsv -o p.tsv",
        "found counts of terms",
    );
    refuses(
        &format!("pairs part.jsonl --recipe revisions --normalize plain {fixed} -o p.tsv"),
        "normalised",
    );
    refuses(
        "stats part.jsonl --recipe revisions --threshold 0.3 -o x.tsv",
        "counts shingles",
    );
}
