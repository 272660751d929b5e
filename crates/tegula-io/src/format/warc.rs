//! Web archives (WARC, WET): a record is a page or text that was fetched; everything else in the
//! file (requests, pictures, redirects, metadata) is copied as it is.
//!
//! A record has a text if it is a `response` with a status of 200 to 299, or a `resource` or
//! `conversion`, of HTML or plain text. Its id is its `WARC-Record-ID`. Compressed archives are
//! written in the way that other readers expect: each record is a separate member. Where the length
//! of a record is a few bytes off, it ends where the next one begins; this is counted.

use super::extracted::{all_fields, no_place, standoff_of};
use super::html::{fields_of, needed, texts_of_pages};
use super::marks::number;
use super::warc_record::{
    Extent, Header, Holds, Message, SLIP, Start, block, charset, extent, is_html, media, next,
};
use super::{
    Cut, Format, MarkPlace, MarkStyle, Note, PassOver, Passed, Patch, Place, Settings, bytes,
};
use crate::convert::Fields;
use crate::edit::Marks;
use crate::format::facts::{self, FormatFacts};
use crate::options::{FormatName, PageText};
use crate::page::{self, About, Page};
use crate::passed_over::{Beside, What};
use crate::written;
use encoding_rs::{Encoding, WINDOWS_1252};
use std::borrow::Cow;
use std::ops::Range;
use tegula::error::{Error, Result};
use tegula::record::Batch;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Warc,
    noun: "a web archive",
    endings: &["warc", "wet"],
    recognises,
    has_fields: false,
    has_marks: false,
    has_tokens: false,
    is_bytes: true,
    places: &[MarkPlace::Standoff, MarkPlace::Revisit],
    texts: texts_of_pages,
};

fn recognises(sample: &facts::Sample) -> bool {
    sample.text.starts_with("WARC/")
}

/// The reader and editor of web archives.
#[derive(Debug)]
pub(crate) struct Warc {
    wanted: Vec<String>,
    id_key: Option<String>,
    text: PageText,
    encoding: Option<&'static Encoding>,
}

/// What a record holds.
struct Capture {
    header: Header,
    kind: Option<String>,
    status: Option<u16>,
    page: Page,
}

impl Capture {
    /// All its fields but id and text.
    fn fields(self) -> (String, Vec<(&'static str, Option<String>)>) {
        let Self {
            header,
            kind,
            status,
            page,
        } = self;
        let of_header = |name| header.get(name).map(str::to_owned);
        let mut fields = vec![
            ("url", of_header("warc-target-uri")),
            ("date", of_header("warc-date")),
            ("type", kind),
            ("status", status.map(|status| status.to_string())),
        ];
        fields.extend(
            fields_of(&page)
                .into_iter()
                .filter_map(|(name, value)| match name {
                    "url" => None,
                    "date" => Some(("published", value)),
                    name => Some((name, value)),
                }),
        );
        (page.text, fields)
    }

    /// A field by its name, or a header of the record by its name.
    fn field(
        header: &Header,
        fields: &[(&'static str, Option<String>)],
        name: &str,
    ) -> Option<String> {
        match fields.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => value.clone(),
            None => header.get(name).map(str::to_owned),
        }
    }
}

impl Warc {
    /// Uses the names of the fields from the options.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            wanted: settings.options.needs.fields.clone(),
            id_key: settings.options.id_key.clone(),
            text: settings.options.page.text.unwrap_or_default(),
            encoding: settings.encoding,
        }
    }

    fn read(&self, record: &[u8], text: PageText) -> Result<Capture> {
        let (header, at) = opened(record)?;
        let held = &record[at];
        let message = match header.get("warc-type") {
            Some("response") => Message::read(held),
            _ => None,
        };
        let kind = match &message {
            Some(message) => message.get("content-type"),
            None => header.get("content-type"),
        };
        let content = match &message {
            Some(message) => message.content()?,
            None => Cow::Borrowed(held),
        };
        let label = kind.and_then(charset);
        // A response without a type looks like a page.
        let page = if kind.map_or(message.is_some(), |kind| is_html(media(kind))) {
            page::read(&content, (label, self.encoding), text)?
        } else {
            let (plain, encoding) = page::decode(&content, label, self.encoding);
            let about = About {
                charset: encoding.name(),
                ..About::default()
            };
            Page {
                text: plain.into_owned(),
                is_main: false,
                boilerplate: (text == PageText::Marked).then(Vec::new),
                about,
            }
        };
        Ok(Capture {
            kind: kind.map(|kind| media(kind).to_ascii_lowercase()),
            status: message.as_ref().map(|message| message.status),
            page,
            header,
        })
    }

    /// The record as one that only refers to its witness.
    fn revisit(record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        let Some(witness) = &marks.duplicate_of else {
            return Ok(Vec::new());
        };
        let whole = bytes(record);
        let (header, at) = opened(&whole)?;
        let is_response = header.get("warc-type") == Some("response");
        let body =
            Message::read(&whole[at.clone()]).map_or(at.end, |message| at.end - message.len());
        let kept = if is_response {
            &whole[at.start..body]
        } else {
            &[]
        };
        let mut lines = vec![
            ("WARC-Type", "revisit".to_owned()),
            ("WARC-Profile", "urn:tegula:near-duplicate".to_owned()),
            ("WARC-Refers-To", format!("<{}>", written::uri(witness))),
        ];
        for name in [
            "WARC-Record-ID",
            "WARC-Target-URI",
            "WARC-Date",
            "WARC-IP-Address",
            "WARC-Warcinfo-ID",
            "WARC-Payload-Digest",
        ] {
            lines.extend(header.get(name).map(|value| (name, value.to_owned())));
        }
        let (score, cluster) = (
            style.name("Duplicate-Score"),
            style.name("Duplicate-Cluster"),
        );
        lines.extend(
            marks
                .duplicate_score
                .map(|score_of| (&*score, number(score_of))),
        );
        lines.extend(marks.cluster_id.clone().map(|id| (&*cluster, id)));
        if is_response {
            lines.push((
                "Content-Type",
                "application/http; msgtype=response".to_owned(),
            ));
        }
        lines.push(("Content-Length", kept.len().to_string()));
        let mut out = b"WARC/1.1\r\n".to_vec();
        for (name, value) in lines {
            out.extend_from_slice(format!("{name}: {}\r\n", written::header(&value)).as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(kept);
        out.extend_from_slice(b"\r\n\r\n");
        let with = WINDOWS_1252
            .decode_without_bom_handling(&out)
            .0
            .into_owned();
        Ok(vec![Patch {
            at: 0..whole.len(),
            with,
        }])
    }
}

/// The header of a record, and its block.
fn opened(record: &[u8]) -> Result<(Header, Range<usize>)> {
    let bad = |what: &str| {
        Error::data(what)
            .hint("fetch the archive again, or skip such records with ⟨on_bad_record=skip⟩")
    };
    match Header::read(record) {
        Start::Of(header) => match block(&header, record) {
            Some(at) => Ok((header, at)),
            None => Err(bad("the file ends inside a WARC record")),
        },
        Start::Bad(what) => Err(bad(&format!("{what} at the beginning of a WARC record"))),
        Start::More => Err(bad("the file ends inside the header of a WARC record")),
    }
}

/// Skips a record that is too long: by its length or, if that cannot be read, up to what looks like
/// the next one.
#[derive(Debug, Default)]
struct Rest {
    left: Option<u64>,
    is_begun: bool,
}

impl PassOver for Rest {
    fn next(&mut self, text: &[u8]) -> Passed {
        if !std::mem::replace(&mut self.is_begun, true)
            && let Start::Of(header) = Header::read(text)
        {
            self.left = Some(header.end().saturating_add(4));
        }
        let Some(left) = &mut self.left else {
            return match next(text) {
                Some(at) => Passed::Ends(at),
                // The line that begins a record may begin here.
                None => Passed::Through(text.len().saturating_sub(5).max(1).min(text.len())),
            };
        };
        match usize::try_from(*left) {
            Ok(left) if left <= text.len() => Passed::Ends(left),
            _ => {
                *left -= text.len() as u64;
                Passed::Through(text.len())
            }
        }
    }
}

/// What is wrong with the length of a record.
const OFF: &str = "records whose Content-Length is a few bytes off, read up to the next record";

/// The rest of a record without a text, up to the next.
fn rest_of(text: &[u8], place: Place) -> Cut {
    let (end, beside) = match extent(text, (0, place.inside as u64), place.end) {
        Extent::More => return Cut::nothing(),
        Extent::Nowhere => (text.len(), Vec::new()),
        Extent::To(end) => (end, Vec::new()),
        Extent::Off(end) => {
            let what = What::Repaired(OFF);
            (end, vec![Beside { at: 0, what }])
        }
    };
    Cut::ranges(end, Vec::new()).with(beside)
}

impl Format for Warc {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        if place.inside > 0 {
            return rest_of(text, place);
        }
        let (mut at, mut ranges, mut beside) = (0, Vec::new(), Vec::new());
        loop {
            at += text[at..]
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'))
                .count();
            let rest = &text[at..];
            if rest.is_empty() {
                return Cut::ranges(at, ranges).with(beside);
            }
            match Header::read(rest) {
                Start::Of(header) => {
                    let held = &rest[header.block..];
                    let length = usize::try_from(header.length).unwrap_or(usize::MAX);
                    let held = &held[..held.len().min(length)];
                    let end = header.end();
                    let mut holds = header.holds(held);
                    let mut count = |what| beside.push(Beside { at, what });
                    if let (Some(Holds::Other(why)), false) = (holds, place.end)
                        && end > (rest.len() + SLIP) as u64
                    {
                        // It is copied without being held, unless the file or the record ends in
                        // these bytes.
                        count(What::PassedOver(why));
                        return Cut {
                            beyond: end - rest.len() as u64,
                            ..Cut::ranges(text.len(), ranges).with(beside)
                        };
                    }
                    let reach = match holds {
                        Some(_) => extent(rest, (header.block, end), place.end),
                        None if place.end => Extent::Nowhere,
                        None => Extent::More,
                    };
                    let end = match reach {
                        Extent::More => return Cut::ranges(at, ranges).with(beside),
                        Extent::Nowhere => {
                            ranges.push(at..text.len());
                            at = text.len();
                            continue;
                        }
                        Extent::To(end) => end,
                        Extent::Off(end) => {
                            count(What::Repaired(OFF));
                            holds = header.holds_in(&rest[..end]).or(holds);
                            end
                        }
                    };
                    match holds {
                        Some(Holds::Other(why)) => count(What::PassedOver(why)),
                        _ => ranges.push(at..at + end),
                    }
                    at += end;
                }
                Start::More if !place.end => return Cut::ranges(at, ranges).with(beside),
                Start::Bad(_) if !place.end && next(rest).is_none() => {
                    return Cut::ranges(at, ranges).with(beside);
                }
                _ => {
                    let end = next(rest).unwrap_or(rest.len());
                    ranges.push(at..at + end);
                    at += end;
                }
            }
        }
    }

    fn pass_over(&self) -> Option<Box<dyn PassOver + '_>> {
        Some(Box::<Rest>::default())
    }

    fn members(&self, bytes: &[u8]) -> Vec<usize> {
        let (mut at, mut members) = (0, Vec::new());
        while at < bytes.len() {
            at += bytes[at..]
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'))
                .count();
            let Start::Of(header) = Header::read(&bytes[at..]) else {
                break;
            };
            members.push(at);
            at = match extent(&bytes[at..], (header.block, header.end()), true) {
                Extent::To(end) | Extent::Off(end) => at + end,
                Extent::More | Extent::Nowhere => bytes.len(),
            };
        }
        members
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        self.decode_bytes(&bytes(record), batch)
    }

    fn decode_bytes(&self, record: &[u8], batch: &mut Batch) -> Result<bool> {
        let capture = self.read(record, needed(self.text, &self.wanted))?;
        let header = capture.header.clone();
        let (text, fields) = capture.fields();
        batch.text.push_str(&text);
        let id = match &self.id_key {
            Some(key) => Capture::field(&header, &fields, key),
            None => header.id().map(str::to_owned),
        };
        batch.ids.push_str(id.as_deref().unwrap_or_default());
        let wanted = self.wanted.iter();
        batch
            .fields
            .extend(wanted.map(|name| Capture::field(&header, &fields, name)));
        Ok(id.is_some())
    }

    fn burden(&self, record: &[u8]) -> u64 {
        let packed = opened(record).ok().and_then(|(header, at)| {
            let is_response = header.get("warc-type") == Some("response");
            let message = is_response.then(|| Message::read(&record[at])).flatten()?;
            Some(message.expanded()).filter(|len| *len > 0)
        });
        packed.map_or_else(
            || page::burden(record, self.text),
            |len| page::burden_of(len, self.text),
        )
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        let capture = self.read(&bytes(record), self.text)?;
        let id = capture.header.id().map(str::to_owned);
        let (text, fields) = capture.fields();
        Ok(all_fields(id.as_deref(), &text, fields))
    }

    fn names(&self, record: &str, _inner: bool) -> Vec<String> {
        let header =
            opened(&bytes(record)).map_or_else(|_| Header::default(), |(header, _)| header);
        let own = header.names().map(str::to_owned).collect::<Vec<_>>();
        let capture = Capture {
            header,
            kind: None,
            status: None,
            page: Page::default(),
        };
        let of_capture = capture.fields().1.into_iter();
        of_capture
            .map(|(name, _)| name.to_owned())
            .chain(own)
            .collect()
    }

    fn remove(&self, _record: &str, _cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        Err(no_place())
    }

    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        match style.place {
            MarkPlace::Revisit if marks.spans.is_some() => Err(no_place()),
            MarkPlace::Revisit => Self::revisit(record, marks, style),
            place => Err(place.unknown("web archives", "standoff or revisit")),
        }
    }

    fn standoff(&self, record: &str, marks: &Marks) -> Result<Vec<Note>> {
        let bytes = bytes(record);
        let (header, _) = opened(&bytes)?;
        standoff_of(bytes.len(), header.id().map(str::to_owned), marks)
    }
}
