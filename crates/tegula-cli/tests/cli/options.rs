use crate::rig::{Rig, assert_shown};

/// Everything that is wrong with options is reported before the input is found to be missing.
#[test]
fn wrong_options_are_named_before_anything_is_read() {
    let rig = Rig::new();
    let all = rig.refused(
        "dedup none.jsonl -o out.jsonl",
        &[
            "--keep best",
            "--keep newest",
            "--keep none,first",
            "--keep priority:source",
            "--recipe nothing",
            "--recipe nothing.toml",
            "--ngram 0",
            "--threshold 1.5",
            "--threshold x",
            "--normalize loud",
            "--tokens as-is --normalize kupietz",
            "--set colour=red",
            "--set ngram=many",
            "--set x",
            "--fingerprint rabin",
            "--fingerprint tokens --modulus 7",
            "--fingerprint rabin --modulus 8 --normalize kupietz",
            "--fingerprint rabin --modulus 7",
            "--memory 1M",
            "--memory lots",
            "--threads 0",
            "--window date",
            "--encoding klingon",
            "--format pdf",
            "--delimiter ab --format csv",
            "--word-column 0",
            "--doc-tag <x>",
            "--on-bad-record panic",
            "--quarantine q",
            "--resume",
            "--evidence some",
            "--check",
            "--list some",
            "--json --list removed",
            "--from run",
            "--against -",
            "--removed out.jsonl",
            "--progress loud",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("wrong_options", all);
    });
    assert!(rig.files().is_empty());
}

#[test]
fn a_job_without_input_or_output_is_refused() {
    let rig = Rig::new();
    assert_shown!("no_output", rig.run("dedup none.jsonl"));
    assert_shown!("no_input", rig.run("dedup -o out.jsonl"));
    assert_shown!("pairs_name", rig.run("pairs none.jsonl -o pairs.xlsx"));
}

#[test]
fn an_input_is_never_an_output() {
    let rig = Rig::with("peps.jsonl");
    let before = rig.read("peps.jsonl");
    for line in [
        "dedup peps.jsonl -o peps.jsonl",
        "dedup peps.jsonl -o ./x/../peps.jsonl",
        "mark peps.jsonl -o .",
    ] {
        assert_eq!(rig.run(line).code, 2, "{line}");
    }
    assert_eq!(rig.read("peps.jsonl"), before);
    assert_eq!(rig.files(), ["peps.jsonl"]);
}

#[test]
fn two_results_do_not_share_standard_output() {
    let rig = Rig::with("peps.jsonl");
    assert_shown!(
        "stdout_twice",
        rig.run("dedup peps.jsonl -o - --list removed")
    );
}

/// The library has a table of all fields and recipes; these are the options that set them.
#[test]
fn fields_without_effect_in_a_recipe_are_refused_with_the_reason() {
    let rig = Rig::with("peps.jsonl");
    let all = rig.refused(
        "dedup peps.jsonl -o out.jsonl",
        &[
            "--recipe exact --threshold 0.9",
            "--recipe exact --ngram 3",
            "--recipe plain --set fingerprint={type='rabin',modulus=101}",
            "--recipe ssr --set least_keys=2",
            "--recipe revisions --set common=100",
            "--recipe ssr --seed 3",
            "--recipe ssr --statistics df.tsv",
            "--recipe ssr --digest md5",
            "--recipe ssr --set rejoin=true",
            "--recipe ssr --set unmasked=0.5",
            "--recipe sketch --fingerprint rabin --modulus 10007 --normalize kupietz",
            "--recipe onion --keep longest",
            "--recipe onion --set levenshtein=0.9",
            "--recipe benko --set sentences.threshold=0.9",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("options_without_effect", all);
    });
    assert_eq!(rig.files(), ["peps.jsonl"]);
}

#[test]
fn help_has_topics_and_names_of_methods_lead_to_recipes() {
    let rig = Rig::new();
    let formats = rig.ok("help dedup formats");
    assert!(formats.out().contains("--delimiter") && !formats.out().contains("--ngram"));
    assert!(formats.out().contains("tegula dedup [OPTIONS] [INPUT]..."));
    rig.refuses(
        "help dedup nothing",
        &["the topics are formats, input, output"],
    );
    rig.refuses("minhash a.jsonl", &["tegula dedup --recipe sketch"]);
}
