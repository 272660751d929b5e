//! `tegula recipes`: what is built in, and files that people write.

use crate::rig::{Rig, assert_shown};

/// Every built-in recipe with all its values: results depend on them, and run folders hold their
/// hash.
#[test]
fn built_in_recipes_have_these_values() {
    assert_shown!("recipes_json", Rig::new().run("recipes --json"));
}

const PRESS: &str = r#"recipe = "sscr"
title = "press releases and what became of them"
not_for = "interviews"
ngram = 4
normalise = "kupietz"
"#;

#[test]
fn a_file_is_shown_as_what_is_built_in() {
    let rig = Rig::new();
    rig.write("press.toml", PRESS)
        .write("copies.toml", "recipe = 'copies'")
        .write("benko.toml", rig.ok("recipes benko").out());
    assert_shown!("recipes_file", rig.run("recipes press.toml"));
    assert_shown!("recipes_file_json", rig.run("recipes press.toml --json"));
    rig.write("again.toml", rig.ok("recipes press.toml").out());
    assert_eq!(
        rig.ok("recipes again.toml").out(),
        rig.ok("recipes press.toml").out()
    );
    for name in ["copies", "benko"] {
        for json in ["", " --json"] {
            assert_eq!(
                rig.ok(&format!("recipes {name}.toml{json}")).out(),
                rig.ok(&format!("recipes {name}{json}")).out()
            );
        }
    }
}

#[test]
fn files_that_are_no_recipes_are_named() {
    let rig = Rig::new();
    let mut all = String::new();
    for (name, toml) in [
        ("field", "ngrm = 3"),
        ("syntax", "ngram = = 3"),
        ("text", "title = 3"),
        ("base", "recipe = 'nothing'"),
        ("steps", "normalise = 'nothing'"),
        ("stage", "[[stage]]\ntitle = 'a stage has a name'"),
        ("staged", "colour = 'red'\n[[stage]]"),
    ] {
        rig.write(&format!("{name}.toml"), toml);
        all += &rig.run(&format!("recipes {name}.toml")).stderr;
    }
    all += &rig.run("recipes missing.toml").stderr;
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("recipes_broken", all);
    });
}

#[test]
fn names_from_elsewhere_lead_to_a_recipe() {
    let rig = Rig::with("peps.jsonl");
    for (name, recipe) in [
        ("minhash", "sketch"),
        ("MinHash-LSH", "sketch"),
        ("lsh", "sketch"),
        ("jaccard", "ssr"),
        ("near-dup", "copies"),
        ("fuzzy", "copies"),
        ("dedup", "copies"),
        ("levenshtein", "messages"),
        ("edit_distance", "messages"),
        ("tf-idf", "cosine"),
        ("shingles", "ssr"),
        ("winnowing", "ssr"),
        ("md5", "exact"),
        ("suffix-array", "passages"),
        // Slips are still understood.
        ("copis", "copies"),
    ] {
        let says = [format!("there is no recipe '{name}'; "), recipe.to_string()];
        rig.refuses(
            &format!("dedup peps.jsonl -o out.jsonl --recipe {name}"),
            &[&says[0], &says[1]],
        );
        rig.refuses(&format!("recipes {name}"), &[&says[0], &says[1]]);
    }
    let revisions = rig.ok("recipes revisions");
    let names = [
        "rarity-mean",
        "rarity-dice",
        "rarity-containment",
        "agreement-containment",
    ];
    for name in names {
        assert!(revisions.out().contains(&format!("\"{name}\"")), "{name}");
    }
}

#[test]
fn settings_are_applied_together() {
    let rig = Rig::with("peps.jsonl");
    for settings in [
        "sketch --set keys.bands=16 --set keys.rows=7",
        "sketch --set keys.rows=7 --set keys.bands=16",
        "ssr --set select.type=every --set select.nth=4",
        "ssr --set select.nth=4 --set select.type=every",
        "sketch --set keys.type=words --set keys.size=3",
        "sketch --set keys.size=3 --set keys.type=words",
        "ssr --set fingerprint.type=rabin --set fingerprint.modulus=1000003 --normalize kupietz",
        "i-match --set keys.low=95 --set keys.high=99",
        "i-match --set keys.high=8 --set keys.low=2",
        "ssr --set measure=cosine --set ngram=1 --set weights.present=50 --set weights.type=idf",
    ] {
        rig.ok(&format!(
            "dedup peps.jsonl -o out.jsonl --recipe {settings} -q"
        ));
    }
    rig.write(
        "tegula.toml",
        "[dedup]\nrecipe = 'sketch'\n[dedup.set]\n'keys.bands' = 16\n'keys.rows' = 7\n",
    );
    rig.ok("dedup peps.jsonl -o out.jsonl --config tegula.toml -q");
    rig.refuses(
        "dedup peps.jsonl -o no.jsonl --recipe sketch --set keys.bands=16 --no-config",
        &["--set keys.rows: expected a number above 0 beside keys.bands = 16, found 0"],
    );
    rig.refuses(
        "dedup peps.jsonl -o no.jsonl --no-config --recipe benko --set sentences.threshold=0.9 --set documents.ngram=x",
        &["--set documents.ngram: expected a whole number from 1 to 64, found 'x'"],
    );
}

#[test]
fn large_rabin_moduli_are_written_and_read_again() {
    let rig = Rig::with("peps.jsonl");
    // The largest prime below 2^64, and one below 2^63.
    for modulus in ["18446744073709551557", "9223372036854775783"] {
        rig.ok(&format!(
            "dedup peps.jsonl -o a.jsonl --recipe ssr --normalize kupietz --fingerprint rabin --modulus {modulus} --run run{modulus} --evidence all -q"
        ));
        rig.ok(&format!("dedup --from run{modulus} -o b.jsonl -q"));
        assert_eq!(rig.read("a.jsonl"), rig.read("b.jsonl"));
        rig.ok(&format!(
            "dedup peps.jsonl -o c.jsonl --recipe ssr --normalize kupietz --set fingerprint.type=rabin --set fingerprint.modulus={modulus} -q"
        ));
        assert_eq!(rig.read("a.jsonl"), rig.read("c.jsonl"));
        rig.write(
            "own.toml",
            format!("recipe = 'ssr'\nnormalise = 'kupietz'\nfingerprint = {{ type = 'rabin', modulus = '{modulus}' }}"),
        );
        rig.ok("dedup peps.jsonl -o d.jsonl --recipe own.toml -q");
        assert_eq!(rig.read("a.jsonl"), rig.read("d.jsonl"));
        rig.ok("recipes own.toml");
    }
}

#[test]
fn several_lists_are_written_at_once() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl --list kept=kept.txt --list removed=removed.txt --run run -q");
    rig.ok("dedup peps.jsonl --list removed=only.txt -q");
    assert_eq!(rig.text("removed.txt"), rig.text("only.txt"));
    let both = rig.text("kept.txt").lines().count() + rig.text("removed.txt").lines().count();
    assert_eq!(both, rig.text("peps.jsonl").lines().count());
    rig.refuses(
        "dedup peps.jsonl --list kept --list removed",
        &["both write to standard output"],
    );
    rig.refuses(
        "dedup peps.jsonl --list kept=same.txt --list removed=same.txt",
        &["--list (2): expected a different path from --list, found the same"],
    );
}
