//! Who may ask.

use crate::app::App;
use crate::problem::Problem;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// Lets a request pass that has the token. Without one, it must be addressed to this machine by name:
/// a page of another site, whose name was made to mean this machine, is not.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match refused(app.settings.token.as_deref(), request.headers()) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

fn refused(token: Option<&str>, headers: &HeaderMap) -> Option<Problem> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(token) = token {
        let given = header(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        let is_given = given.is_some_and(|given| is_same(given.trim(), token));
        let expected =
            "expected the token of the server, in the header Authorization: Bearer TOKEN";
        return (!is_given).then(|| Problem::new(StatusCode::UNAUTHORIZED, expected));
    }
    let is_elsewhere = !header(header::HOST).is_none_or(is_here);
    let expected = "expected localhost, or the address of this machine, in the header Host";
    is_elsewhere.then(|| Problem::new(StatusCode::FORBIDDEN, expected))
}

/// Whether a host and port name this machine.
fn is_here(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// In a time that does not depend on where the first difference is.
fn is_same(a: &str, b: &str) -> bool {
    let differences = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_here() {
        for host in [
            "localhost",
            "LOCALHOST:7878",
            "127.0.0.1:80",
            "[::1]:7878",
            "[::1]",
        ] {
            assert!(is_here(host), "{host}");
        }
        for host in [
            "example.org",
            "127.0.0.1.example.org:80",
            "10.0.0.1",
            "",
            "localhost.evil:80",
        ] {
            assert!(!is_here(host), "{host}");
        }
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(is_same("abc", "abc") && !is_same("abc", "abd") && !is_same("ab", "abc"));
    }
}
