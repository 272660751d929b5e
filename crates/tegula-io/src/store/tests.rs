use super::*;
use crate::outputs::{Outputs, Role};
use std::io::Write as _;

/// A store of its own for each test.
fn place(test: &str, key: &str) -> PathBuf {
    PathBuf::from(format!("memory://{test}/{key}"))
}

/// Bytes without a pattern.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 7_u64;
    (0..length)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        })
        .collect()
}

fn keys(test: &str) -> Vec<String> {
    let folder = place(test, "");
    let found = list_all(&folder).unwrap().into_iter();
    found
        .map(|object| {
            object
                .path
                .strip_prefix(&folder)
                .unwrap()
                .display()
                .to_string()
        })
        .collect()
}

#[test]
fn what_is_read_is_what_was_written_wherever_one_reads() {
    let path = place("reading", "a/b.bin");
    let whole = noise(40 << 20);
    put(&path, whole.clone()).unwrap();
    assert_eq!(read(&path).unwrap(), whole);
    let mut file = File::open(&path).unwrap();
    let mut pieces = Vec::new();
    let mut buffer = vec![0; 77_777];
    loop {
        match file.read(&mut buffer).unwrap() {
            0 => break,
            length => pieces.extend_from_slice(&buffer[..length]),
        }
    }
    assert_eq!(pieces, whole);
    // Columns read in turn, forwards and a little back.
    for step in 0..60 {
        for start in [0, 9 << 20, 21 << 20, 39 << 20] {
            let at = start + step * 15_000;
            let length = 20_000.min(whole.len() - at);
            let bytes = file.get_bytes(at as u64, length).unwrap();
            assert_eq!(bytes, whole[at..at + length], "{at}");
        }
    }
    let end = file.seek(SeekFrom::End(-5)).unwrap();
    let mut rest = Vec::new();
    file.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, whole[end as usize..]);
    assert!(file.get_bytes(end, 6).is_err(), "beyond the end");
}

#[test]
fn another_object_of_the_same_name_is_never_read() {
    let path = place("changing", "a");
    put(&path, noise(2 << 20)).unwrap();
    let mut file = File::open(&path).unwrap();
    let mut some = vec![0; 1000];
    file.read_exact(&mut some).unwrap();
    let mut other = noise(2 << 20);
    other[1 << 20] ^= 1;
    put(&path, other).unwrap();
    let failed = file.read_to_end(&mut some).unwrap_err();
    let error = Error::io("read", &path, failed);
    assert_eq!(error.kind(), ErrorKind::Changed, "{error}");
    delete(&path).unwrap();
    assert!(!is_file(&path) && !exists(&path));
}

#[test]
fn folders_are_what_is_below_a_key() {
    for key in ["f/b.txt", "f/a/x.txt", "f/.hidden", "f/.git/x", "g.txt"] {
        put(&place("folders", key), b"x".to_vec()).unwrap();
    }
    let folder = place("folders", "f");
    let names: Vec<_> = list(&folder)
        .unwrap()
        .into_iter()
        .map(|object| object.path)
        .collect();
    assert_eq!(names, [folder.join("a/x.txt"), folder.join("b.txt")]);
    assert!(is_folder(&folder) && !is_file(&folder) && is_folder(&place("folders", "")));
    assert!(!is_folder(&place("folders", "g.txt")) && is_file(&place("folders", "g.txt")));
    assert!(!exists(&place("folders", "h")));
}

#[test]
fn an_upload_is_completed_by_whoever_has_its_value() {
    let path = place("uploads", "a.bin");
    let whole = noise(20 << 20);
    let mut upload = Upload::create(&path).unwrap();
    upload.write_all(&whole).unwrap();
    let uploaded = upload.finish().unwrap();
    assert!(!exists(&path), "nothing is visible before it is completed");
    let json = serde_json::to_string(&uploaded).unwrap();
    let again: Uploaded = serde_json::from_str(&json).unwrap();
    let object = again.complete().unwrap();
    assert_eq!(object.bytes, whole.len() as u64);
    assert_eq!(read(&path).unwrap(), whole);

    let small = Upload::create(&place("uploads", "small")).unwrap();
    let json = serde_json::to_string(&small.finish().unwrap()).unwrap();
    let again: Uploaded = serde_json::from_str(&json).unwrap();
    assert_eq!(
        again.complete().unwrap().bytes,
        0,
        "an empty one has its part, too"
    );

    let other = place("uploads", "adopted");
    let mut upload = Upload::create(&other).unwrap();
    upload.write_all(b"adopted").unwrap();
    let outputs = Outputs::default();
    outputs.adopt(upload.finish().unwrap()).unwrap();
    assert!(!exists(&other));
    let named = outputs.publish().unwrap().named;
    assert_eq!(named, std::slice::from_ref(&other));
    assert_eq!(read(&other).unwrap(), b"adopted");
    delete(&other).unwrap();

    let mut dropped = Upload::create(&place("uploads", "dropped")).unwrap();
    dropped.write_all(&whole).unwrap();
    drop(dropped);
    assert_eq!(keys("uploads"), ["a.bin", "small"]);
}

#[test]
fn outputs_become_visible_together_or_not_at_all() {
    let folder = place("outputs", "out");
    let write = |names: &[&str], overwrite: bool| -> Result<Outputs> {
        let outputs = Outputs::new(overwrite);
        outputs.claim("⟨output⟩", &folder, Role::Folder)?;
        outputs.claim_names(&folder, names.iter().map(PathBuf::from))?;
        outputs.begin()?;
        for name in names {
            let mut file = outputs.create(&folder.join(name))?;
            file.write_all(&noise(9 << 20)).unwrap();
            file.finish()?;
        }
        Ok(outputs)
    };
    let outputs = write(&["a", "b/c"], false).unwrap();
    assert!(
        keys("outputs")
            .iter()
            .all(|key| key.starts_with("out/.tegula/"))
    );
    let published = outputs.publish().unwrap();
    assert_eq!(published.named, [folder.join("a"), folder.join("b/c")]);
    assert_eq!(keys("outputs"), ["out/.tegula.json", "out/a", "out/b/c"]);

    drop(write(&["a", "b/c"], false).unwrap());
    assert_eq!(
        keys("outputs").len(),
        3,
        "what is not published leaves nothing"
    );
    let error = write(&["a"], false).map(drop).unwrap_err();
    assert!(error.to_string().contains("others in it: b/c"), "{error}");
    let replaced = write(&["a", "d"], true)
        .unwrap()
        .publish()
        .unwrap()
        .replaced;
    assert_eq!(replaced, [folder.join("a")]);
    assert_eq!(keys("outputs"), ["out/.tegula.json", "out/a", "out/d"]);
    let foreign = place("outputs", "out/mine");
    put(&foreign, b"x".to_vec()).unwrap();
    write(&["a"], true).unwrap().publish().unwrap();
    assert_eq!(keys("outputs"), ["out/.tegula.json", "out/a", "out/mine"]);
}

#[test]
fn inputs_are_no_outputs_in_a_store_either() {
    put(&place("claims", "in/a"), b"x".to_vec()).unwrap();
    let outputs = Outputs::default();
    outputs.protect(&place("claims", "in/*.jsonl")).unwrap();
    for path in ["in/a", "in", "in/new"] {
        let refused = outputs.claim("⟨output⟩", &place("claims", path), Role::File);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Usage, "{path}");
    }
    outputs
        .claim("⟨output⟩", &place("claims", "out"), Role::File)
        .unwrap();
    let again = outputs.claim("⟨removed⟩", Path::new("memory://claims//out"), Role::File);
    assert!(again.is_err());
    let web = outputs.claim("⟨list⟩", Path::new("https://h.example/x"), Role::File);
    assert!(web.unwrap_err().to_string().contains("can only be read"));
}

#[test]
fn what_dead_runs_have_begun_is_removed_and_what_living_ones_have_is_not() {
    let folder = Address::parse(&place("notes", "out")).unwrap();
    let client = Client::of(&folder).unwrap();
    let object = Address::parse(&place("notes", "out/a")).unwrap();
    let notes = Notes::of("00000000deadbeef");
    let (living, dead) = {
        let mut notes = notes.lock().unwrap();
        notes.add_folder(&folder);
        (
            notes.begin(&client, &object).unwrap(),
            client.begin(&object).unwrap().wait().unwrap(),
        )
    };
    // The same by a run of this machine that has died: its lock is there, and not held.
    let token = format!("{:016x}", std::process::id());
    let lock = std::env::temp_dir().join(format!(".tegula-{token}.lock"));
    fs::write(&lock, format!("tegula run {token}\n")).unwrap();
    let page = serde_json::json!({
        "token": token, "uploads": [{"address": object.path(), "upload": dead}],
    });
    let path = place("notes", &format!("out/.tegula/{token}-0.json"));
    put(&path, page.to_string().into_bytes()).unwrap();
    sweep(&folder);
    fs::remove_file(lock).unwrap();
    assert_eq!(keys("notes"), ["out/.tegula/00000000deadbeef-0.json"]);
    let part = |id: &str| {
        client
            .part(&object, id, 0, Bytes::from_static(b"x"))
            .unwrap()
            .wait()
    };
    let complete = |id: &str, parts: &[String]| {
        let completing = client.complete(&object, id, parts);
        completing.unwrap().wait()
    };
    assert!(
        complete(&dead, &[]).is_err(),
        "that of the dead run is gone"
    );
    let first = part(&living).unwrap();
    notes.lock().unwrap().clean();
    assert!(complete(&living, &[first]).is_err() && keys("notes").is_empty());
}
