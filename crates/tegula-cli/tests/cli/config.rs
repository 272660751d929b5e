//! The configuration file.

use crate::rig::Rig;

const TEXTS: &str = r#"{"id": "a", "body": "one two three four five six seven eight nine ten"}
{"id": "b", "body": "one two three four five six seven eight nine ten eleven"}
{"id": "c", "body": "one two three four five six seven eight nine ten"}
"#;

fn rig(config: &str) -> Rig {
    let rig = Rig::new();
    rig.write("a.jsonl", TEXTS).write("tegula.toml", config);
    rig
}

#[test]
fn options_are_those_of_the_file_and_the_command_line_wins() {
    let rig = rig("[all]\ntext-key = 'body'\nthreads = 1\n[dedup]\nrecipe = 'exact'\n");
    let ended = rig.ok("dedup a.jsonl -o b.jsonl --run evidence");
    assert!(
        ended
            .shown()
            .contains("note: from tegula.toml: --recipe=exact --text-key=body --threads=1"),
        "{}",
        ended.shown()
    );
    assert_eq!(rig.text("b.jsonl").lines().count(), 2);
    let run = rig.text("evidence/run.json");
    assert!(
        run.contains("tegula dedup --recipe=exact --text-key=body --threads=1 a.jsonl -o b.jsonl --run evidence"),
        "{run}"
    );
    // Quiet commands say nothing, those without a table have what all have.
    assert_eq!(rig.ok("dedup a.jsonl -q --run r -o c.jsonl").stderr, "");
    assert!(rig.ok("tokens a.jsonl").shown().contains("--text-key=body"));
    rig.ok("dedup a.jsonl --recipe copies --run r2 -o d.jsonl");
    assert_eq!(rig.text("d.jsonl").lines().count(), 1);
    let without = rig.run("dedup a.jsonl --no-config -o e.jsonl");
    assert!(without.shown().contains("text"), "{}", without.shown());
    assert_eq!(without.code, 2);
}

#[test]
fn files_above_are_found_and_their_paths_are_their_own() {
    let rig = rig(
        "[all]\ntext-key = 'body'\n[recipes]\nmine = 'recipes/mine.toml'\n[dedup]\nset = { threshold = '0.7', normalise.digits = 'number' }\n",
    );
    rig.write("recipes/mine.toml", "recipe = 'copies'\nngram = 2\n")
        .write("deep/down/b.jsonl", TEXTS);
    let ended = rig.run_in(
        "deep/down",
        "dedup b.jsonl -o c.jsonl --recipe mine --run evidence",
    );
    assert_eq!(ended.code, 0, "{}", ended.shown());
    assert!(
        ended.shown().contains("recipe mine = "),
        "{}",
        ended.shown()
    );
    let run = rig.text("deep/down/evidence/run.json");
    assert!(
        run.contains("\"ngram\": 2") && run.contains("\"threshold\": \"0.7\""),
        "{run}"
    );
    assert!(rig.ok("recipes mine").out().contains("ngram = 2"));
    // A file that is named comes before one that is found.
    rig.write(
        "other.toml",
        "[all]\ntext-key = 'body'\n[dedup]\nlist = 'kept=kept.txt'\nquiet = true\n",
    );
    let ended = rig.ok("--config other.toml dedup a.jsonl");
    assert!(
        rig.text("kept.txt").contains('b'),
        "{}",
        rig.text("kept.txt")
    );
    // What was taken from it is said even so.
    assert!(
        ended.shown().contains("note: from other.toml: ") && ended.shown().contains("--quiet"),
        "{}",
        ended.shown()
    );
}

#[test]
fn a_file_that_was_merely_found_cannot_say_what_is_written_or_shown() {
    for (config, command, said) in [
        (
            "[dedup]\nlist = 'removed=../victim'\nquiet = true\n",
            "dedup",
            "list: ",
        ),
        ("[dedup]\noutput = '../victim'\n", "dedup", "output: "),
        ("[all]\nremoved = 'victim'\n", "dedup", "removed: "),
        (
            "[dedup]\nfingerprints = 'victim'\n",
            "dedup",
            "fingerprints: ",
        ),
        ("[dedup]\nrun = 'victim'\n", "dedup", "run: "),
        ("[dedup]\nquarantine = 'victim'\n", "dedup", "quarantine: "),
        ("[all]\nscratch = 'victim'\n", "dedup", "scratch: "),
        ("[all]\nquiet = true\n", "dedup", "quiet: "),
        ("[all]\noverwrite = true\n", "dedup", "overwrite: "),
        ("[pairs]\noutput = 'victim'\n", "pairs", "output: "),
        ("[filter]\noutput = 'victim'\n", "filter", "output: "),
        ("[passages]\nreport = 'victim'\n", "passages", "report: "),
        ("[phrases]\noutput = 'victim'\n", "phrases", "output: "),
        ("[stats]\noutput = 'victim'\n", "stats", "output: "),
        ("[find]\nmove = 'victim'\n", "find", ""),
        (
            "[dedup]\nagainst = '../elsewhere.jsonl'\n",
            "dedup",
            "against: ",
        ),
        (
            "[dedup]\nagainst = '/elsewhere.jsonl'\n",
            "dedup",
            "against: ",
        ),
        ("[dedup]\nrecipe = 'x/../../x.toml'\n", "dedup", "recipe: "),
        ("[recipes]\nmine = '../x.toml'\n", "dedup", "recipes.mine: "),
        ("[recipes]\nexact = 'x.toml'\n", "dedup", "recipes.exact: "),
    ] {
        let rig = rig("");
        rig.write("deep/a.jsonl", TEXTS)
            .write("deep/tegula.toml", config)
            .write("victim", "untouched")
            .write("elsewhere.jsonl", TEXTS);
        let ended = rig.run_in("deep", &format!("{command} a.jsonl --text-key body"));
        assert_eq!(ended.code, 2, "{config}: {}", ended.shown());
        assert!(ended.shown().contains(said), "{config}: {}", ended.shown());
        assert_eq!(rig.text("victim"), "untouched", "{config}");
        assert!(!rig.path("deep/victim").exists(), "{config}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_out_of_the_folder_of_a_found_file() {
    let rig = rig("");
    rig.write("deep/a.jsonl", TEXTS)
        .write(
            "deep/tegula.toml",
            "[dedup]\nagainst = 'link/elsewhere.jsonl'\n",
        )
        .write("elsewhere.jsonl", TEXTS);
    std::os::unix::fs::symlink(rig.path(""), rig.path("deep/link")).unwrap();
    let ended = rig.run_in("deep", "dedup a.jsonl --text-key body -o b.jsonl");
    assert_eq!(ended.code, 2, "{}", ended.shown());
    assert!(
        ended
            .shown()
            .contains("against: the path is outside the folder"),
        "{}",
        ended.shown()
    );
    // Named by the user, it may.
    let line = "dedup a.jsonl --text-key body -o b.jsonl --config tegula.toml";
    let ended = rig.run_in("deep", line);
    assert_eq!(ended.code, 0, "{}", ended.shown());
}

#[test]
fn what_a_found_file_sets_is_said_in_one_line() {
    let rig = rig("[dedup]\ntext-key = \"body\\r\\n\\u001b[2Kerror\"\n");
    let ended = rig.run("dedup a.jsonl -o b.jsonl");
    let lines = ended
        .stderr
        .lines()
        .filter(|line| line.contains("from tegula.toml"));
    assert_eq!(lines.count(), 1, "{}", ended.shown());
    assert!(!ended.stderr.contains('\u{1b}'), "{:?}", ended.stderr);
}

#[test]
fn what_the_command_line_rules_out_is_left_out() {
    let rig = rig("[all]\ntext-key = 'body'\n[dedup]\noutput = 'never.jsonl'\n");
    let ended = rig.run("dedup a.jsonl --check --config tegula.toml");
    assert_eq!(ended.code, 1, "{}", ended.shown());
    assert!(!rig.files().iter().any(|file| file.contains("never")));
    rig.ok("dedup a.jsonl --config tegula.toml");
    assert!(rig.files().iter().any(|file| file.contains("never")));
    // Whichever of two that exclude each other is in the file.
    rig.write(
        "tegula.toml",
        "[all]\ntext-key = 'body'\nverbose = true\n[dedup]\ncheck = true\n",
    );
    let quiet = rig.ok("dedup a.jsonl -o b.jsonl -q --config tegula.toml");
    assert!(!quiet.stderr.contains("took"), "{}", quiet.stderr);
    assert!(rig.files().iter().any(|file| file.contains("b.jsonl")));
}

#[test]
fn wrong_files_are_refused_with_what_was_meant() {
    for (config, said) in [
        ("[dedpu]\n", "did you mean 'dedup'?"),
        ("[dedup]\ntreshold = 0.7\n", "did you mean 'threshold'?"),
        (
            "[all]\nconfig = 'x'\n",
            "all.config: there is no option --config",
        ),
        (
            "threshold = 0.7\n",
            "expected a table of options, as in [dedup]",
        ),
        (
            "[dedup]\nthreshold = 'much'\n",
            "tegula.toml: invalid value 'much' for '--threshold <T>'",
        ),
        (
            "[dedup]\nthreshold = [0.7]\n",
            "threshold: expected one value, found array",
        ),
        (
            "[dedup]\nstrict-ids = 'yes'\n",
            "strict-ids: expected true or false, found string",
        ),
        (
            "[dedup]\nevidence = 'all'\n",
            "a configuration file must not do unless you name it",
        ),
        ("[dedup]\nlimit = 'all'\n", "--no-config ignores it"),
        ("[recipes]\nmine = 3\n", "recipes: expected names and files"),
        ("[all]\n[dedup\n", "tegula.toml: line 2 is not TOML: "),
        (
            "[dedup]\nrecipe = 'copis'\n",
            "--recipe is set in tegula.toml; --no-config ignores that file",
        ),
    ] {
        let ended = rig(config).run("dedup a.jsonl --text-key body -o b.jsonl");
        assert_eq!(ended.code, 2, "{config}: {}", ended.shown());
        assert!(ended.shown().contains(said), "{config}: {}", ended.shown());
    }
    let ended = rig("").run("dedup a.jsonl --config none.toml -o b.jsonl");
    assert!(ended.shown().contains("none.toml"), "{}", ended.shown());
}

#[test]
fn outputs_cannot_replace_the_file() {
    let rig = rig("[all]\ntext-key = 'body'\n");
    rig.ok("dedup a.jsonl -o b.jsonl --run evidence --evidence all");
    for line in [
        "dedup a.jsonl -o tegula.toml --overwrite",
        "dedup a.jsonl -o c.jsonl --removed tegula.toml",
        "dedup a.jsonl --list kept=tegula.toml",
        "pairs a.jsonl -o ./tegula.toml",
        "phrases a.jsonl -o tegula.toml",
        "passages a.jsonl --report tegula.toml",
        "templates a.jsonl --report tegula.toml",
        "stories a.jsonl -o tegula.toml",
        "stats a.jsonl -o tegula.toml",
        "sweep a.jsonl -o tegula.toml",
        "filter a.jsonl -o tegula.toml",
        "report evidence -o tegula.toml",
        "diff evidence evidence -o tegula.toml",
        "cluster evidence -o tegula.toml",
        "compare a.jsonl -o tegula.toml",
        "judge evidence -o tegula.toml",
        "onion a.jsonl -o tegula.toml",
        "rerun evidence -o tegula.toml",
        "evaluate a.jsonl evidence -o tegula.toml",
    ] {
        let ended = rig.run(line);
        assert_eq!(ended.code, 2, "{line}: {}", ended.shown());
        assert_eq!(
            rig.text("tegula.toml"),
            "[all]\ntext-key = 'body'\n",
            "{line}"
        );
    }
}

#[cfg(unix)]
#[test]
fn files_of_other_users_are_not_used() {
    let rig = rig("[all]\ntext-key = 'body'\n");
    // Only the administrator may give files away.
    if std::os::unix::fs::chown(rig.path("tegula.toml"), Some(54_321), None).is_err() {
        return;
    }
    let ended = rig.run("dedup a.jsonl -o b.jsonl");
    assert_eq!(ended.code, 2, "{}", ended.shown());
    assert!(
        ended
            .shown()
            .contains("tegula.toml belongs to another user and is not used"),
        "{}",
        ended.shown()
    );
    rig.ok("dedup a.jsonl -o b.jsonl --config tegula.toml");
}
