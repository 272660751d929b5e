//! Tests of `run`.

use super::*;

#[test]
fn run_json_round_trips() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    let run = RunFolder::claim(&outputs, &folder.path().join("a/run")).unwrap();
    let mut info = RunInfo {
        version: "0.1.0".into(),
        recipe: serde_json::json!({"method": "sscr", "threshold": "4/5"}),
        warnings: vec!["w".into()],
        ..RunInfo::default()
    };
    info.counts.insert("units".into(), u64::MAX.into());
    run.write_info(&outputs, &info).unwrap();
    assert!(
        RunFolder::open(run.path()).is_err(),
        "not before it is published"
    );
    outputs.publish().unwrap();
    info.format = FORMAT;
    info.folder = std::env::current_dir().ok();
    let read = RunFolder::open(run.path()).unwrap().info().unwrap();
    assert!(read.date.as_ref().is_some_and(|date| date.ends_with('Z')));
    info.date.clone_from(&read.date);
    assert_eq!(read, info);
    assert!(run.table::<Units>().ends_with("units.parquet"));
}

#[test]
fn a_folder_with_other_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("thesis.txt");
    std::fs::write(&other, "x").unwrap();
    let claim = |path: &Path| RunFolder::claim(&Outputs::default(), path);
    assert_eq!(claim(folder.path()).unwrap_err().kind(), ErrorKind::Run);
    assert!(RunFolder::open(folder.path()).is_err());
    // Other programs have files of this name.
    std::fs::write(
        folder.path().join("run.json"),
        "{\"format\": 1, \"loss\": [0.5]}",
    )
    .unwrap();
    assert_eq!(claim(folder.path()).unwrap_err().kind(), ErrorKind::Run);
    // Remains of a killed run do not count.
    let killed = folder.path().join("killed");
    for name in [
        "stages/.features.part/stage.bin",
        "stages/features/stage.bin",
        "1-texts/.units.parquet.Ab3xYz.0123456789abcdef.part",
        ".tegula-0123456789abcdef.lock",
    ] {
        std::fs::create_dir_all(killed.join(name).parent().unwrap()).unwrap();
        std::fs::write(killed.join(name), "tegula run 0123456789abcdef\n").unwrap();
    }
    claim(&killed).unwrap();
    std::fs::write(killed.join("stages/mine.txt"), "x").unwrap();
    assert_eq!(claim(&killed).unwrap_err().kind(), ErrorKind::Run);
    assert!(RunFolder::open(&other).is_err());
    assert!(claim(&other).is_err());
}

#[test]
fn a_new_run_replaces_an_old_one_when_it_is_whole_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let make = |tables: &[&str]| {
        let outputs = Outputs::default();
        let run = RunFolder::claim(&outputs, folder.path()).unwrap();
        run.replace_all(&outputs).unwrap();
        outputs.begin().unwrap();
        for table in tables {
            outputs.write(&folder.path().join(table), b"x").unwrap();
        }
        run.write_info(&outputs, &RunInfo::default()).unwrap();
        outputs
    };
    make(&["units.parquet", "pairs.parquet"]).publish().unwrap();
    std::fs::write(folder.path().join("notes.md"), "x").unwrap();
    let there = |name: &str| folder.path().join(name).exists();
    drop(make(&["units.parquet"]));
    assert!(there("pairs.parquet"), "the run did not come to its end");
    make(&["units.parquet"]).publish().unwrap();
    assert!(!there("pairs.parquet"));
    assert!(there("units.parquet") && there("run.json") && there("notes.md"));
}

#[test]
fn the_folder_of_a_run_that_was_killed_while_its_files_got_names_is_taken_up_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    let run = RunFolder::claim(&outputs, folder.path()).unwrap();
    run.replace_all(&outputs).unwrap();
    let stage = run.stage(&outputs, "1-lines").unwrap();
    outputs.begin().unwrap();
    outputs.write(&stage.table::<Units>(), b"x").unwrap();
    stage.write_info(&outputs, &RunInfo::default()).unwrap();
    outputs.write(&run.table::<Units>(), b"x").unwrap();
    run.write_info(&outputs, &RunInfo::default()).unwrap();
    outputs.publish().unwrap();
    // Interrupted: the list and some tables have been renamed into place, run.json has not.
    std::fs::remove_file(folder.path().join(INFO)).unwrap();
    let error = RunFolder::open(folder.path()).unwrap_err();
    assert!(error.message().contains("incomplete run"), "{error}");
    let outputs = Outputs::default();
    let run = RunFolder::claim(&outputs, folder.path()).unwrap();
    run.replace_all(&outputs).unwrap();
    outputs.begin().unwrap();
    run.write_info(&outputs, &RunInfo::default()).unwrap();
    outputs.publish().unwrap();
    assert!(
        !run.table::<Units>().exists() && !stage.table::<Units>().exists(),
        "tables of the killed run are left"
    );
}

#[test]
fn a_damaged_run_json_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let run = RunFolder::claim(&Outputs::default(), folder.path()).unwrap();
    assert!(run.info().is_err());
    for text in ["", "{", "[]", "{\"format\": 99}"] {
        std::fs::write(folder.path().join("run.json"), text).unwrap();
        assert_eq!(run.info().unwrap_err().kind(), ErrorKind::Run, "{text}");
    }
}

#[test]
fn the_identity_of_inputs_sees_every_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, "x").unwrap();
    let guard = InputGuard::of(&path).unwrap();
    let input = InputFile::of(
        &SourceFile {
            path,
            name: "a.jsonl".into(),
            bytes: 1,
        },
        &guard,
    );
    assert!(input.modified.is_some());
    let one = input_identity(std::slice::from_ref(&input));
    assert_eq!(one, input_identity(std::slice::from_ref(&input)));
    let bigger = InputFile {
        bytes: 2,
        ..input.clone()
    };
    let later = InputFile {
        modified: None,
        ..input.clone()
    };
    assert_ne!(one, input_identity(&[bigger]));
    assert_ne!(one, input_identity(&[later]));
    let other = InputFile {
        inode: Some(1),
        ..input.clone()
    };
    assert_ne!(one, input_identity(&[other]));
    assert_ne!(one, input_identity(&[input.clone(), input]));
}
