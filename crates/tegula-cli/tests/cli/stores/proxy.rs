//! Stands before a store, and does what stores and networks do on bad days.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is done with a request.
pub(crate) enum Deed {
    /// It is passed on, perhaps as a request for something else.
    Pass(String),
    /// The answer is this status.
    Refuse(&'static str),
    /// The answer ends in the middle of its body.
    Cut,
    /// There is never an answer.
    Hang,
}

/// A request, counted from 0 among those of its method.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) number: usize,
}

/// Starts it before the server at a port; the port at which it listens. It ends with the process.
pub(crate) fn start(server: u16, rule: impl Fn(&Request) -> Deed + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let rule = Arc::new(rule);
    let counts: Arc<[AtomicUsize; 5]> = Arc::default();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (rule, counts) = (Arc::clone(&rule), Arc::clone(&counts));
            std::thread::spawn(move || {
                let count = |method: &str| {
                    let all = ["GET", "PUT", "HEAD", "POST"];
                    let at = all.iter().position(|known| *known == method).unwrap_or(4);
                    counts[at].fetch_add(1, Ordering::Relaxed)
                };
                // A client that went away.
                let _ended = serve(stream, server, &*rule, &count);
            });
        }
    });
    port
}

fn serve(
    stream: TcpStream,
    server: u16,
    rule: &dyn Fn(&Request) -> Deed,
    count: &dyn Fn(&str) -> usize,
) -> std::io::Result<()> {
    let mut client = BufReader::new(stream);
    let mut first = String::new();
    client.read_line(&mut first)?;
    let mut words = first.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Ok(());
    };
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        client.read_line(&mut line)?;
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
        if !lower.starts_with("connection:") {
            head.push_str(&line);
        }
    }
    let mut body = vec![0; length];
    client.read_exact(&mut body)?;
    let request = Request {
        method: method.to_owned(),
        target: target.to_owned(),
        number: count(method),
    };
    let mut client = client.into_inner();
    let deed = rule(&request);
    let target = match &deed {
        Deed::Refuse(status) => {
            let answer =
                format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return client.write_all(answer.as_bytes());
        }
        Deed::Hang => loop {
            std::thread::park();
        },
        Deed::Pass(target) => target.as_str(),
        Deed::Cut => target,
    };
    let mut store = TcpStream::connect(("127.0.0.1", server))?;
    let first = format!("{method} {target} HTTP/1.1\r\n{head}Connection: close\r\n\r\n");
    store.write_all(first.as_bytes())?;
    store.write_all(&body)?;
    let mut answer = Vec::new();
    store.read_to_end(&mut answer)?;
    if matches!(deed, Deed::Cut) {
        let head = answer
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap_or(0)
            + 4;
        answer.truncate(head + (answer.len() - head) / 2);
    }
    client.write_all(&answer)
}
