//! Why a request was not done, as `application/problem+json` (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tegula::error::{Error, ErrorKind};
use utoipa::ToSchema;

/// Why a request was not done.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// What the status means.
    #[schema(example = "Conflict")]
    pub(crate) title: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    pub(crate) status: u16,
    /// What was expected and found.
    pub(crate) detail: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// The ids that it is about, at most 100.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ids: Vec<String>,
}

/// The content type of problems.
pub(crate) const CONTENT_TYPE: &str = "application/problem+json";
/// Seconds after which to try again.
const AGAIN: &str = "1";

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.into(),
            hint: None,
            ids: Vec::new(),
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A field of the request has a value that cannot be used.
    pub(crate) fn field(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// More than the server does at the same time.
    pub(crate) fn busy(detail: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail).hint("try again later")
    }

    pub(crate) fn stopping() -> Self {
        Self::busy("the server is being stopped")
    }

    /// Not done in time.
    pub(crate) fn late() -> Self {
        Self::busy(
            "expected an answer within the time limit of the server, found none yet; a change may still take effect",
        )
    }

    pub(crate) fn no_text(id: &str) -> Self {
        Self {
            ids: vec![id.to_owned()],
            ..Self::new(
                StatusCode::NOT_FOUND,
                "no text with this id is in the index",
            )
        }
    }

    /// The status of a failure that is the server's.
    pub(crate) fn is_internal(error: &Error) -> bool {
        matches!(
            error.kind(),
            ErrorKind::Io | ErrorKind::Data | ErrorKind::Scratch | ErrorKind::Changed
        )
    }
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        if Self::is_internal(error) {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return Self::new(status, "the index could not be read or written")
                .hint("ask the operator: the cause is in the server's output");
        }
        let status = match error.kind() {
            ErrorKind::Usage => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Memory => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        let problem = Self::new(status, error.message());
        match error.advice() {
            Some(advice) => problem.hint(advice),
            None => problem,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, CONTENT_TYPE)], body).into_response();
        let headers = response.headers_mut();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(AGAIN));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
