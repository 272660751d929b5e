//! A store of its own for each test: moto, which answers as S3 does, and a way to look into it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The one bucket.
pub(crate) const BUCKET: &str = "bucket";

/// The server.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// A port that nobody listens at.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Server {
    /// Starts it; none where there is none and none is demanded.
    pub(crate) fn start() -> Option<Self> {
        let demanded = std::env::var_os("TEGULA_MOTO").filter(|path| !path.is_empty());
        let program = demanded.clone().map_or("moto_server".into(), PathBuf::from);
        let port = free_port();
        let child = Command::new(&program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = child else {
            assert!(
                demanded.is_none(),
                "TEGULA_MOTO names no program: {}",
                program.display()
            );
            eprintln!(
                "skipped: there is no moto_server; install moto[server] from the Python registry, or name one with TEGULA_MOTO"
            );
            return None;
        };
        let server = Self { child, port };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "moto does not answer"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(server.ask("PUT", &format!("/{BUCKET}"), b"").0, 200);
        Some(server)
    }

    /// Asks something; the status and the body of the answer.
    pub(crate) fn ask(&self, method: &str, target: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // The server does not look whether the signature is right.
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap();
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer[end + 4..].to_vec())
    }

    pub(crate) fn put(&self, key: &str, bytes: &[u8]) {
        let (status, answer) = self.ask("PUT", &format!("/{BUCKET}/{}", escaped(key)), bytes);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
    }

    pub(crate) fn get(&self, key: &str) -> Vec<u8> {
        let (status, bytes) = self.ask("GET", &format!("/{BUCKET}/{}", escaped(key)), b"");
        assert_eq!(status, 200, "{key}");
        bytes
    }

    /// The keys of all objects.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.named("list-type=2")
    }

    /// The keys of all unfinished uploads.
    pub(crate) fn uploads(&self) -> Vec<String> {
        self.named("uploads")
    }

    fn named(&self, query: &str) -> Vec<String> {
        let (_, list) = self.ask("GET", &format!("/{BUCKET}?{query}"), b"");
        let list = String::from_utf8(list).unwrap();
        let keys = list.split("<Key>").skip(1);
        keys.map(|rest| rest.split("</Key>").next().unwrap().to_owned())
            .collect()
    }
}

/// A key as requests have it.
fn escaped(key: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/.-_".contains(&byte);
    key.bytes()
        .map(|byte| {
            if is_plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
