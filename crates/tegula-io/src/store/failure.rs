//! What went wrong at a store, in one line without addresses as requests have them, which may be
//! signed.

use super::address::{Address, Kind, shown_in};
use tegula::error::{Error, ErrorKind};

/// Why some bytes were not read.
pub(super) enum Attempt {
    /// The object is another one now.
    Changed(String),
    /// The request failed.
    Failed(object_store::Error),
}

impl Attempt {
    /// Whether the same request would fail again.
    pub(super) fn is_final(error: &object_store::Error) -> bool {
        use object_store::Error as E;
        match error {
            E::Generic { .. } => {
                let cause = cause(error);
                let status = status(&cause);
                status.is_some_and(|status| status < 500 && !matches!(status, 408 | 429))
                    || is_without_credentials(&all_causes(error))
                    || cannot_send_ranges(&cause)
            }
            E::JoinError { .. } => false,
            _ => true,
        }
    }
}

/// A failure for which the store gave no reason.
pub(super) fn failed(doing: &str, address: &Address, why: &str) -> Error {
    Error::new(ErrorKind::Io, format!("cannot {doing}: {why}"))
        .at(&address.path())
        .hint("run again; if that does not help, check that the store and the network are up")
}

/// What the environment lacks, or has wrong.
pub(super) fn not_set_up(address: &Address, error: &object_store::Error) -> Error {
    let why = shown_in(&cause(error));
    Error::usage(format!("cannot use this store: {why}"))
        .at(&address.path())
        .hint(credentials(address.kind))
}

/// A failure of the store.
pub(super) fn of_store(doing: &str, address: &Address, error: &object_store::Error) -> Error {
    use object_store::Error as E;
    let Address {
        kind, authority, ..
    } = address;
    let cause = cause(error);
    let place = match kind {
        Kind::Web => format!("the server {authority}"),
        Kind::Azure => format!("the container {authority}"),
        _ => format!("the bucket {authority}"),
    };
    let (why, hint) = match error {
        _ if is_of_bucket(&cause) => (format!("{place} does not exist"), wrong_place(*kind)),
        E::NotFound { .. } if doing == "write" => (
            "its upload is gone".to_owned(),
            "another run or a rule of the bucket has removed it; run again".to_owned(),
        ),
        E::NotFound { .. } => (
            "there is no such object".to_owned(),
            "check its name; the slash at the end of a folder is optional".to_owned(),
        ),
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => (
            format!("{place} refuses access ({})", code(&cause)),
            credentials(*kind),
        ),
        _ if is_without_credentials(&all_causes(error)) => {
            ("there are no credentials".to_owned(), credentials(*kind))
        }
        _ if cannot_send_ranges(&cause) => (
            "the server cannot send a part of a file".to_owned(),
            "download it first, and read the copy".to_owned(),
        ),
        _ if matches!(status(&cause), Some(429 | 500..=599)) => (
            format!("{place} could not answer ({})", code(&cause)),
            "run again later".to_owned(),
        ),
        _ if status(&cause).is_some() => (
            format!("{place} refuses it ({})", code(&cause)),
            wrong_place(*kind),
        ),
        _ => (
            format!("{place} cannot be reached: {}", shown_in(&cause)),
            wrong_place(*kind),
        ),
    };
    Error::new(ErrorKind::Io, format!("cannot {doing}: {why}"))
        .at(&address.path())
        .hint(hint)
}

/// Where the credentials of a store come from.
fn credentials(kind: Kind) -> String {
    if kind == Kind::Web {
        return "name a user and a password as in https://user:password@host/, or a signed address"
            .into();
    }
    let variables = if kind == Kind::Google {
        "GOOGLE_APPLICATION_CREDENTIALS"
    } else if kind == Kind::Azure {
        "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"
    } else {
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a public bucket"
    };
    format!("in the environment, set {variables}, and check that they grant this access")
}

/// What decides where a request goes.
fn wrong_place(kind: Kind) -> String {
    let besides = if kind == Kind::Azure {
        ", and AZURE_STORAGE_ACCOUNT_NAME in the environment"
    } else if matches!(kind, Kind::Google | Kind::Web) {
        " and the network"
    } else {
        ", and AWS_REGION, AWS_ENDPOINT_URL and AWS_ALLOW_HTTP in the environment"
    };
    format!("check the address{besides}")
}

/// The first cause: those above it repeat it, or the address of the request.
fn cause(error: &object_store::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// All causes, which are not shown.
fn all_causes(error: &object_store::Error) -> String {
    let mut all = String::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(this) = cause {
        all.push_str(&this.to_string());
        cause = this.source();
    }
    all
}

fn is_of_bucket(cause: &str) -> bool {
    ["NoSuchBucket", "ContainerNotFound", "bucket does not exist"]
        .iter()
        .any(|code| cause.contains(code))
}

/// Without others, credentials are asked of the machine, which few are.
fn is_without_credentials(causes: &str) -> bool {
    [
        "169.254.169.254",
        "metadata.google.internal",
        "metadata/identity",
        "latest/api/token",
    ]
    .iter()
    .any(|place| causes.contains(place))
}

fn cannot_send_ranges(cause: &str) -> bool {
    cause.contains("non-partial response")
}

/// The status of the answer, if there was one.
fn status(cause: &str) -> Option<u16> {
    let (_, behind) = cause.split_once("status code: ")?;
    behind.get(..3)?.parse().ok()
}

/// The code of the answer, in the words of the store if it has some.
fn code(cause: &str) -> String {
    let between = |text: &str| {
        let (_, behind) = text.split_once("<Code>")?;
        Some(behind.split_once("</Code>")?.0.to_owned())
    };
    let status = status(cause).map(|status| status.to_string());
    match (between(cause), status) {
        (Some(code), Some(status)) => format!("{status} {code}"),
        (Some(code), None) => code,
        (None, Some(status)) => status,
        (None, None) => "no reason given".into(),
    }
}
