//! `tegula serve`: that it does what its pages of documentation show. What a server answers is tested where it is.

use crate::rig::{Rig, Server, testdata};
use regex::Regex;
use std::io::{Read, Write};
use std::net::TcpStream;

impl Server {
    /// The status and body of an answer.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1.to_owned();
        (status, body)
    }
}

/// Sends what a page shows as lines of curl; returns the answers.
fn send_all(server: &Server, page: &str) -> Vec<(u16, String)> {
    let text = std::fs::read_to_string(testdata().join("../docs").join(page)).unwrap();
    let line =
        Regex::new(r"(?m)^curl (?:-X (\w+) )?localhost:7878(/\S+)(?: --json '(.*)')?$").unwrap();
    let found = line.captures_iter(&text).map(|found| {
        let part = |at: usize| found.get(at).map(|part| part.as_str());
        let body = part(3).unwrap_or_default();
        let method = part(1).unwrap_or(if body.is_empty() { "GET" } else { "POST" });
        server.ask(method, part(2).unwrap(), body)
    });
    found.collect()
}

#[test]
fn the_pages_about_it_show_what_it_answers() {
    let rig = Rig::new();
    rig.write(
        "ads.jsonl",
        "{\"id\":\"ad-1\",\"text\":\"Bright flat of three rooms\",\"date\":\"2024-04-30\"}\n",
    );
    rig.ok("index ads.idx ads.jsonl --recipe messages --fields date -q");
    let server = rig.serve("ads.idx");
    let answers = send_all(&server, "serve.md");
    let statuses: Vec<u16> = answers.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [200, 201, 204], "{answers:?}");
    assert!(
        answers[0].1.contains("\"id\":\"ad-1\",\"score\":1.0"),
        "{answers:?}"
    );
    let messages = std::fs::read(testdata().join("guides/messages.csv")).unwrap();
    rig.write("messages.csv", messages);
    rig.ok("index spam.idx messages.csv --text-key body --recipe messages --fields sender -q");
    let server = rig.serve("spam.idx");
    let answers = send_all(&server, "guides/keep-an-index.md");
    let statuses: Vec<u16> = answers.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [200, 201], "{answers:?}");
    assert!(answers[0].1.contains("\"id\":\"m01\""), "{answers:?}");
}

#[test]
fn answers_are_those_of_the_command_line() {
    let rig = Rig::new();
    let texts = std::fs::read_to_string(testdata().join("peps.jsonl")).unwrap();
    rig.write("peps.jsonl", &texts);
    rig.ok("index idx peps.jsonl --recipe ssr -q");
    let asked = rig.ok("query idx peps.jsonl --threshold 0.3 --passages -q");
    let server = rig.serve("idx");
    for (line, known) in texts.lines().zip(asked.out().lines()) {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let question = serde_json::json!({"text": record["text"], "threshold": 0.3, "passages": true, "top": 1000});
        let (status, answer) = server.ask("POST", "/query", &question.to_string());
        assert_eq!(status, 200, "{answer}");
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let known: serde_json::Value = serde_json::from_str(known).unwrap();
        assert_eq!(
            (&answer["matches"], &answer["more"]),
            (&known["matches"], &false.into())
        );
    }
}

#[test]
fn what_cannot_be_served_is_refused_before_it_begins() {
    let rig = Rig::new();
    rig.write("a.jsonl", "{\"id\":\"a\",\"text\":\"one\"}\n");
    rig.ok("index idx a.jsonl -q");
    for (line, reason) in [
        ("serve none", "expected an index"),
        ("serve idx --address 0.0.0.0:0", "--token"),
        ("serve idx --address nowhere", "--address: expected a host"),
        (
            "serve idx --token a\u{e4}",
            "--token: expected visible ASCII",
        ),
        ("serve idx --body 1", "--body: expected 1K to 1G"),
        ("serve idx --queue 0", "--queue: expected 1"),
    ] {
        let ended = rig.run(line);
        assert_eq!(ended.code, 2, "{line}");
        assert!(ended.stderr.contains(reason), "{line}: {}", ended.stderr);
    }
    let server = rig.serve("idx");
    let taken = rig.run(&format!("serve idx --address {}", server.address));
    assert_eq!(taken.code, 2);
    assert!(taken.stderr.contains("to listen on"), "{}", taken.stderr);
}
