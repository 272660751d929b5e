//! An index over HTTP.

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::options::{Shown, Size};
use serde_json::{Value, json};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tegula::error::{Error, Result};
use tegula::index::Index;
use tegula_report::ask;
use tegula_report::form::plural;
use tegula_serve::{Served, Settings, Watcher};

tegula::options! {
    /// An index over HTTP.
    pub struct ServeSpec under "" {
        /// The folder of an index
        #[serde(with = "tegula_io::path")]
        pub index: PathBuf => "INDEX",
    } under "Server" {
        /// Address to listen on; port 0 picks a free port. To let other machines connect, give one
        /// other than loopback, which requires ⟨token⟩ [default: 127.0.0.1:7878]
        pub address: Option<String> => "HOST:PORT",

        /// Token that clients must send, in the header Authorization: Bearer TOKEN [default: the
        /// environment variable TEGULA_TOKEN; none needed on loopback]
        pub token: Option<String> => "TOKEN",

        /// Answer questions only: add and remove nothing
        pub read_only: bool => "",
    } under "Limits" {
        /// Largest request [default: 16M]
        pub body: Option<Size> => "SIZE",

        /// Longest time in seconds that a request may take to arrive, and then to be answered [default: 30]
        pub timeout: Option<u32> => "SECONDS",

        /// Maximum number of requests waiting while others are answered; further ones are refused
        /// with 503 [default: 256]
        pub queue: Option<u32> => "N",

        /// Maximum number of connected clients [default: 4096]
        pub connections: Option<u32> => "N",
    }
    blocks {}
    besides {}
}

/// What was answered until the server was stopped.
#[derive(Debug)]
pub struct Stopped(Served);

impl Answer for Stopped {
    fn json(&self) -> Result<Value> {
        Ok(json!(self.0))
    }

    fn text(&self, _: usize, _: bool) -> Option<String> {
        let Served {
            requests,
            asked,
            added,
            removed,
            ..
        } = self.0;
        Some(format!(
            "Stopped after {}: {} queried, {} added, {} removed.\n",
            plural(requests, "request"),
            plural(asked, "text"),
            plural(added, "text"),
            plural(removed, "text"),
        ))
    }
}

/// The environment variable with the token: a command line can be seen by others.
const TOKEN: &str = "TEGULA_TOKEN";
/// The least bytes of a request, so that the answers to all others can be sent.
const LEAST_BODY: u64 = 1 << 10;

impl Command for ServeSpec {
    const NAME: &'static str = "serve";
    const ABOUT: &'static str = "Serve an index over HTTP, with a web page for queries";
    const EXAMPLES: &'static str = "Examples:
  tegula serve ads.idx
  tegula serve ads.idx --address 127.0.0.1:9000 --read-only
  TEGULA_TOKEN=secret tegula serve ads.idx --address 0.0.0.0:7878
  curl localhost:7878/query --json '{\"text\": \"Bright flat of three rooms\", \"top\": 5}'

The page at / takes a pasted text; the rest is described at /openapi.json: POST /query, POST /texts, GET and DELETE
/texts/{id}, /health, and /metrics for Prometheus. Additions and removals are on disk when the response is sent.
Other processes may change the index meanwhile. Stop the server with Ctrl-C or SIGTERM: it finishes the requests
in progress first.";
    const SHOWN: Shown = Shown::only(&["memory", "threads", "quiet", "json"]);
    type Answer = Stopped;

    fn run(&self, host: &Host) -> Result<Stopped> {
        tegula_io::store::check_local("⟨index⟩", &self.index)?;
        let index = Index::open(&self.index, &host.context)?;
        let settings = Settings {
            page: ask::page(&index),
            ..self.settings()?
        };
        let name = self.index.display().to_string();
        let told = Told {
            host: host.clone(),
            name,
            texts: index.description().records(),
        };
        tegula_serve::serve(index, settings, &host.context, Arc::new(told)).map(Stopped)
    }
}

impl ServeSpec {
    fn settings(&self) -> Result<Settings> {
        let address = self.socket()?;
        let from_environment = || std::env::var(TOKEN).ok();
        let token = self
            .token
            .clone()
            .or_else(from_environment)
            .filter(|token| !token.is_empty());
        let is_usable = |token: &String| token.bytes().all(|byte| byte.is_ascii_graphic());
        if !token.iter().all(is_usable) {
            return Err(Error::of("⟨token⟩")
                .expected("visible ASCII characters without spaces, as a header can carry them")
                .found("others"));
        }
        if token.is_none() && !address.ip().is_loopback() {
            return Err(Error::of("⟨address⟩")
                .expected("the loopback, or ⟨token⟩ as well")
                .found(format!("{address}, where other machines can connect"))
                .hint(format!("set {TOKEN} to what clients must present")));
        }
        let body = self.body.map_or(16 << 20, |Size(bytes)| bytes);
        if !(LEAST_BODY..=1 << 30).contains(&body) {
            return Err(Error::of("⟨body⟩").expected("1K to 1G").found(body));
        }
        let least = |name: &str, value: Option<u32>, usual: u32, most: u32| match value {
            Some(value) if !(1..=most).contains(&value) => Err(Error::of(format!("⟨{name}⟩"))
                .expected(format!("1 to {most}"))
                .found(value)),
            value => Ok(value.unwrap_or(usual)),
        };
        Ok(Settings {
            address,
            token,
            read_only: self.read_only,
            body: body as usize,
            timeout: Duration::from_secs(least("timeout", self.timeout, 30, 24 * 60 * 60)?.into()),
            queue: least("queue", self.queue, 256, 1 << 20)? as usize,
            connections: least("connections", self.connections, 4096, 1 << 20)? as usize,
            page: String::new(),
        })
    }

    fn socket(&self) -> Result<SocketAddr> {
        let given = self.address.as_deref().unwrap_or("127.0.0.1:7878");
        let invalid = || {
            Error::of("⟨address⟩")
                .expected("a host of this machine and a port, such as 127.0.0.1:7878")
                .found(format!("'{given}'"))
        };
        let mut found = given
            .to_socket_addrs()
            .map_err(|error| invalid().because(error))?;
        found.next().ok_or_else(invalid)
    }
}

/// Tells what the operator should know.
struct Told {
    host: Host,
    name: String,
    texts: u64,
}

impl Watcher for Told {
    fn ready(&self, address: SocketAddr) {
        let name = tegula::printable::line(&self.name);
        let texts = plural(self.texts, "text");
        self.host.observer().tell(&format!(
            "{name} ({texts}) is served at http://{address}/ until Ctrl-C\n"
        ));
    }

    fn failed(&self, error: &Error) {
        self.host.warn(&error.to_string());
    }
}
