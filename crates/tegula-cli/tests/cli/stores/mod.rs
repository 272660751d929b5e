//! Object stores: what is read and written there is what would be in a folder, whatever a store does.
//!
//! The store is moto's server, which answers as S3 does. Without it the tests are skipped with a word
//! about it, unless `TEGULA_MOTO` names it, as `.ci/run` does.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod proxy;
mod server;

use crate::rig::{Ended, Rig};
use proxy::{Deed, Request};
use server::Server;
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The program with the store at a port, given as other programs are given theirs.
fn command(rig: &Rig, port: u16, line: &str) -> Command {
    let mut command = rig.command(line);
    command
        .env("AWS_ACCESS_KEY_ID", "test")
        .env("AWS_SECRET_ACCESS_KEY", "not-to-be-seen")
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"))
        .env("AWS_ALLOW_HTTP", "true");
    command
}

fn run(rig: &Rig, port: u16, line: &str) -> Ended {
    let ended = Ended::of(command(rig, port, line).output().unwrap());
    assert!(!ended.stderr.contains("not-to-be-seen"), "{}", ended.stderr);
    ended
}

fn succeed(rig: &Rig, port: u16, line: &str) -> Ended {
    let ended = run(rig, port, line);
    assert_eq!(ended.code, 0, "{line}\n{}", ended.stderr);
    ended
}

/// Records of which some are near copies of others.
fn records(count: usize, seed: usize) -> String {
    let mut lines = String::new();
    for number in 0..count {
        let base = number - number % 3;
        let mut text = String::new();
        for word in 0..40 {
            let word = (base * 31 + word * 17 + seed * 7) % 9973;
            write!(text, "w{word} ").unwrap();
        }
        if number % 3 == 1 {
            text.push_str("more");
        }
        writeln!(
            lines,
            r#"{{"id":"{seed}-{number}","text":"{text}","n":{number}}}"#
        )
        .unwrap();
    }
    lines
}

/// A folder with files of several formats.
fn corpus() -> Rig {
    let rig = Rig::new();
    rig.write("one.jsonl", records(900, 1));
    rig.write(
        "one.jsonl.zst",
        zstd::encode_all(records(900, 2).as_bytes(), 3).unwrap(),
    );
    for (name, seed) in [
        ("a", 3),
        ("b/c", 4),
        ("b/d", 5),
        ("e", 6),
        ("f", 7),
        ("ä b+%20", 8),
    ] {
        rig.write(&format!("in/{name}.jsonl"), records(200, seed));
    }
    rig.write("in/.hidden/x.jsonl", "no record");
    let made = rig.run("dedup one.jsonl --recipe exact -o one.parquet");
    assert_eq!(made.code, 0, "{}", made.stderr);
    rig
}

fn upload(rig: &Rig, server: &Server) {
    // As a console makes folders.
    server.put("in/b/", b"");
    for name in rig.files() {
        server.put(&name, &rig.read(&name));
    }
}

/// The lines of a job on files and in a store, and what each writes.
const JOBS: &[(&str, &[&str])] = &[
    (
        "dedup @one.jsonl -o @1/out.jsonl --removed @1/removed.jsonl",
        &["1/out.jsonl", "1/removed.jsonl"],
    ),
    (
        "mark @one.jsonl.zst -o @2/out.jsonl.zst",
        &["2/out.jsonl.zst"],
    ),
    ("dedup @one.parquet -o @3/out.parquet", &["3/out.parquet"]),
    ("mark @one.parquet -o @4/out.parquet", &["4/out.parquet"]),
    (
        "dedup @one.jsonl --against @in/b/ -o @5/out.parquet",
        &["5/out.parquet"],
    ),
    ("pairs @one.jsonl -o @6/pairs.tsv", &["6/pairs.tsv"]),
    ("pairs @in -o @7/pairs.parquet", &["7/pairs.parquet"]),
    (
        "dedup @in -o @8/out --list kept=@8/kept.txt --exclude e.jsonl",
        &[
            "8/out/a.jsonl",
            "8/out/b/c.jsonl",
            "8/out/b/d.jsonl",
            "8/out/f.jsonl",
            "8/out/ä b+%20.jsonl",
            "8/kept.txt",
        ],
    ),
];

/// Does the jobs on files, and through a port, and compares.
fn compare(rig: &Rig, server: &Server, port: u16, jobs: &[(&str, &[&str])]) {
    for (line, written) in jobs {
        for name in *written {
            std::fs::create_dir_all(rig.path(name).parent().unwrap()).unwrap();
        }
        let here = rig.run(&line.replace('@', ""));
        assert_eq!(here.code, 0, "{line}\n{}", here.stderr);
        succeed(rig, port, &line.replace('@', "s3://bucket/"));
        for name in *written {
            assert!(server.get(name) == rig.read(name), "{line}: {name} differs");
        }
    }
}

#[test]
fn a_store_holds_the_bytes_that_a_folder_would() {
    let Some(server) = Server::start() else {
        return;
    };
    let rig = corpus();
    upload(&rig, &server);
    compare(&rig, &server, server.port, JOBS);
    let keys = server.keys();
    assert!(keys.contains(&"8/out/.tegula.json".to_owned()));
    assert!(!keys.iter().any(|key| key.contains(".tegula/")) && server.uploads().is_empty());

    // A wildcard, and the folder of a run that is read again.
    let port = server.port;
    let wildcard = "s3://bucket/in/*/?.jsonl";
    succeed(
        &rig,
        port,
        &format!("dedup {wildcard} -o s3://bucket/9/out --run s3://bucket/run --evidence all"),
    );
    for table in ["pairs", "units", "groups", "clusters", "verdicts"] {
        assert!(
            server.keys().contains(&format!("run/{table}.parquet")),
            "{table}"
        );
    }
    succeed(&rig, port, "dedup --from s3://bucket/run -o again");
    for name in ["b/c.jsonl", "b/d.jsonl"] {
        let there = server.get(&format!("9/out/{name}"));
        assert!(rig.read(&format!("again/{name}")) == there, "{name}");
    }
    succeed(
        &rig,
        port,
        "report s3://bucket/run -o s3://bucket/9/report.html",
    );
    succeed(&rig, port, "explain s3://bucket/run 4-1");
    rig.write(
        "job.toml",
        "[dedup]\noutput = \"s3://bucket/11/out.jsonl\"\n",
    );
    succeed(&rig, port, "dedup s3://bucket/one.jsonl --config job.toml");
    assert_eq!(server.get("11/out.jsonl"), rig.read("1/out.jsonl"));
    succeed(
        &rig,
        port,
        "rerun s3://bucket/run -o s3://bucket/10 --run s3://bucket/run-2",
    );
    assert_eq!(server.get("9/out/b/c.jsonl"), server.get("10/b/c.jsonl"));
    let described = String::from_utf8(server.get("run/run.json")).unwrap();
    assert!(!described.contains("not-to-be-seen"));
    let plan = succeed(&rig, server.port, "plan s3://bucket/in");
    let told = String::from_utf8(plan.stdout).unwrap() + &plan.stderr;
    assert!(told.contains("requests"), "{told}");
}

#[test]
fn a_store_on_a_bad_day_is_as_good() {
    let Some(server) = Server::start() else {
        return;
    };
    let rig = corpus();
    upload(&rig, &server);
    // Refuses every fifth request, cuts every third answer, and lists two at a time.
    let port = proxy::start(server.port, |request: &Request| match &*request.method {
        "GET" if request.target.contains("list-type=2") => {
            Deed::Pass(format!("{}&max-keys=2", request.target))
        }
        _ if request.number % 5 == 3 => Deed::Refuse("503 Slow Down"),
        "GET" if request.number % 3 == 1 => Deed::Cut,
        _ => Deed::Pass(request.target.clone()),
    });
    compare(&rig, &server, port, &[JOBS[1], JOBS[3], JOBS[7]]);
    assert!(server.uploads().is_empty());
}

#[test]
fn a_killed_run_leaves_nothing_visible_and_the_next_one_nothing_at_all() {
    let Some(server) = Server::start() else {
        return;
    };
    let rig = Rig::new();
    // More than two parts, of which the second never arrives.
    rig.write("large.jsonl", records(60_000, 1));
    let hangs = Arc::new(AtomicBool::new(false));
    let does_hang = Arc::clone(&hangs);
    let port = proxy::start(server.port, move |request: &Request| {
        if request.target.contains("partNumber=2") {
            does_hang.store(true, Ordering::Relaxed);
            return Deed::Hang;
        }
        Deed::Pass(request.target.clone())
    });
    let line = "mark large.jsonl --recipe exact -o s3://bucket/out/large.jsonl";
    for signal in ["KILL", "INT"] {
        hangs.store(false, Ordering::Relaxed);
        let mut child = command(&rig, port, line)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while !hangs.load(Ordering::Relaxed) {
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "no part is uploaded"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        let pid = child.id().to_string();
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &pid])
            .status();
        assert!(sent.unwrap().success());
        if signal == "INT" {
            // The first is heard when the part is there, the second at once.
            std::thread::sleep(Duration::from_millis(200));
            let _gone = Command::new("kill").args(["-INT", &pid]).status();
        }
        assert!(!child.wait().unwrap().success());
        let keys = server.keys();
        assert!(
            !keys.contains(&"out/large.jsonl".to_owned()),
            "{signal}: {keys:?}"
        );
        if signal == "KILL" {
            assert_eq!(server.uploads(), ["out/large.jsonl"]);
            assert!(
                keys.len() == 1 && keys[0].starts_with("out/.tegula/"),
                "{keys:?}"
            );
            // A short run that writes elsewhere in the same folder.
            rig.write("small.jsonl", records(3, 2));
            succeed(
                &rig,
                server.port,
                "mark small.jsonl -o s3://bucket/out/small.jsonl",
            );
            assert_eq!(server.keys(), ["out/small.jsonl"]);
        }
        assert!(server.uploads().is_empty(), "{signal}");
    }
    assert_eq!(server.keys(), ["out/small.jsonl"]);
    succeed(&rig, server.port, line);
    let here = rig.run("mark large.jsonl --recipe exact -o here.jsonl");
    assert_eq!(here.code, 0, "{}", here.stderr);
    assert!(server.get("out/large.jsonl") == rig.read("here.jsonl"));
}

#[test]
fn an_input_that_changes_ends_the_run() {
    let Some(server) = Server::start() else {
        return;
    };
    let server = Arc::new(server);
    let rig = Rig::new();
    for (name, reads) in [("first", 1), ("late", 2)] {
        let content = records(900, 1);
        server.put(&format!("{name}.jsonl"), content.as_bytes());
        let changed = content.replace("w17 ", "w18 ");
        let (behind, key) = (Arc::clone(&server), format!("{name}.jsonl"));
        let port = proxy::start(server.port, move |request: &Request| {
            if request.method == "GET" && request.number == reads {
                behind.put(&key, changed.as_bytes());
            }
            Deed::Pass(request.target.clone())
        });
        let ended = run(
            &rig,
            port,
            &format!("dedup s3://bucket/{name}.jsonl -o s3://bucket/out.jsonl"),
        );
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(
            ended.stderr.contains("changed while it was in use"),
            "{}",
            ended.stderr
        );
        assert!(!server.keys().contains(&"out.jsonl".to_owned()));
    }
}

#[test]
fn what_is_wrong_is_said_in_a_line() {
    let Some(server) = Server::start() else {
        return;
    };
    let rig = Rig::new();
    rig.write("a.jsonl", records(3, 1));
    server.put("a.jsonl", records(3, 1).as_bytes());
    server.put("out/c.jsonl", b"");
    server.put("in/a.jsonl", records(3, 1).as_bytes());
    server.put("in/b.jsonl", records(3, 2).as_bytes());
    let forbidden = proxy::start(server.port, |_: &Request| Deed::Refuse("403 Forbidden"));
    let (good, nobody) = (server.port, server::free_port());
    let cases: &[(u16, &str, &str)] = &[
        (
            good,
            "dedup s3://bucket/none.jsonl -o x.jsonl",
            "neither an object nor a folder",
        ),
        (
            good,
            "dedup s3://nowhere/a.jsonl -o x.jsonl",
            "the bucket nowhere does not exist",
        ),
        (
            good,
            "dedup a.jsonl -o s3://nowhere/x.jsonl",
            "the bucket nowhere does not exist",
        ),
        (
            forbidden,
            "dedup s3://bucket/a.jsonl -o x.jsonl",
            "refuses access (403",
        ),
        (
            nobody,
            "dedup s3://bucket/a.jsonl -o x.jsonl",
            "cannot be reached: Connection refused",
        ),
        (
            good,
            "dedup a.jsonl -o https://me:hidden@h.example/x.jsonl",
            "can only be read",
        ),
        (
            good,
            "dedup s3://bucket/a.jsonl -o s3://bucket/a.jsonl",
            "the output is one of the inputs",
        ),
        (
            good,
            "dedup s3://bucket/in -o s3://bucket/in/x",
            "is an input folder or inside one",
        ),
        (
            good,
            "dedup s3://bucket/in -o s3://bucket/out",
            "a folder with only files that this run replaces",
        ),
        (good, "dedup s3://bucket/in --exclude *.jsonl -o x", "no"),
        (good, "dedup s3://bucket/in/*.csv -o x", "expected"),
        (
            good,
            "index s3://bucket/index a.jsonl",
            "expected a path on this machine",
        ),
        (
            good,
            "dedup a.jsonl -o x.jsonl --run s3://bucket/run --resume",
            "expected a path on this machine",
        ),
    ];
    std::thread::scope(|scope| {
        for (port, line, expected) in cases {
            let rig = &rig;
            scope.spawn(move || {
                let ended = run(rig, *port, line);
                assert_eq!(ended.code, 2, "{line}\n{}", ended.stderr);
                let first = ended.stderr.lines().next().unwrap_or_default();
                assert!(first.contains(expected), "{line}\n{}", ended.stderr);
                assert!(!ended.stderr.contains("hidden"), "{}", ended.stderr);
            });
        }
    });
    assert_eq!(rig.files(), ["a.jsonl"]);
}

#[test]
fn a_web_server_is_read_from() {
    let Some(server) = Server::start() else {
        return;
    };
    let rig = Rig::new();
    rig.write("a.jsonl", records(900, 1));
    server.put("a.jsonl", &rig.read("a.jsonl"));
    let port = server.port;
    let line = format!(
        "dedup http://me:hidden@127.0.0.1:{port}/bucket/a.jsonl?sig=hidden -o x.jsonl --run run"
    );
    let ended = run(&rig, port, &line);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(!ended.stderr.contains("hidden"), "{}", ended.stderr);
    assert!(
        !rig.text("run/run.json").contains("hidden"),
        "{}",
        rig.text("run/run.json")
    );
    rig.run("dedup a.jsonl -o y.jsonl");
    assert!(rig.read("x.jsonl") == rig.read("y.jsonl"));
}
