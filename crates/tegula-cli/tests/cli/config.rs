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
    let rig =
        rig("[all]\ntext-key = 'body'\nthreads = 1\n[dedup]\nrecipe = 'exact'\nrun = 'evidence'\n");
    let ended = rig.ok("dedup a.jsonl -o b.jsonl");
    assert!(
        ended.shown().contains(
            "note: from tegula.toml: --recipe=exact --run=evidence --text-key=body --threads=1"
        ),
        "{}",
        ended.shown()
    );
    assert_eq!(rig.text("b.jsonl").lines().count(), 2);
    let run = rig.text("evidence/run.json");
    assert!(
        run.contains("tegula dedup --recipe=exact --run=evidence --text-key=body --threads=1 a.jsonl -o b.jsonl"),
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
        "[all]\ntext-key = 'body'\n[recipes]\nmine = 'recipes/mine.toml'\n[dedup]\nrun = 'evidence'\nset = { threshold = '0.7', normalise.digits = 'number' }\n",
    );
    rig.write("recipes/mine.toml", "recipe = 'copies'\nngram = 2\n")
        .write("deep/down/b.jsonl", TEXTS);
    let mut command = rig.command("dedup b.jsonl -o c.jsonl --recipe mine");
    let ended = crate::rig::Ended::of(command.current_dir(rig.path("deep/down")).output().unwrap());
    assert_eq!(ended.code, 0, "{}", ended.shown());
    let run = rig.text("evidence/run.json");
    assert!(
        run.contains("\"ngram\": 2") && run.contains("\"threshold\": \"0.7\""),
        "{run}"
    );
    assert!(rig.ok("recipes mine").out().contains("ngram = 2"));
    // A file that is named comes before one that is found.
    rig.write(
        "other.toml",
        "[all]\ntext-key = 'body'\n[dedup]\nlist = 'kept=kept.txt'\n",
    );
    rig.ok("--config other.toml dedup a.jsonl");
    assert!(
        rig.text("kept.txt").contains('b'),
        "{}",
        rig.text("kept.txt")
    );
}

#[test]
fn what_the_command_line_rules_out_is_left_out() {
    let rig = rig("[all]\ntext-key = 'body'\n[dedup]\noutput = 'never.jsonl'\n");
    let ended = rig.run("dedup a.jsonl --check");
    assert_eq!(ended.code, 1, "{}", ended.shown());
    assert!(!rig.files().iter().any(|file| file.contains("never")));
    rig.ok("dedup a.jsonl");
    assert!(rig.files().iter().any(|file| file.contains("never")));
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
        ("[dedup]\nevidence = 'all'\n", "--no-config ignores it"),
        ("[recipes]\nmine = 3\n", "recipes: expected names and files"),
        ("[dedup\n", "tegula.toml: "),
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
    let ended = rig.run("dedup a.jsonl -o tegula.toml --overwrite");
    assert_eq!(ended.code, 2, "{}", ended.shown());
    assert!(rig.text("tegula.toml").contains("text-key"));
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
