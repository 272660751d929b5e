//! A record of a web archive (ISO 28500): its header, what it holds, and the HTTP message in it.

use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use memchr::memmem;
use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};

/// Bytes in which the header of a record, or of the HTTP message in it, must end.
const LONGEST_HEADER: usize = 1 << 20;
/// Bytes at the beginning of a body examined to determine its type, if nothing else states it.
const SNIFFED: usize = 512;
/// The most lines of a header.
const LINES: usize = 512;
/// The maximum size of a page after decompression: as a multiple of the size before, and
/// absolutely.
const EXPANSION: (usize, usize) = (256, 64 << 20);

/// The header of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// Its fields in order.
    fields: Vec<(String, String)>,
    /// Where the block begins.
    pub(super) block: usize,
    /// The length of the block.
    pub(super) length: u64,
}

/// What begins here.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// A record.
    Of(Header),
    /// No header that can be read.
    Bad(&'static str),
    /// More bytes are needed.
    More,
}

impl Header {
    /// Reads the header at the beginning of `bytes`.
    pub(super) fn read(bytes: &[u8]) -> Start {
        let known = b"WARC/".len().min(bytes.len());
        if bytes[..known] != b"WARC/"[..known] {
            return Start::Bad("expected a line `WARC/1.0` or `WARC/1.1`");
        }
        let Some(line) = memchr::memchr(b'\n', bytes) else {
            return more(bytes, "expected a line `WARC/1.0` or `WARC/1.1`");
        };
        let mut lines = [httparse::EMPTY_HEADER; LINES];
        let head = &bytes[line + 1..bytes.len().min(LONGEST_HEADER)];
        let fields = match httparse::parse_headers(head, &mut lines) {
            Ok(httparse::Status::Complete((len, lines))) => Ok(httparse::Status::Complete((
                len,
                lines.iter().map(text_of).collect(),
            ))),
            Ok(httparse::Status::Partial) => Ok(httparse::Status::Partial),
            // A line may be folded, which other readers accept.
            Err(_) => behind_status(head, &folding()),
        };
        match fields {
            Ok(httparse::Status::Complete((len, fields))) => {
                let header = Self {
                    fields,
                    block: line + 1 + len,
                    length: 0,
                };
                match header.get("content-length").map(str::parse) {
                    Some(Ok(length)) => Start::Of(Self { length, ..header }),
                    _ => Start::Bad("expected a number in `Content-Length`"),
                }
            }
            Ok(httparse::Status::Partial) => more(bytes, "expected a header that ends"),
            Err(_) => Start::Bad("expected lines of names and values in the header"),
        }
    }

    /// The value of a field.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        find(&self.fields, name)
    }

    /// The names of all fields, in lower case.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// The id, without its brackets.
    pub(super) fn id(&self) -> Option<&str> {
        let id = self.get("warc-record-id")?;
        Some(id.trim_start_matches('<').trim_end_matches('>'))
    }

    /// The length of header and block; the maximum if the sum overflows.
    pub(super) fn end(&self) -> u64 {
        (self.block as u64).saturating_add(self.length)
    }

    /// What the block of a whole record is, whatever its length says.
    pub(super) fn holds_in(mut self, record: &[u8]) -> Option<Holds> {
        let at = block(&self, record)?;
        self.length = at.len() as u64;
        self.holds(&record[at])
    }

    /// What the block is, of which `held` is available; none if more is needed.
    pub(super) fn holds(&self, held: &[u8]) -> Option<Holds> {
        let is_whole = held.len() as u64 == self.length;
        let of_type = |is_text| {
            if is_text {
                Holds::Text
            } else {
                Holds::Other("not HTML or plain text")
            }
        };
        let own = self.get("content-type").map(|kind| is_text(media(kind)));
        match self.get("warc-type") {
            Some("response") => match Message::read(held) {
                Some(message) if message.status / 100 != 2 => {
                    Some(Holds::Other(match message.status / 100 {
                        3 => "status 3xx",
                        4 => "status 4xx",
                        5 => "status 5xx",
                        _ => "another status",
                    }))
                }
                Some(message) => message.is_page(is_whole).map(of_type),
                None if !is_whole && held.len() < LONGEST_HEADER => None,
                // Some tools keep only the body.
                None if own == Some(true) => Some(Holds::Text),
                None => Some(Holds::Other("no HTTP header")),
            },
            Some("resource" | "conversion") => Some(of_type(own.unwrap_or(true))),
            Some("request") => Some(Holds::Other("requests")),
            Some("metadata") => Some(Holds::Other("metadata")),
            Some("warcinfo") => Some(Holds::Other("warcinfo")),
            Some("revisit") => Some(Holds::Other("revisits")),
            _ => Some(Holds::Other("another type")),
        }
    }
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// A page or plain text.
    Text,
    /// Something that is not compared: what it is, or why it is not.
    Other(&'static str),
}

/// A parser of headers with folded lines.
fn folding() -> httparse::ParserConfig {
    let mut config = httparse::ParserConfig::default();
    config
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true);
    config
}

type Fields = Vec<(String, String)>;

/// The lines of a header without the line before them, and their length.
fn behind_status(
    lines: &[u8],
    config: &httparse::ParserConfig,
) -> std::result::Result<httparse::Status<(usize, Fields)>, httparse::Error> {
    const STATUS: &[u8] = b"HTTP/1.1 200 OK\r\n";
    let ends = [&b"\n\r\n"[..], b"\n\n"];
    let ends = ends.iter().filter_map(|end| memmem::find(lines, end));
    let len = ends
        .min()
        .map_or(lines.len(), |at| (at + 3).min(lines.len()));
    let whole = [STATUS, &lines[..len]].concat();
    let mut found = [httparse::EMPTY_HEADER; LINES];
    let mut response = httparse::Response::new(&mut found);
    Ok(match config.parse_response(&mut response, &whole)? {
        httparse::Status::Complete(len) => httparse::Status::Complete((
            len - STATUS.len(),
            response.headers.iter().map(text_of).collect(),
        )),
        httparse::Status::Partial => httparse::Status::Partial,
    })
}

/// The answer to a header that has not ended.
fn more(bytes: &[u8], expected: &'static str) -> Start {
    if bytes.len() < LONGEST_HEADER {
        Start::More
    } else {
        Start::Bad(expected)
    }
}

fn text_of(line: &httparse::Header) -> (String, String) {
    let value = String::from_utf8_lossy(line.value);
    let value = if value.contains('\n') {
        let lines = value.split(['\r', '\n']).map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        lines.join(" ")
    } else {
        value.trim().to_owned()
    };
    (line.name.to_ascii_lowercase(), value)
}

fn find<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = fields
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// The media type of a content type.
pub(super) fn media(kind: &str) -> &str {
    kind.split(';').next().unwrap_or_default().trim()
}

/// The charset of a content type.
pub(super) fn charset(kind: &str) -> Option<&str> {
    kind.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        (name.trim().eq_ignore_ascii_case("charset"))
            .then(|| value.trim().trim_matches(['"', '\'']))
    })
}

fn is_text(media: &str) -> bool {
    is_html(media)
        || ["text/plain", "text/markdown"]
            .iter()
            .any(|kind| kind.eq_ignore_ascii_case(media))
}

/// Whether a media type is that of web pages.
pub(super) fn is_html(media: &str) -> bool {
    ["text/html", "application/xhtml+xml"]
        .iter()
        .any(|kind| kind.eq_ignore_ascii_case(media))
}

/// How many times larger than compressed a page usually is.
const USUAL: usize = 6;

/// The HTTP message in a response.
#[derive(Debug)]
pub(super) struct Message<'a> {
    /// The status.
    pub(super) status: u16,
    fields: Vec<(String, String)>,
    /// The bytes after the header.
    body: &'a [u8],
}

impl<'a> Message<'a> {
    /// Reads the message from all or the first of its bytes; none if its header is incomplete or
    /// invalid.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut lines = [httparse::EMPTY_HEADER; LINES];
        let mut response = httparse::Response::new(&mut lines);
        let head = &bytes[..bytes.len().min(LONGEST_HEADER)];
        let mut config = folding();
        config.ignore_invalid_headers_in_responses(true);
        match config.parse_response(&mut response, head) {
            Ok(httparse::Status::Complete(len)) => Some(Self {
                status: response.code?,
                fields: response.headers.iter().map(text_of).collect(),
                body: &bytes[len..],
            }),
            Ok(httparse::Status::Partial) => None,
            Err(_) => {
                let (status, line) = status_of(head)?;
                match behind_status(&head[line..], &config) {
                    Ok(httparse::Status::Complete((len, fields))) => Some(Self {
                        status,
                        fields,
                        body: &bytes[line + len..],
                    }),
                    _ => None,
                }
            }
        }
    }

    /// The value of a header.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        find(&self.fields, name)
    }

    /// The length of the body.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// Whether the body, `is_whole` or not, is text: by its type or, without one, by its beginning;
    /// none if more is needed.
    fn is_page(&self, is_whole: bool) -> Option<bool> {
        if let Some(kind) = self.get("content-type") {
            return Some(is_text(media(kind)));
        }
        if !is_whole && self.body.len() < SNIFFED {
            return None;
        }
        let head = self.body[..self.body.len().min(SNIFFED)].trim_ascii_start();
        let begins = |tag: &[u8]| {
            let head = head.get(..tag.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(tag))
        };
        Some(begins(b"<!doctype html") || begins(b"<html"))
    }

    /// About how many bytes a compressed body expands to; 0 if it is not compressed. Gzip states
    /// this at its end; others are assumed to expand as pages usually do.
    pub(super) fn expanded(&self) -> usize {
        let encoding = self.get("content-encoding").unwrap_or_default().trim();
        if encoding.is_empty() || encoding.eq_ignore_ascii_case("identity") {
            return 0;
        }
        let packed = self.body.len();
        let body = self.body.trim_ascii_end();
        // Of a chunked body the last chunk is empty.
        let body = body.strip_suffix(b"\r\n0").unwrap_or(self.body);
        let declared = (encoding.to_ascii_lowercase().ends_with("gzip"))
            .then(|| body.last_chunk::<4>())
            .flatten();
        let declared = declared.map_or(packed * USUAL, |size| u32::from_le_bytes(*size) as usize);
        declared
            .min(packed.saturating_mul(EXPANSION.0))
            .min(EXPANSION.1)
    }

    /// The original body, without transfer encodings.
    ///
    /// # Errors
    /// If it is damaged, or many times larger than its bytes.
    pub(super) fn content(&self) -> Result<Cow<'a, [u8]>> {
        let is_chunked = (self.get("transfer-encoding"))
            .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
        let mut content = Cow::Borrowed(self.body);
        // Some crawlers keep the header but store the content decoded.
        if is_chunked && let Some(parts) = chunks(self.body) {
            content = parts.concat().into();
        }
        let encodings = self.get("content-encoding").unwrap_or_default();
        for encoding in encodings.rsplit(',').map(str::trim) {
            content = match encoding.to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" if content.starts_with(&[0x1f, 0x8b]) => {
                    expand(MultiGzDecoder::new(&*content), content.len())?.into()
                }
                "deflate" if content.first().is_some_and(|byte| byte & 0x0f == 8) => {
                    expand(ZlibDecoder::new(&*content), content.len())?.into()
                }
                "zstd" if content.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) => {
                    let decoder =
                        zstd::Decoder::with_buffer(&*content).map_err(|error| damage(&error))?;
                    expand(decoder, content.len())?.into()
                }
                "br" if simdutf8::basic::from_utf8(&content).is_err() => expand(
                    brotli_decompressor::Decompressor::new(&*content, 4096),
                    content.len(),
                )?
                .into(),
                _ => content,
            };
        }
        Ok(content)
    }
}

/// The status in the first line of a message, whatever its version of HTTP, and the length of that
/// line.
fn status_of(head: &[u8]) -> Option<(u16, usize)> {
    let line = memchr::memchr(b'\n', head)? + 1;
    let mut words = head[..line]
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let version = words.next()?;
    let is_http = version
        .get(..4)
        .is_some_and(|name| name.eq_ignore_ascii_case(b"HTTP"));
    // Internet radio has its own name for it.
    if !is_http && !version.eq_ignore_ascii_case(b"ICY") {
        return None;
    }
    let status = words.next()?;
    let digits = std::str::from_utf8(status.get(..3)?).ok()?;
    let is_longer = status.get(3).is_some_and(u8::is_ascii_digit);
    Some((digits.parse().ok().filter(|_| !is_longer)?, line))
}

/// The parts of a chunked body; none if it is not chunked.
fn chunks(body: &[u8]) -> Option<Vec<&[u8]>> {
    let (mut at, mut parts) = (0, Vec::new());
    loop {
        match httparse::parse_chunk_size(&body[at..]) {
            Ok(httparse::Status::Complete((_, 0))) => return Some(parts),
            Ok(httparse::Status::Complete((head, len))) => {
                let from = at + head;
                let to = from.checked_add(usize::try_from(len).ok()?)?;
                // Content truncated by the crawler is read as far as it goes.
                parts.push(body.get(from..to).unwrap_or(&body[from..]));
                at = to.saturating_add(2);
                if at >= body.len() {
                    return Some(parts);
                }
            }
            _ => return (!parts.is_empty()).then_some(parts),
        }
    }
}

/// Decompresses a body of `packed` bytes; a truncated one as far as it goes.
fn expand(decoder: impl Read, packed: usize) -> Result<Vec<u8>> {
    let most = packed.saturating_mul(EXPANSION.0).min(EXPANSION.1);
    let mut out = Vec::new();
    let read = decoder.take(most as u64 + 1).read_to_end(&mut out);
    if out.len() > most {
        return Err(ErrorKind::Data
            .expected(format!("a page of at most {most} bytes"))
            .found(format!("a longer one, compressed in {packed} bytes"))
            .hint("skip such records with ⟨on_bad_record=skip⟩"));
    }
    match read {
        Err(error) if out.is_empty() => Err(damage(&error)),
        _ => Ok(out),
    }
}

fn damage(error: &std::io::Error) -> Error {
    Error::data(format!(
        "the compressed body of the page is damaged: {error}"
    ))
    .hint("skip such records with ⟨on_bad_record=skip⟩")
}

/// The beginning of the next record after one that cannot be read.
pub(super) fn next(bytes: &[u8]) -> Option<usize> {
    memmem::find(bytes, b"\nWARC/").map(|at| at + 1)
}

/// How many bytes the length of a block may be off, at most.
pub(super) const SLIP: usize = 256;

/// Where a record ends, with the line ends after its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Where its length says.
    To(usize),
    /// Here, a few bytes from where its length says.
    Off(usize),
    /// More bytes are needed.
    More,
    /// Nowhere: the file ends before.
    Nowhere,
}

/// Where a record ends whose block begins at `from` and should end at `to`; `all` says that nothing
/// follows these bytes.
///
/// A block is followed by an empty line. If it is not, and the next record begins close by, or the
/// file ends there, it is the length that is wrong.
pub(super) fn extent(bytes: &[u8], (from, to): (usize, u64), all: bool) -> Extent {
    let end = usize::try_from(to).unwrap_or(usize::MAX);
    let declared = bytes.get(end..);
    if let Some(rest) = declared {
        let ends = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let next = &rest[ends.count()..];
        let known = b"WARC/".len().min(next.len());
        let is_next = next[..known] == b"WARC/"[..known];
        if is_next && known < b"WARC/".len() && !all {
            return Extent::More;
        }
        if next.is_empty() && !all {
            return Extent::More;
        }
        if next.is_empty() || is_next || rest.starts_with(b"\r\n\r\n") {
            return Extent::To(end + tail(rest));
        }
    }
    let last = end.saturating_add(SLIP).min(bytes.len());
    if last < end.saturating_add(SLIP) && !all {
        return Extent::More;
    }
    let first = end.saturating_sub(SLIP).max(from).min(last);
    let window = &bytes[first..];
    let mut starts = memmem::find_iter(window, b"\nWARC/")
        .map(|at| first + at + 1)
        .take_while(|at| *at <= last)
        .filter(|at| is_closed(&bytes[from..*at]));
    let next = starts.find(|at| !matches!(Header::read(&bytes[*at..]), Start::Bad(_)));
    match next {
        Some(at) => Extent::Off(at),
        None if all
            && bytes.len().abs_diff(end) <= SLIP
            && is_closed(&bytes[from.min(bytes.len())..]) =>
        {
            Extent::Off(bytes.len())
        }
        None => declared.map_or(Extent::Nowhere, |rest| Extent::To(end + tail(rest))),
    }
}

/// Whether an empty line is at the end.
fn is_closed(bytes: &[u8]) -> bool {
    bytes.ends_with(b"\r\n\r\n") || bytes.ends_with(b"\n\n")
}

/// The line ends after a block: the two that belong to it, or as many as there are.
pub(super) fn tail(bytes: &[u8]) -> usize {
    let ends = bytes
        .iter()
        .take(4)
        .take_while(|byte| matches!(byte, b'\r' | b'\n'));
    ends.count()
}

/// The range of a block in its record, which may be cut off.
pub(super) fn block(header: &Header, record: &[u8]) -> Option<Range<usize>> {
    match extent(record, (header.block, header.end()), true) {
        Extent::To(_) => Some(header.block..usize::try_from(header.end()).ok()?),
        Extent::Off(end) => {
            let ends = record[header.block..end].iter().rev().take(4);
            let ends = ends.take_while(|byte| matches!(byte, b'\r' | b'\n'));
            Some(header.block..end - ends.count())
        }
        Extent::More | Extent::Nowhere => None,
    }
}
