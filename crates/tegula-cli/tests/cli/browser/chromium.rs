//! Chromium without a window, driven through its DevTools protocol over two pipes: no driver and no
//! library is needed.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(90);

/// The program, where there is one.
pub(crate) fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// A running browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    next: u64,
    session: String,
    events: Vec<Value>,
    _profile: TempDir,
}

/// What happened while a page was open.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Happened {
    /// Errors on the console, exceptions, and what the page's policy refused.
    pub(crate) errors: Vec<String>,
    /// Requests other than for the page itself.
    pub(crate) requests: Vec<String>,
    /// Windows that a script opened.
    pub(crate) dialogs: Vec<String>,
}

impl Browser {
    pub(crate) fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The protocol is spoken on descriptors 3 and 4, to which the shell moves our ends of the
        // pipes.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while out.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else {
                    break;
                };
                message.clear();
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self {
            child,
            to,
            from,
            next: 0,
            session: String::new(),
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            &json!({"targetId": target["targetId"], "flatten": true}),
        );
        browser.session = attached["sessionId"].as_str().unwrap().into();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Opens a file.
    pub(crate) fn open(&mut self, page: &Path, width: u32) {
        self.visit(&format!("file://{}", page.display()), width);
    }

    /// Opens a page of a server.
    pub(crate) fn visit(&mut self, url: &str, width: u32) {
        let metrics =
            json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
        self.events.clear();
        self.call("Page.navigate", &json!({"url": url}));
        while !self
            .events
            .iter()
            .any(|event| event["method"] == "Page.loadEventFired")
        {
            let event = self.receive();
            self.note(event);
        }
        // What scripts do a little later is waited for as well.
        self.value("new Promise(done => setTimeout(() => done(1), 300))");
    }

    /// Has the user prefer light or dark pages.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// Shows the page as it is printed.
    pub(crate) fn print(&mut self) {
        self.call("Emulation.setEmulatedMedia", &json!({"media": "print"}));
        self.value("dispatchEvent(new Event('beforeprint'))");
    }

    /// What a script gives.
    pub(crate) fn value(&mut self, script: &str) -> Value {
        let given = json!({"expression": script, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", &given);
        assert!(answer["exceptionDetails"].is_null(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The upper part of the page as a PNG in base64.
    pub(crate) fn picture(&mut self, width: u32, height: u64) -> String {
        let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": 1});
        let asked = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let answer = self.call("Page.captureScreenshot", &asked);
        answer["data"].as_str().unwrap().to_owned()
    }

    /// Types a text where the focus is.
    pub(crate) fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", &json!({"text": text}));
        self.value("new Promise(done => setTimeout(() => done(1), 300))");
    }

    /// What happened since the page was opened.
    pub(crate) fn happened(&self, page: &Path) -> Happened {
        self.happened_at(&format!("file://{}", page.display()))
    }

    /// What happened since a page was opened, besides requests for it, and for what is below it.
    pub(crate) fn happened_at(&self, own: &str) -> Happened {
        let is_own = |url: &str| {
            url.split('#').next() == Some(own) || own.ends_with('/') && url.starts_with(own)
        };
        let mut happened = Happened::default();
        for event in &self.events {
            let params = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => {
                    happened.errors.push(params["exceptionDetails"].to_string());
                }
                "Runtime.consoleAPICalled" if params["type"] == "error" => {
                    happened.errors.push(params["args"].to_string());
                }
                "Log.entryAdded" if params["entry"]["level"] == "error" => {
                    happened.errors.push(params["entry"]["text"].to_string());
                }
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().unwrap_or_default();
                    if !is_own(url) && !url.starts_with("data:") {
                        happened.requests.push(url.to_owned());
                    }
                }
                "Page.javascriptDialogOpening" => {
                    happened.dialogs.push(params["message"].to_string());
                }
                _ => {}
            }
        }
        happened
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.to
            .write_all(format!("{message}\0").as_bytes())
            .unwrap();
        self.to.flush().unwrap();
        loop {
            let answer = self.receive();
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(answer);
        }
    }

    fn receive(&mut self) -> Value {
        self.from
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("Chromium does not answer: {error}"))
    }

    /// An open dialog would hold everything up.
    fn note(&mut self, event: Value) {
        let dialog = event["method"] == "Page.javascriptDialogOpening";
        self.events.push(event);
        if dialog {
            self.call("Page.handleJavaScriptDialog", &json!({"accept": true}));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
