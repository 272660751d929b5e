//! Inputs that change while they are read, or between the stages of a run.

use super::*;

#[test]
fn an_input_that_changes_is_noticed_or_does_not_matter() {
    let mut chance = Chance(2);
    let (expected, time) = undisturbed(LINE);
    for round in 0..rounds() {
        let rig = corpus();
        let path = rig.path(&format!("in/{}.jsonl", chance.below(4)));
        let original = fs::read(&path).unwrap();
        let child = start(&rig, LINE);
        std::thread::sleep(Duration::from_micros(chance.below(time.as_micros() as u64)));
        match round % 4 {
            0 => fs::write(
                &path,
                [
                    &original[..],
                    b"{\"id\":\"new\",\"text\":\"a new text at the end\"}\n",
                ]
                .concat(),
            )
            .unwrap(),
            1 => fs::OpenOptions::new()
                .write(true)
                .open(&path)
                .unwrap()
                .set_len(original.len() as u64 / 3)
                .unwrap(),
            2 => {
                // As many bytes, and a time as before: only the bytes say so.
                let time = fs::metadata(&path).unwrap().modified().unwrap();
                let other = String::from_utf8(original.clone())
                    .unwrap()
                    .replace(" a ", " e ");
                fs::write(&path, other).unwrap();
                fs::OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .unwrap()
                    .set_modified(time)
                    .unwrap();
            }
            _ => {
                rig.write("new.jsonl", original.to_ascii_uppercase());
                fs::rename(rig.path("new.jsonl"), &path).unwrap();
            }
        }
        let changed = fs::read(&path).unwrap();
        let (_, ended) = end(child);
        let written = outputs(&rig);
        if ended.code == 0 {
            // It was read whole before, or opened afterwards.
            let late = {
                let rig = corpus();
                fs::write(rig.path("in").join(path.file_name().unwrap()), &changed).unwrap();
                rig.run(LINE).code == 0 && outputs(&rig) == written
            };
            assert!(
                written == expected || late,
                "round {round}: {}",
                ended.stderr
            );
        } else {
            assert_eq!(ended.code, 2, "round {round}: {}", ended.stderr);
            assert!(
                written.is_empty(),
                "round {round}: {written:?} {}",
                ended.stderr
            );
        }
        assert_eq!(unfinished(&rig), [""; 0], "round {round}");
        assert_eq!(
            fs::read(&path).unwrap(),
            changed,
            "the run changes nothing itself"
        );
    }
}

/// Between the stages of a run nothing is open, so that each of them must look.
#[test]
fn an_input_that_changed_is_noticed_by_from_and_resume_even_if_its_time_says_nothing() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o a.jsonl --run run --evidence all -q");
    let time = fs::metadata(rig.path("peps.jsonl"))
        .unwrap()
        .modified()
        .unwrap();
    let other = rig.text("peps.jsonl").replace(" a ", " e ");
    rig.write("peps.jsonl", other);
    fs::OpenOptions::new()
        .write(true)
        .open(rig.path("peps.jsonl"))
        .unwrap()
        .set_modified(time)
        .unwrap();
    for line in [
        "dedup --from run -o b.jsonl",
        "dedup peps.jsonl -o b.jsonl --run run --evidence all --resume",
    ] {
        let ended = rig.run(line);
        assert_eq!(ended.code, 2, "{line}\n{}", ended.stderr);
        assert!(ended.stderr.contains("changed"), "{line}\n{}", ended.stderr);
        assert!(!rig.path("b.jsonl").exists());
    }
}
