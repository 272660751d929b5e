//! With what requests are refused, for their descriptions: what several have in common.

use crate::problem::{CONTENT_TYPE, Problem};
use std::collections::BTreeMap;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::schema::Ref;
use utoipa::openapi::{RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

/// What any request may be refused with that is for those who may ask.
pub(crate) struct Refusals;

/// What a request with a body may also be refused with.
pub(crate) struct BodyRefusals;

fn described<const N: usize>(all: [(u16, &str); N]) -> BTreeMap<String, RefOr<Response>> {
    let response = |(status, why): (u16, &str)| {
        let schema = Ref::from_schema_name(Problem::name());
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let response = ResponseBuilder::new().description(why);
        let response = response.content(CONTENT_TYPE, content).build();
        (status.to_string(), response.into())
    };
    all.into_iter().map(response).collect()
}

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        described([
            (401, "The token is missing"),
            (
                403,
                "It is addressed to another host, or changes what is only read",
            ),
            (500, "The index cannot be read or written"),
            (
                503,
                "Too many requests are waiting, or another process is changing the index",
            ),
        ])
    }
}

impl IntoResponses for BodyRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        described([
            (400, "It is not JSON"),
            (408, "It took too long to arrive"),
            (413, "It is too large"),
            (415, "Its Content-Type is not JSON"),
            (422, "It contains something that cannot be queried or added"),
        ])
    }
}
