//! What looks like a lock of a run.

use super::*;

#[test]
fn what_looks_like_a_lock_is_neither_opened_nor_followed() {
    let rig = corpus();
    fs::create_dir(rig.path("out")).unwrap();
    let token = "0123456789abcdef";
    let content = format!("tegula run {token}\n");
    let part = format!("out/.a.Ab3xYz.{token}.part");
    let lock = format!("out/.tegula-{token}.lock");
    rig.write("precious", &content);
    let make: [(&str, &dyn Fn()); 5] = [
        ("a pipe", &|| {
            let made = std::process::Command::new("mkfifo")
                .args([rig.path(&lock), rig.path("out/.tegula-ab.lock")])
                .status();
            assert!(made.unwrap().success());
        }),
        ("a folder", &|| fs::create_dir(rig.path(&lock)).unwrap()),
        ("a link", &|| {
            std::os::unix::fs::symlink("../precious", rig.path(&lock)).unwrap();
        }),
        ("a device", &|| {
            std::os::unix::fs::symlink("/dev/zero", rig.path(&lock)).unwrap();
        }),
        ("empty", &|| {
            rig.write(&lock, "").write("out/.tegula-mkv.lock", "");
        }),
    ];
    for (what, make) in make {
        rig.write(&part, "of somebody")
            .write("out/movie.mkv.part", "of somebody");
        make();
        let clock = Instant::now();
        let mut child = start(&rig, "dedup in/0.jsonl -o out/new.jsonl -q");
        while child.try_wait().unwrap().is_none() && clock.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let hangs = child.try_wait().unwrap().is_none();
        if hangs {
            signal(&child, "-KILL");
        }
        let (_, ended) = end(child);
        assert!(!hangs && ended.code == 0, "{what}: {}", ended.stderr);
        assert!(rig.path(&lock).symlink_metadata().is_ok(), "{what}");
        for name in [&*part, "out/movie.mkv.part"] {
            assert_eq!(rig.text(name), "of somebody", "{what}");
        }
        assert_eq!(rig.text("precious"), content, "{what}");
        fs::remove_dir_all(rig.path("out")).unwrap();
        fs::create_dir(rig.path("out")).unwrap();
    }
    // A real one that was left is removed with its files, and nothing else is.
    rig.write(&lock, &content)
        .write(&part, "half")
        .write("out/movie.mkv.part", "mine");
    rig.ok("dedup in/0.jsonl -o out/new.jsonl -q");
    assert!(!rig.path(&lock).exists() && !rig.path(&part).exists());
    assert_eq!(rig.text("out/movie.mkv.part"), "mine");
}
