//! The stores themselves: one client for each, and the requests that it makes.

use super::address::{Address, Kind, secret};
use super::failure::{Attempt, failed, not_set_up, of_store};
use super::object::Object;
pub(super) use super::task::{Repeated, Task};
use crate::file_state::changed;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, ClientConfigKey, ClientOptions, GetOptions, GetRange, HeaderMap, HeaderValue,
    ObjectMeta, ObjectStore, ObjectStoreExt as _, RetryConfig,
};
use std::collections::HashMap;
use std::future::Future;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tegula::error::{ErrorKind, Result};

/// Requests of one answer, such as that for a range, after the first: each is repeated by the client
/// too, while a store cannot be reached or asks for patience.
const ATTEMPTS: u32 = 5;
/// The longest time for one of them, enough for a large part on a slow line.
const TIMEOUT: &str = "120 seconds";
/// The longest wait between two of them.
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// What a client is for: process, place, and environment. A process forked from another has its own.
type For = (u32, String, u64);

/// The clients.
static CLIENTS: Mutex<Option<HashMap<For, Arc<Client>>>> = Mutex::new(None);

/// A store.
pub(super) struct Client {
    objects: Arc<dyn ObjectStore>,
    /// None where one can only read.
    uploads: Option<Arc<dyn MultipartStore>>,
    kind: Kind,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Client").field(&self.kind).finish()
    }
}

impl Client {
    /// The client for an address, as the environment describes it now.
    ///
    /// # Errors
    /// If the address or the environment is not that of a store.
    pub(super) fn of(address: &Address) -> Result<Arc<Self>> {
        let place = format!("{}://{}", address.scheme, address.authority);
        let secret = secret(address);
        let environment = environment(&secret.user, &secret.query);
        let key = (std::process::id(), place, environment);
        let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = clients.get_or_insert_default();
        if let Some(client) = known.get(&key) {
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(Self::new(address, &key.1)?);
        known.insert(key, Arc::clone(&client));
        Ok(client)
    }

    fn new(address: &Address, place: &str) -> Result<Self> {
        // Another part of the program may have chosen one.
        let _chosen = rustls::crypto::ring::default_provider().install_default();
        let retry = RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: 5,
            retry_timeout: Duration::from_secs(120),
        };
        let refused = |error: object_store::Error| not_set_up(address, &error);
        // The builders have the same methods, and no trait.
        macro_rules! built {
            ($builder:ident, $key:ident) => {
                $builder::from_env()
                    .with_config($key::Client(ClientConfigKey::Timeout), TIMEOUT)
                    .with_retry(retry)
                    .with_url(place)
                    .build()
                    .map_err(refused)?
            };
        }
        let (objects, uploads): (Arc<dyn ObjectStore>, Option<Arc<dyn MultipartStore>>) =
            match address.kind {
                Kind::S3 => both(built!(AmazonS3Builder, AmazonS3ConfigKey)),
                Kind::Google => both(built!(GoogleCloudStorageBuilder, GoogleConfigKey)),
                Kind::Azure => both(built!(MicrosoftAzureBuilder, AzureConfigKey)),
                Kind::Web => {
                    let store = web(address).with_retry(retry).build().map_err(refused)?;
                    (Arc::new(store), None)
                }
                #[cfg(test)]
                Kind::Memory => both(object_store::memory::InMemory::new()),
            };
        Ok(Self {
            objects,
            uploads,
            kind: address.kind,
        })
    }

    /// The object at an address; none if there is none of this name.
    pub(super) fn head(&self, address: &Address) -> Result<Task<Option<Object>>> {
        let (objects, address) = (Arc::clone(&self.objects), address.clone());
        let key = key(&address)?;
        Task::spawn(async move {
            match objects.head(&key).await {
                Ok(found) => Ok(Some(object(&address, &found))),
                Err(object_store::Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(of_store("open", &address, &error)),
            }
        })
    }

    /// The objects below an address, at most so many, in no order.
    pub(super) fn list(&self, address: &Address, most: usize) -> Result<Task<Vec<Object>>> {
        if self.kind == Kind::Web {
            let error = ErrorKind::Usage.expected("the address of a file");
            return Err(error
                .found("that of a folder, which a web server cannot list")
                .at(&address.path())
                .hint("name each file"));
        }
        let (objects, address) = (Arc::clone(&self.objects), address.clone());
        let prefix = Some(key(&address)?).filter(|key| !key.as_ref().is_empty());
        Task::spawn(async move {
            let mut found = Vec::new();
            let mut all = objects.list(prefix.as_ref());
            while let Some(next) = all.next().await {
                let next = next.map_err(|error| of_store("list", &address, &error))?;
                let place = address.at(next.location.as_ref());
                found.push(object(&place, &next));
                if found.len() >= most {
                    break;
                }
            }
            Ok(found)
        })
    }

    /// Some bytes of an object, which must be as it was when it was found. A body that is cut is
    /// continued where it ended.
    pub(super) fn read(&self, of: &Arc<Object>, range: Range<u64>) -> Result<Task<Bytes>> {
        let (objects, object) = (Arc::clone(&self.objects), Arc::clone(of));
        let address = object.address()?;
        let key = key(&address)?;
        Task::spawn(async move {
            let mut bytes = BytesMut::with_capacity((range.end - range.start) as usize);
            let mut attempt = 0;
            loop {
                let rest = range.start + bytes.len() as u64..range.end;
                let before = bytes.len();
                let error = match some(&*objects, &key, &object, rest, &mut bytes).await {
                    Ok(()) if bytes.len() as u64 == range.end - range.start => {
                        return Ok(bytes.freeze());
                    }
                    // The connection ended before the body did.
                    Ok(()) => failed("read", &address, "the answer was cut"),
                    Err(Attempt::Changed(how)) => return Err(changed(&object.path, &how)),
                    Err(Attempt::Failed(error)) if Attempt::is_final(&error) => {
                        return Err(of_store("read", &address, &error));
                    }
                    Err(Attempt::Failed(error)) => of_store("read", &address, &error),
                };
                // What was received shows that the store can be reached.
                attempt = if bytes.len() > before { 1 } else { attempt + 1 };
                if attempt >= ATTEMPTS {
                    return Err(error);
                }
                tokio::time::sleep(pause(attempt)).await;
            }
        })
    }

    /// Writes a small object at once; its tag.
    pub(super) fn put(&self, address: &Address, bytes: Bytes) -> Result<Task<Option<String>>> {
        self.uploads(address)?;
        let (objects, address) = (Arc::clone(&self.objects), address.clone());
        let key = key(&address)?;
        Task::spawn(async move {
            let put = repeated(|| objects.put(&key, bytes.clone().into())).await;
            put.map(|put| put.e_tag)
                .map_err(|error| of_store("write", &address, &error))
        })
    }

    /// Deletes an object, if it is there.
    pub(super) fn delete(&self, address: &Address) -> Result<Task<()>> {
        self.uploads(address)?;
        let (objects, address) = (Arc::clone(&self.objects), address.clone());
        let key = key(&address)?;
        Task::spawn(async move {
            match repeated(|| objects.delete(&key)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(of_store("remove", &address, &error)),
            }
        })
    }

    fn uploads(&self, address: &Address) -> Result<Arc<dyn MultipartStore>> {
        self.uploads.clone().ok_or_else(|| {
            ErrorKind::Usage
                .expected("a place to write to")
                .found("the address of a web server, which can only be read")
                .at(&address.path())
                .hint("write to a file, or to an object store such as s3://bucket/key")
        })
    }

    /// Refuses a store to which nothing can be written.
    pub(super) fn check_writable(&self, address: &Address) -> Result<()> {
        self.uploads(address).map(drop)
    }

    /// Begins an upload; its id.
    pub(super) fn begin(&self, address: &Address) -> Result<Task<String>> {
        let (uploads, address) = (self.uploads(address)?, address.clone());
        let key = key(&address)?;
        Task::spawn(async move {
            let begun = repeated(|| uploads.create_multipart(&key)).await;
            begun.map_err(|error| of_store("write", &address, &error))
        })
    }

    /// Uploads a part, counted from 0; its id.
    pub(super) fn part(
        &self,
        address: &Address,
        upload: &str,
        number: usize,
        bytes: Bytes,
    ) -> Result<Task<String>> {
        let (uploads, address) = (self.uploads(address)?, address.clone());
        let (key, upload) = (key(&address)?, upload.to_owned());
        Task::spawn(async move {
            let put = repeated(|| uploads.put_part(&key, &upload, number, bytes.clone().into()));
            put.await
                .map(|part| part.content_id)
                .map_err(|error| of_store("write", &address, &error))
        })
    }

    /// Makes an object of an upload; its tag.
    pub(super) fn complete(
        &self,
        address: &Address,
        upload: &str,
        parts: &[String],
    ) -> Result<Task<Option<String>>> {
        let (uploads, address) = (self.uploads(address)?, address.clone());
        let (key, upload) = (key(&address)?, upload.to_owned());
        let parts: Vec<PartId> = (parts.iter())
            .map(|id| PartId {
                content_id: id.clone(),
            })
            .collect();
        Task::spawn(async move {
            let done = uploads.complete_multipart(&key, &upload, parts).await;
            done.map(|put| put.e_tag)
                .map_err(|error| of_store("write", &address, &error))
        })
    }

    /// Removes what was uploaded, if it is there.
    pub(super) fn abort(&self, address: &Address, upload: &str) -> Result<Task<()>> {
        let (uploads, address) = (self.uploads(address)?, address.clone());
        let (key, upload) = (key(&address)?, upload.to_owned());
        Task::spawn(async move {
            match repeated(|| uploads.abort_multipart(&key, &upload)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(of_store("remove", &address, &error)),
            }
        })
    }
}

fn both<S: ObjectStore + MultipartStore>(
    store: S,
) -> (Arc<dyn ObjectStore>, Option<Arc<dyn MultipartStore>>) {
    let store = Arc::new(store);
    (Arc::clone(&store) as _, Some(store))
}

/// A web server, with what is not shown of the address.
fn web(address: &Address) -> HttpBuilder {
    use base64::Engine as _;
    let secret = secret(address);
    let mut headers = HeaderMap::new();
    if !secret.user.is_empty() {
        let user = base64::prelude::BASE64_STANDARD.encode(&secret.user);
        if let Ok(mut value) = HeaderValue::from_str(&format!("Basic {user}")) {
            value.set_sensitive(true);
            headers.insert("authorization", value);
        }
    }
    let host = address.authority.rsplit('@').next().unwrap_or_default();
    let mut url = format!("{}://{host}/", address.scheme);
    if !secret.query.is_empty() {
        url = format!("{url}?{}", secret.query);
    }
    let options = ClientOptions::new()
        .with_allow_http(true)
        .with_config(ClientConfigKey::Timeout, TIMEOUT)
        .with_default_headers(headers);
    HttpBuilder::new()
        .with_url(url)
        .with_client_options(options)
}

/// The key of an address, which for a web server is written in percent signs.
fn key(address: &Address) -> Result<Key> {
    let parsed = match address.kind {
        Kind::Web => Key::from_url_path(&address.key),
        _ => Key::parse(&address.key),
    };
    parsed.map_err(|_| {
        ErrorKind::Usage
            .expected("the address of an object, as in s3://bucket/folder/name")
            .found("another")
            .at(&address.path())
    })
}

fn object(address: &Address, found: &ObjectMeta) -> Object {
    // A list may tell it more precisely than an answer about one object, which has seconds.
    let seconds = u64::try_from(found.last_modified.timestamp()).unwrap_or_default();
    let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    Object {
        path: address.path(),
        bytes: found.size,
        // A web server may not say when, nor which version it is.
        modified: Some(modified).filter(|at| *at != SystemTime::UNIX_EPOCH),
        tag: found.e_tag.clone(),
    }
}

/// Appends some bytes of an object, or as many as arrive.
async fn some(
    objects: &dyn ObjectStore,
    key: &Key,
    object: &Object,
    range: Range<u64>,
    bytes: &mut BytesMut,
) -> std::result::Result<(), Attempt> {
    // A weak tag never matches.
    let tag = object.tag.clone().filter(|tag| !tag.starts_with("W/"));
    let options = GetOptions {
        if_match: tag,
        range: Some(GetRange::Bounded(range)),
        ..GetOptions::default()
    };
    let mut answer = match objects.get_opts(key, options).await {
        Ok(answer) => {
            if let Some(how) = difference(object, &answer.meta) {
                return Err(Attempt::Changed(how));
            }
            answer.into_stream()
        }
        Err(object_store::Error::Precondition { .. }) => {
            return Err(Attempt::Changed("its ETag has changed".into()));
        }
        Err(object_store::Error::NotFound { .. }) => {
            return Err(Attempt::Changed("it is no longer there".into()));
        }
        Err(error) => return Err(Attempt::Failed(error)),
    };
    while let Some(piece) = answer.try_next().await.map_err(Attempt::Failed)? {
        bytes.extend_from_slice(&piece);
    }
    Ok(())
}

/// How an answer shows that the object is another one by now.
fn difference(then: &Object, now: &ObjectMeta) -> Option<String> {
    if then.bytes != now.size {
        return Some(format!("it had {} bytes and has {}", then.bytes, now.size));
    }
    let differ = matches!((&then.tag, &now.e_tag), (Some(then), Some(now)) if then != now);
    differ.then(|| "its ETag has changed".into())
}

/// Repeats a request while that may help.
async fn repeated<T, F: Future<Output = object_store::Result<T>>>(
    request: impl Fn() -> F,
) -> object_store::Result<T> {
    let mut attempt = 1;
    loop {
        match request().await {
            Err(error) if attempt < ATTEMPTS && !Attempt::is_final(&error) => {
                tokio::time::sleep(pause(attempt)).await;
                attempt += 1;
            }
            answer => return answer,
        }
    }
}

/// The wait before another attempt.
fn pause(attempt: u32) -> Duration {
    (Duration::from_millis(250) * 2_u32.saturating_pow(attempt)).min(LONGEST_WAIT)
}

/// A hash of what the environment says about stores, which may change while a process lives, and of
/// what is not shown of an address; it is not kept.
fn environment(user: &str, query: &str) -> u64 {
    const PREFIXES: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];
    let mut hash = DefaultHasher::new();
    let is_meant = |name: &str| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let mut all: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| name.to_str().is_some_and(is_meant))
        .collect();
    all.sort();
    (user, query, all).hash(&mut hash);
    hash.finish()
}
