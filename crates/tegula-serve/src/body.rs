//! The body of a request: JSON within the bounds on bytes and time.

use crate::app::App;
use crate::problem::Problem;
use axum::body::Body as Stream;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// The body of a request, and the room that it takes.
pub(crate) struct Body<T> {
    pub(crate) value: T,
    pub(crate) room: OwnedSemaphorePermit,
}

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        let most = app.settings.body;
        let length = declared(request.headers())?;
        let too_large = || {
            let detail = format!("expected a request of at most {most} bytes");
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail).hint("send fewer texts at once")
        };
        let asks_first = request.headers().contains_key(header::EXPECT);
        let mut body = request.into_body();
        if length.is_some_and(|length| length > most) {
            if !asks_first {
                discard(&mut body, app.settings.timeout).await;
            }
            return Err(too_large());
        }
        let room = app.gate.room(length.unwrap_or(most))?;
        let received = Limited::new(&mut body, most).collect();
        let slow = |_| {
            Problem::new(
                StatusCode::REQUEST_TIMEOUT,
                "expected the whole request within the time limit",
            )
        };
        let received = timeout(app.settings.timeout, received)
            .await
            .map_err(slow)?;
        let bytes = match received {
            Ok(bytes) => bytes.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => {
                discard(&mut body, app.settings.timeout).await;
                return Err(too_large());
            }
            Err(_) => {
                return Err(Problem::new(
                    StatusCode::BAD_REQUEST,
                    "expected the whole body, found a part of it",
                ));
            }
        };
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            let status = match error.classify() {
                Category::Data => StatusCode::UNPROCESSABLE_ENTITY,
                _ => StatusCode::BAD_REQUEST,
            };
            Problem::new(status, error.to_string())
        })?;
        Ok(Self { value, room })
    }
}

/// Bytes of a refused body that are read.
const DISCARDED: usize = 64 << 20;

/// Reads a body that is refused, up to a bound: most clients read no answer before they have sent it
/// all, and would only see a broken connection.
async fn discard(body: &mut Stream, time: Duration) {
    let rest = async {
        let mut bytes = 0;
        while let Some(Ok(frame)) = body.frame().await {
            bytes += frame.data_ref().map_or(0, axum::body::Bytes::len);
            if bytes > DISCARDED {
                break;
            }
        }
    };
    let _ = timeout(time, rest).await;
}

/// The length of a body that is said to be JSON, if it is said.
///
/// # Errors
/// If it is said to be something else: a page of another site cannot send JSON without asking first, and
/// is then refused.
fn declared(headers: &HeaderMap) -> Result<Option<usize>, Problem> {
    let header = |name| headers.get(name)?.to_str().ok();
    let kind = header(header::CONTENT_TYPE).and_then(|kind| kind.split(';').next());
    if !kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "expected JSON, named by the header Content-Type: application/json",
        ));
    }
    Ok(header(header::CONTENT_LENGTH).and_then(|length| length.parse().ok()))
}
