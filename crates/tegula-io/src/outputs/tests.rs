use super::*;
use std::fs;
use std::io::Write;
use tegula::error::ErrorKind;
use tempfile::TempDir;

/// A folder with links resolved, as paths are compared.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    (folder, root)
}

/// All files and folders below, hidden ones too.
fn below(root: &Path) -> Vec<String> {
    let mut names: Vec<String> = walkdir::WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .strip_prefix(root)
                .unwrap()
                .display()
                .to_string()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn an_input_is_no_output_by_any_name() {
    let (_folder, root) = folder();
    fs::create_dir(root.join("in")).unwrap();
    for name in ["a", "in/b"] {
        fs::write(root.join(name), name).unwrap();
    }
    fs::hard_link(root.join("a"), root.join("hard")).unwrap();
    #[cfg(unix)]
    for (to, link) in [("a", "soft"), ("in", "folder"), ("in/new", "dangling")] {
        std::os::unix::fs::symlink(to, root.join(link)).unwrap();
    }
    let outputs = Outputs::default();
    outputs.protect(&root.join("a")).unwrap();
    outputs.protect(&root.join("in")).unwrap();
    for name in [
        "a",
        "in/../a",
        "hard",
        "soft",
        "in/new",
        "folder/new",
        "folder/deep/new",
        "dangling",
        "in/b",
    ] {
        let error = outputs
            .claim("-o", &root.join(name), Role::File)
            .unwrap_err();
        assert!(error.message().contains("input"), "{name}: {error}");
        assert!(outputs.create(&root.join(name)).is_err(), "{name}");
    }
    assert!(
        outputs
            .claim("--run", &root.join("in"), Role::Shared)
            .is_err()
    );
    outputs
        .claim("-o", &root.join("out"), Role::Folder)
        .unwrap();
    assert!(
        outputs
            .claim_names(&root.join("out"), ["../a".into()])
            .is_err()
    );
    outputs
        .claim("--list", &root.join("free"), Role::File)
        .unwrap();
    // The other way round: what is claimed cannot become an input.
    assert!(outputs.protect(&root.join("free")).is_err());
}

#[test]
fn no_path_is_claimed_twice() {
    let (_folder, root) = folder();
    fs::write(root.join("old"), "").unwrap();
    fs::hard_link(root.join("old"), root.join("same")).unwrap();
    let outputs = Outputs::default();
    outputs
        .claim("-o", &root.join("out"), Role::Folder)
        .unwrap();
    outputs
        .claim_names(&root.join("out"), ["a".into(), "deep/b".into()])
        .unwrap();
    outputs
        .claim("--removed", &root.join("old"), Role::File)
        .unwrap();
    for path in ["out/a", "out/deep/b", "out", "same", "out/../old"] {
        assert!(
            outputs
                .claim("--list", &root.join(path), Role::File)
                .is_err(),
            "{path}"
        );
    }
    outputs
        .claim("--list", &root.join("out/list"), Role::File)
        .unwrap();
    outputs.claim("--json", Path::new("-"), Role::File).unwrap();
    let error = outputs.claim("-o", Path::new("-"), Role::File).unwrap_err();
    assert!(error.message().contains("--json and -o both"), "{error}");
}

#[test]
fn all_files_are_named_together_and_what_was_before_stays_until_then() {
    let (_folder, root) = folder();
    fs::write(root.join("a"), "old").unwrap();
    let outputs = Outputs::default();
    outputs.write(&root.join("a"), b"new").unwrap();
    outputs.write(&root.join("deep/er/b"), b"new").unwrap();
    assert_eq!(fs::read(root.join("a")).unwrap(), b"old");
    assert!(!root.join("deep/er/b").exists());
    assert_eq!(
        outputs.publish().unwrap().named,
        [root.join("a"), root.join("deep/er/b")]
    );
    assert_eq!(fs::read(root.join("a")).unwrap(), b"new");
    drop(outputs);
    assert_eq!(below(&root), ["a", "deep", "deep/er", "deep/er/b"]);
}

#[test]
fn where_one_name_cannot_be_given_none_is() {
    let (_folder, root) = folder();
    fs::write(root.join("a"), "old").unwrap();
    let outputs = Outputs::default();
    for name in ["a", "b", "c", "d"] {
        outputs.write(&root.join(name), b"new").unwrap();
    }
    outputs.remove(&root.join("e"));
    fs::create_dir_all(root.join("c/full")).unwrap();
    let error = outputs.publish().unwrap_err();
    assert_eq!(error.path(), Some(root.join("c").as_path()));
    drop(outputs);
    assert_eq!(fs::read(root.join("a")).unwrap(), b"old");
    assert_eq!(below(&root), ["a", "c", "c/full"]);
}

#[test]
fn a_changed_input_leaves_everything_unnamed() {
    let (_folder, root) = folder();
    fs::write(root.join("in"), "one").unwrap();
    let outputs = Outputs::default();
    outputs
        .guard([&InputGuard::of(&root.join("in")).unwrap()])
        .unwrap();
    outputs.write(&root.join("out"), b"one").unwrap();
    fs::write(root.join("in"), "another").unwrap();
    assert_eq!(outputs.publish().unwrap_err().kind(), ErrorKind::Changed);
    drop(outputs);
    assert_eq!(below(&root), ["in"]);
}

#[test]
fn what_is_not_published_is_removed_with_the_folders_made_for_it() {
    let (_folder, root) = folder();
    let outputs = Outputs::default();
    outputs
        .claim("-o", &root.join("out"), Role::Folder)
        .unwrap();
    outputs.begin().unwrap();
    let mut draft = outputs.create(&root.join("out/deep/a")).unwrap();
    draft.write_all(b"half").unwrap();
    outputs.write(&root.join("out/b"), b"whole").unwrap();
    outputs.unfinished().abandon();
    assert_eq!(below(&root), [""; 0]);
    assert_eq!(draft.finish().unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(outputs.publish().unwrap_err().kind(), ErrorKind::Cancelled);
    drop(outputs);
    assert_eq!(below(&root), [""; 0]);
}

/// Writes some files to a folder, and publishes them.
fn run(root: &Path, names: &[&str], overwrite: bool) -> Result<()> {
    let outputs = Outputs::new(overwrite);
    outputs.claim("-o", root, Role::Folder)?;
    outputs.claim_names(root, names.iter().map(PathBuf::from))?;
    outputs.begin()?;
    names
        .iter()
        .try_for_each(|name| outputs.write(&root.join(name), name.as_bytes()))?;
    outputs.publish().map(drop)
}

#[test]
fn files_of_others_in_an_output_folder_are_named_and_those_of_an_earlier_run_removed_on_demand() {
    let (_folder, root) = folder();
    let out = root.join("out");
    run(&out, &["a", "b", "deep/c"], false).unwrap();
    run(&out, &["a", "b", "deep/c"], false).unwrap();
    let error = run(&out, &["a"], false).unwrap_err();
    assert!(
        error.message().ends_with("found others in it: b, deep/c"),
        "{error}"
    );
    assert!(
        error.advice().unwrap().contains("with overwrite"),
        "{error}"
    );
    fs::write(out.join("thesis.txt"), "x").unwrap();
    // Longer than what was written: somebody else's work.
    fs::write(out.join("b"), "edited").unwrap();
    run(&out, &["a"], true).unwrap();
    assert_eq!(below(&out), [".tegula.json", "a", "b", "thesis.txt"]);
    let error = run(&out, &["a"], false).unwrap_err();
    assert!(error.advice().unwrap().contains("keep them"), "{error}");
}

#[test]
fn a_claimed_name_that_is_not_written_is_gone() {
    let (_folder, root) = folder();
    let out = root.join("out");
    run(&out, &["a", "deep/b"], false).unwrap();
    let outputs = Outputs::default();
    outputs.claim("-o", &out, Role::Folder).unwrap();
    outputs
        .claim_names(&out, ["a".into(), "deep/b".into()])
        .unwrap();
    outputs.begin().unwrap();
    outputs.write(&out.join("a"), b"new").unwrap();
    assert!(out.join("deep/b").exists());
    outputs.publish().unwrap();
    assert_eq!(below(&out), [".tegula.json", "a"]);
}

#[test]
fn a_folder_that_a_run_writes_nothing_to_stays_as_it_is() {
    let (_folder, root) = folder();
    let out = root.join("out");
    run(&out, &["a", "deep/b"], false).unwrap();
    let outputs = Outputs::default();
    outputs.claim("--quarantine", &out, Role::Folder).unwrap();
    outputs
        .claim_names(&out, ["a".into(), "deep/b".into()])
        .unwrap();
    outputs.begin().unwrap();
    outputs.publish().unwrap();
    assert_eq!(below(&out), [".tegula.json", "a", "deep", "deep/b"]);
}

#[test]
fn the_next_run_removes_what_a_dead_one_left_and_nothing_of_a_living_one() {
    let (_folder, root) = folder();
    let out = root.join("out");
    fs::create_dir_all(out.join("deep")).unwrap();
    let dead = "0123456789abcdef";
    for name in [
        format!(".a.Ab3xYz.{dead}.part"),
        format!(".a.before.{dead}.part"),
        format!("deep/.b.Ab3xYz.{dead}.part"),
    ] {
        fs::write(out.join(name), "half").unwrap();
    }
    let lock = format!(".tegula-{dead}.lock");
    fs::write(out.join(lock), format!("tegula run {dead}\n")).unwrap();
    // Of another program.
    fs::write(out.join(".c.part"), "").unwrap();
    let living = Outputs::default();
    let draft = living.create(&out.join("living")).unwrap();
    run(&out, &["a"], false).unwrap();
    let left = below(&out);
    assert_eq!(
        left.iter().filter(|name| name.contains(dead)).count(),
        0,
        "{left:?}"
    );
    assert_eq!(
        left.len(),
        6,
        "a, its list, the folder, the other program's, and two of the living: {left:?}"
    );
    draft.finish().unwrap();
    living.publish().unwrap();
    drop(living);
    assert_eq!(
        below(&out),
        [".c.part", ".tegula.json", "a", "deep", "living"]
    );
}

#[test]
fn what_only_looks_like_a_leftover_is_that_of_others() {
    let (_folder, root) = folder();
    let out = root.join("out");
    fs::create_dir_all(&out).unwrap();
    let (empty, other) = ("0123456789abcdef", "fedcba9876543210");
    let names = [
        ".tegula-mkv.lock".to_owned(),
        "movie.mkv.part".to_owned(),
        ".movie.Ab3xYz.mkv.part".to_owned(),
        format!(".tegula-{empty}.lock"),
        format!(".a.Ab3xYz.{empty}.part"),
        format!(".tegula-{other}.lock"),
        format!(".a.Ab3xYz.{other}.part"),
    ];
    for name in &names {
        fs::write(out.join(name), "").unwrap();
    }
    fs::write(out.join(&names[5]), format!("tegula run {empty}\n")).unwrap();
    let before = below(&out);
    let outputs = Outputs::default();
    outputs.claim("-o", &out.join("new"), Role::File).unwrap();
    outputs.begin().unwrap();
    outputs.write(&out.join("new"), b"x").unwrap();
    outputs.publish().unwrap();
    drop(outputs);
    let mut after = below(&out);
    after.retain(|name| name != "new");
    assert_eq!(after, before);
}

#[cfg(unix)]
#[test]
fn no_link_in_an_output_folder_leads_to_a_file_elsewhere() {
    let (_folder, root) = folder();
    fs::write(root.join("precious"), "mine").unwrap();
    fs::create_dir_all(root.join("run/stages")).unwrap();
    std::os::unix::fs::symlink("../precious", root.join("run/a")).unwrap();
    std::os::unix::fs::symlink("..", root.join("run/b")).unwrap();
    let claimed = || {
        let outputs = Outputs::new(true);
        outputs
            .claim("--run", &root.join("run"), Role::Shared)
            .unwrap();
        outputs
    };
    for name in ["a", "b/precious", "b/new"] {
        let error = claimed()
            .claim_names(&root.join("run"), [PathBuf::from(name)])
            .unwrap_err();
        assert!(error.to_string().contains("leads out of it"), "{error}");
        let error = claimed()
            .write(&root.join("run").join(name), b"new")
            .unwrap_err();
        assert!(error.to_string().contains("leads out of it"), "{error}");
    }
    claimed().write(&root.join("run/c"), b"new").unwrap();
    assert_eq!(fs::read(root.join("precious")).unwrap(), b"mine");
    assert!(!root.join("new").exists());
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_a_device_written_to() {
    let (_folder, root) = folder();
    for (to, link) in [("target", "link"), ("missing", "dangling")] {
        std::os::unix::fs::symlink(to, root.join(link)).unwrap();
    }
    fs::write(root.join("target"), "old").unwrap();
    let outputs = Outputs::default();
    outputs.write(&root.join("link"), b"new").unwrap();
    outputs.write(&root.join("dangling"), b"new").unwrap();
    outputs.write(Path::new("/dev/null"), b"new").unwrap();
    outputs.publish().unwrap();
    assert!(root.join("link").is_symlink() && root.join("dangling").is_symlink());
    assert_eq!(fs::read(root.join("target")).unwrap(), b"new");
    assert_eq!(fs::read(root.join("missing")).unwrap(), b"new");
    assert!(is_special(Path::new("/dev/null")));
}

#[test]
fn long_names_and_those_that_are_no_text_are_written() {
    let (_folder, root) = folder();
    let outputs = Outputs::default();
    outputs.write(&root.join("ä".repeat(120)), b"x").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        outputs
            .write(
                &root.join(std::ffi::OsStr::from_bytes(b"a\xff.jsonl")),
                b"x",
            )
            .unwrap();
    }
    outputs.publish().unwrap();
    assert!(root.join("ä".repeat(120)).exists());
}
