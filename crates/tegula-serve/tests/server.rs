//! The server as a client sees it.

#![allow(clippy::unwrap_used, reason = "a test ends where something fails")]

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tegula::error::Error;
use tegula::index::{Index, Making, Question};
use tegula::machine::Limits;
use tegula::recipe::Recipe;
use tegula_serve::{Served, Settings, Watcher, serve};
use tempfile::TempDir;

/// A server that runs.
struct Running {
    folder: TempDir,
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Served>>,
    failures: Arc<Mutex<Vec<String>>>,
}

struct Told {
    ready: Mutex<Sender<SocketAddr>>,
    failures: Arc<Mutex<Vec<String>>>,
}

impl Watcher for Told {
    fn ready(&self, address: SocketAddr) {
        self.ready.lock().unwrap().send(address).unwrap();
    }

    fn failed(&self, error: &Error) {
        self.failures.lock().unwrap().push(error.to_string());
    }
}

/// What a server answered: its status, its head, and its body.
#[derive(Debug)]
struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

fn settings() -> Settings {
    Settings {
        address: ([127, 0, 0, 1], 0).into(),
        token: None,
        read_only: false,
        body: 1 << 20,
        timeout: Duration::from_secs(20),
        queue: 64,
        connections: 200,
        page: "<!DOCTYPE html>".to_owned(),
    }
}

impl Running {
    fn new(settings: Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = Limits::default().context().unwrap();
        let recipe = Recipe::named("ssr").unwrap().with("ngram", "2").unwrap();
        let making = Making {
            recipe: &recipe,
            texts: true,
            fields: &["date".to_owned()],
            statistics: None,
        };
        let index = Index::create(&folder.path().join("idx"), making, &context).unwrap();
        let (ready, is_ready) = channel();
        let failures = Arc::default();
        let told = Told {
            ready: Mutex::new(ready),
            failures: Arc::clone(&failures),
        };
        let stop = Arc::clone(&context.cancel);
        let thread =
            thread::spawn(move || serve(index, settings, &context, Arc::new(told)).unwrap());
        Self {
            folder,
            address: is_ready.recv().unwrap(),
            stop,
            thread: Some(thread),
            failures,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream
    }

    /// Sends this, and reads until the server closes the connection.
    fn send(&self, request: &str) -> Response {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        read(&mut stream)
    }

    fn request(&self, line: &str, headers: &str, body: &str) -> Response {
        let length = body.len();
        self.send(&format!(
            "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ))
    }

    fn get(&self, path: &str) -> Response {
        self.request(&format!("GET {path}"), "", "")
    }

    fn post(&self, path: &str, body: &Value) -> Response {
        self.request(
            &format!("POST {path}"),
            "Content-Type: application/json\r\n",
            &body.to_string(),
        )
    }

    fn add(&self, id: &str, text: &str) -> Response {
        self.post("/texts", &json!({"texts": [{"id": id, "text": text}]}))
    }

    /// Stops it; returns what it answered, and the index.
    fn stop(mut self) -> (Served, Index, TempDir) {
        self.stop.store(true, Ordering::Relaxed);
        let served = self.thread.take().unwrap().join().unwrap();
        assert_eq!(*self.failures.lock().unwrap(), Vec::<String>::new());
        let context = Limits::default().context().unwrap();
        let index = Index::open(&self.folder.path().join("idx"), &context).unwrap();
        index.check(&context).unwrap();
        (served, index, self.folder)
    }
}

fn read(stream: &mut TcpStream) -> Response {
    let mut all = Vec::new();
    // A server that refuses a request closes the connection while that is still being sent.
    let _reset = stream.read_to_end(&mut all);
    let text = String::from_utf8(all).unwrap();
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("{text:?}"));
    Response {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_lowercase(),
        body: body.to_owned(),
    }
}

const FLAT: &str = "Bright flat of three rooms near the station, with a balcony and a cellar.";

#[test]
fn texts_are_added_asked_about_read_and_removed() {
    let server = Running::new(settings());
    let two = json!({"texts": [
        {"id": "a/1 ä", "text": FLAT, "date": "2024-05-01"},
        {"id": "b", "text": "Bicycle for sale, hardly used.", "date": 2024},
    ]});
    let added = server.post("/texts", &two);
    assert_eq!(
        (added.status, added.json()),
        (201, json!({"added": 2, "replaced": 0}))
    );
    let asked = server.post(
        "/query",
        &json!({"text": format!("{FLAT} Call us!"), "passages": true, "include_text": true}),
    );
    let answer = asked.json();
    assert_eq!(asked.status, 200, "{asked:?}");
    let found = &answer["matches"][0];
    assert_eq!(
        (
            &found["id"],
            &found["date"],
            &found["text"],
            &answer["more"]
        ),
        (
            &json!("a/1 ä"),
            &json!("2024-05-01"),
            &json!(FLAT),
            &json!(false)
        )
    );
    let end = FLAT.chars().count() - 1;
    assert_eq!(
        found["passages"],
        json!([{"start_a": 0, "end_a": end, "start_b": 0, "end_b": end, "tokens": 14}])
    );
    let several = server.post("/query", &json!({"text": ["nothing", FLAT], "top": 1.0}));
    let several = several.json();
    assert_eq!(
        (
            &several["answers"][0],
            &several["answers"][1]["matches"][0]["score"]
        ),
        (&json!({"matches": [], "more": false}), &json!(1.0))
    );
    let kept = server.get("/texts/a%2F1%20%C3%A4");
    assert_eq!(
        kept.json(),
        json!({"id": "a/1 ä", "date": "2024-05-01", "text": FLAT})
    );
    assert_eq!(server.get("/texts/b").json()["date"], "2024");
    let taken = server.post(
        "/texts",
        &json!({"texts": [{"id": "c", "text": "x"}, {"id": "b", "text": "y"}]}),
    );
    assert_eq!((taken.status, &taken.json()["ids"]), (409, &json!(["b"])));
    assert_eq!(server.get("/texts/c").status, 404);
    let replaced = server.post(
        "/texts",
        &json!({"texts": [{"id": "b", "text": FLAT}], "replace": true}),
    );
    assert_eq!(replaced.json(), json!({"added": 1, "replaced": 1}));
    let limited = server
        .post("/query", &json!({"text": FLAT, "top": 1}))
        .json();
    assert_eq!(
        (
            limited["matches"].as_array().unwrap().len(),
            &limited["more"]
        ),
        (1, &json!(true))
    );
    assert_eq!(server.request("DELETE /texts/b", "", "").status, 204);
    assert_eq!(server.request("DELETE /texts/b", "", "").status, 404);
    let health = server.get("/health").json();
    assert_eq!(
        (&health["texts"], &health["fields"]),
        (&json!(1), &json!(["date"]))
    );
    let metrics = server.get("/metrics");
    assert!(
        metrics.head.contains("application/openmetrics-text"),
        "{}",
        metrics.head
    );
    for line in [
        "tegula_index_texts 1\n",
        "tegula_added_texts_total 3\n",
        "tegula_asked_texts_total 4\n",
        "# EOF\n",
    ] {
        assert!(metrics.body.contains(line), "{line}{}", metrics.body);
    }
    assert!(server.get("/").head.contains("text/html"));
    let (served, index, _folder) = server.stop();
    assert_eq!((served.added, served.removed, served.asked), (3, 2, 4));
    assert_eq!(index.description().records(), 1);
}

#[test]
fn what_cannot_be_done_is_refused_with_its_reason_and_changes_nothing() {
    let server = Running::new(settings());
    assert_eq!(server.add("a", FLAT).status, 201);
    let (long, longer) = ("x".repeat(1 << 20), "x".repeat(16 << 20));
    for (path, body, status, reason) in [
        ("/query", json!({"text": long}), 413, "1048576 bytes"),
        ("/query", json!({"text": longer}), 413, "1048576 bytes"),
        (
            "/query",
            json!({"texts": [FLAT]}),
            422,
            "unknown field `texts`",
        ),
        ("/query", json!({"text": []}), 422, "1 to 1000 texts"),
        (
            "/query",
            json!({"text": FLAT, "threshold": 2}),
            422,
            "threshold",
        ),
        (
            "/query",
            json!({"text": FLAT, "threshold": 0}),
            422,
            "threshold",
        ),
        ("/query", json!({"text": FLAT, "top": 0}), 422, "top"),
        (
            "/query",
            json!({"text": FLAT, "top": 1.5}),
            422,
            "whole number",
        ),
        (
            "/query",
            json!({"text": FLAT, "passage": true}),
            422,
            "unknown field",
        ),
        ("/texts", json!({"texts": []}), 422, "1 to 1000"),
        (
            "/texts",
            json!({"texts": [{"id": "", "text": "x"}]}),
            422,
            "id",
        ),
        (
            "/texts",
            json!({"texts": [{"id": "b", "text": "x"}, {"id": "b", "text": "y"}]}),
            409,
            "twice",
        ),
        (
            "/texts",
            json!({"texts": [{"id": "b", "text": "x", "dat": "1"}]}),
            422,
            "(date)",
        ),
        (
            "/texts",
            json!({"texts": [{"id": "b", "text": "x", "date": [1]}]}),
            422,
            "date",
        ),
        ("/texts", json!({"texts": [{"id": "b"}]}), 422, "text"),
        ("/nowhere", json!({}), 404, "openapi"),
        ("/health", json!({}), 405, "openapi"),
    ] {
        let refused = server.post(path, &body);
        let shown = body.to_string();
        let shown = &shown[..shown.len().min(80)];
        assert_eq!(refused.status, status, "{shown} {refused:?}");
        assert!(refused.body.contains(reason), "{shown} {refused:?}");
        assert!(
            refused.head.contains("application/problem+json"),
            "{refused:?}"
        );
        assert_eq!(refused.json()["status"], status);
    }
    let kinds = [
        ("Content-Type: text/plain\r\n", "{\"text\": \"x\"}", 415),
        ("Content-Type: application/json\r\n", "{\"text\": ", 400),
        (
            "Content-Type: application/json; charset=utf-8\r\n",
            "{\"text\": \"\\ud800\"}",
            400,
        ),
        (
            "Content-Type: application/json\r\n",
            "{\"text\": \"x\"}",
            200,
        ),
    ];
    for (headers, body, status) in kinds {
        let answer = server.request("POST /query", headers, body);
        assert_eq!(answer.status, status, "{headers} {body} {answer:?}");
    }
    // A body of unknown length that is too long.
    let mut chunks = "POST /query HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
                      Transfer-Encoding: chunked\r\n\r\n"
        .to_owned();
    for _ in 0..300 {
        let _ = write!(chunks, "1000\r\n{}\r\n", "y".repeat(4096));
    }
    assert_eq!(server.send(&(chunks + "0\r\n\r\n")).status, 413);
    for host in ["example.org", "localhost.example.org:80"] {
        let request = format!("GET /texts/a HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(server.send(&request).status, 403);
    }
    assert_eq!(server.get("/texts/%ff").status, 400);
    assert_eq!(server.send("nonsense\r\n\r\n").status, 400);
    let head = format!(
        "GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "x".repeat(100_000)
    );
    let mut stream = server.connect();
    // It may be refused before all of it is sent.
    let _ = stream.write_all(head.as_bytes());
    assert!([400, 414, 431].contains(&read(&mut stream).status));
    let (_, index, _folder) = server.stop();
    assert_eq!(index.description().records(), 1);
}

#[test]
fn a_token_is_needed_if_there_is_one_and_a_server_may_only_read() {
    let server = Running::new(Settings {
        token: Some("secret".into()),
        read_only: true,
        ..settings()
    });
    for (headers, status) in [
        ("", 401),
        ("Authorization: Bearer secre\r\n", 401),
        ("Authorization: Basic secret\r\n", 401),
        ("Authorization: Bearer secret\r\n", 200),
    ] {
        let headers = format!("{headers}Content-Type: application/json\r\n");
        let answer = server.request("POST /query", &headers, "{\"text\": \"x\"}");
        assert_eq!(answer.status, status, "{headers}");
        assert_eq!(
            answer.head.contains("www-authenticate: bearer"),
            status == 401
        );
    }
    let headers = "Authorization: Bearer secret\r\nContent-Type: application/json\r\n";
    let added = server.request(
        "POST /texts",
        headers,
        "{\"texts\": [{\"id\": \"a\", \"text\": \"x\"}]}",
    );
    assert_eq!(added.status, 403);
    assert_eq!(server.request("DELETE /texts/a", headers, "").status, 403);
    assert_eq!(
        (server.get("/metrics").status, server.get("/health").status),
        (401, 200)
    );
    // Whoever has the token may come from anywhere.
    let request =
        format!("GET /texts/a HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n{headers}\r\n");
    assert_eq!(server.send(&request).status, 404);
    server.stop();
}

#[test]
fn slow_and_many_clients_are_left() {
    let quick = Settings {
        timeout: Duration::from_secs(1),
        connections: 20,
        ..settings()
    };
    let server = Running::new(quick);
    let begun = Instant::now();
    // One that never sends its body.
    let late = server.send(
        "POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"text\"",
    );
    assert_eq!(late.status, 408);
    // One that never sends its head.
    let mut silent = server.connect();
    silent.write_all(b"GET /hea").unwrap();
    let mut rest = Vec::new();
    let _closed = silent.read_to_end(&mut rest);
    assert!(begun.elapsed() < Duration::from_secs(15));
    // Many, of which some are refused, and all others answered.
    let held: Vec<TcpStream> = (0..100).map(|_| server.connect()).collect();
    let mut refused = 0;
    for mut stream in held {
        let _sent = stream
            .write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let mut all = String::new();
        let _reset = stream.read_to_string(&mut all);
        match all.split(' ').nth(1) {
            Some("200") => {}
            // The refusal may be lost if the client sent something meanwhile.
            Some("503") | None => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!((1..=100).contains(&refused), "{refused}");
    assert_eq!(server.get("/health").status, 200);
    server.stop();
}

#[test]
fn what_was_acknowledged_is_there_after_a_stop_in_the_middle() {
    let server = Running::new(settings());
    let (clients, each) = (8, 60);
    let acknowledged = thread::scope(|scope| {
        let server = &server;
        let adding = (0..clients).map(|client| {
            scope.spawn(move || {
                let mut acknowledged = Vec::new();
                for number in 0..each {
                    let id = format!("{client}-{number}");
                    // The server may be gone.
                    let Ok(mut stream) = TcpStream::connect(server.address) else {
                        break;
                    };
                    let body = json!({"texts": [{"id": id, "text": format!("text {client} of {number}")}]}).to_string();
                    let length = body.len();
                    let sent = write!(
                        stream,
                        "POST /texts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
                         Content-Length: {length}\r\n\r\n{body}"
                    );
                    let mut answer = String::new();
                    if sent.is_ok() && stream.read_to_string(&mut answer).is_ok() && answer.contains(" 201 ") {
                        acknowledged.push(id);
                    }
                }
                acknowledged
            })
        });
        let adding: Vec<_> = adding.collect();
        thread::sleep(Duration::from_millis(300));
        server.stop.store(true, Ordering::Relaxed);
        let all = adding.into_iter().flat_map(|client| client.join().unwrap());
        all.collect::<Vec<String>>()
    });
    assert!(!acknowledged.is_empty());
    let (served, index, _folder) = server.stop();
    for id in &acknowledged {
        assert!(index.record(id).unwrap().is_some(), "{id}");
    }
    assert!(served.added >= acknowledged.len() as u64);
    let found = index
        .ask(
            "text 3 of 7",
            Question {
                top: Some(1),
                ..Question::default()
            },
        )
        .unwrap();
    assert_eq!(found.len(), 1);
}

#[test]
fn the_description_says_what_is_offered_with_the_fields_of_the_index() {
    let server = Running::new(settings());
    let description = server.get("/openapi.json").json();
    let schemas = &description["components"]["schemas"];
    for name in ["New", "Kept", "Resembling"] {
        assert_eq!(
            schemas[name]["properties"]["date"]["type"],
            json!(["string", "null"]),
            "{name}"
        );
        assert_eq!(schemas[name]["additionalProperties"], false);
    }
    let paths = description["paths"].as_object().unwrap();
    let mut offered: Vec<&str> = paths.keys().map(String::as_str).collect();
    offered.sort_unstable();
    assert_eq!(
        offered,
        ["/health", "/metrics", "/query", "/texts", "/texts/{id}"]
    );
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            let path = path.replace("{id}", "none");
            let answer = server.request(&format!("{} {path}", method.to_uppercase()), "", "");
            let status = answer.status.to_string();
            let described = &operation["responses"][&status];
            assert!(!described.is_null(), "{method} {path}: {status}");
            let kind = answer
                .head
                .lines()
                .find_map(|line| line.strip_prefix("content-type: "));
            let kind = kind.unwrap_or_default().split(';').next().unwrap();
            assert!(
                !described["content"][kind].is_null(),
                "{method} {path}: {kind} {described}"
            );
        }
    }
    server.stop();
}
