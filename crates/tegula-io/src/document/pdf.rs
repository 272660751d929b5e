//! PDF: the text of pages in the order in which they draw it, without layout.

use super::Document;
use flate2::bufread::ZlibDecoder;
use memchr::memmem;
use std::io::Read;
use tegula::error::Result;

/// Bytes of a stream's dictionary looked at.
const DICTIONARY: usize = 1 << 10;
/// Bytes of memory that a byte of a stream takes: of the largest, which is held in its operators,
/// and of all.
const LARGEST: u64 = 16;
const ALL: u64 = 4;

/// Bytes of memory that reading a file takes: measured by inflating its streams, without keeping
/// them.
pub(super) fn burden(bytes: &[u8]) -> u64 {
    let (mut largest, mut all) = (0, bytes.len() as u64);
    for at in memmem::find_iter(bytes, b"stream") {
        let dictionary = &bytes[at.saturating_sub(DICTIONARY)..at];
        let from = memmem::rfind(dictionary, b"obj").unwrap_or(0);
        let dictionary = &dictionary[from..];
        if dictionary.ends_with(b"end") || memmem::find(dictionary, b"/Image").is_some() {
            continue;
        }
        let data = bytes[at + b"stream".len()..].trim_ascii_start();
        let mut size = inflated(data);
        // Inflated twice, a stream could be as large as it likes.
        if memmem::find_iter(dictionary, b"Flate").count() > 1 {
            size = size.saturating_mul(1000);
        }
        largest = size.max(largest);
        all = size.saturating_add(all);
    }
    (LARGEST.saturating_mul(largest)).saturating_add(ALL.saturating_mul(all))
}

/// The length of data in zlib's format; 0 of others.
fn inflated(data: &[u8]) -> u64 {
    let (mut decoder, mut buffer, mut size) = (ZlibDecoder::new(data), vec![0; 32 << 10], 0);
    while let Ok(read @ 1..) = decoder.read(&mut buffer) {
        size += read as u64;
    }
    size
}

/// The text of a file.
///
/// # Errors
/// If it is damaged or encrypted.
#[cfg(not(feature = "pdf"))]
pub(super) fn read(_bytes: &[u8]) -> Result<Document> {
    Err(
        tegula::error::Error::usage("this program was built without PDF")
            .hint("build it with the feature pdf, or extract the text first"),
    )
}

#[cfg(feature = "pdf")]
pub(super) use with_library::read;

#[cfg(feature = "pdf")]
mod with_library {
    use super::{Document, Result};
    use crate::decoder;
    use pdf_extract::{
        ConvertToFmt, Dictionary, Error as Fault, Object, ObjectId, OutputError, PlainTextOutput,
    };
    use std::collections::HashMap;
    use tegula::error::{Error, ErrorKind};

    /// How deep forms may be drawn in forms.
    const DEEPEST: usize = 16;
    /// Bytes of text beyond which a file is refused.
    const MOST: usize = 256 << 20;

    /// The text, up to a limit.
    #[derive(Default)]
    struct Text(String);

    impl std::fmt::Write for Text {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            if self.0.len() + text.len() > MOST {
                return Err(std::fmt::Error);
            }
            self.0.push_str(text);
            Ok(())
        }
    }

    impl ConvertToFmt for &mut Text {
        type Writer = Self;

        fn convert(self) -> Self {
            self
        }
    }

    /// Letters drawn as one, which PDF often has as one character, and other formats never.
    const LIGATURES: [(char, &str); 7] = [
        ('ﬀ', "ff"),
        ('ﬁ', "fi"),
        ('ﬂ', "fl"),
        ('ﬃ', "ffi"),
        ('ﬄ', "ffl"),
        ('ﬅ', "st"),
        ('ﬆ', "st"),
    ];

    /// A text with the letters of its ligatures.
    fn spelled_out(text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match LIGATURES.iter().find(|(ligature, _)| *ligature == c) {
                Some((_, letters)) => out.push_str(letters),
                None => out.push(c),
            }
        }
        out
    }

    /// The text of a file.
    ///
    /// # Errors
    /// If it is damaged or encrypted.
    pub(in super::super) fn read(bytes: &[u8]) -> Result<Document> {
        // The library panics on some damage.
        decoder::caught(|| extracted(bytes)).unwrap_or_else(|| {
            Err(ErrorKind::Data
                .expected("a PDF file")
                .found("damage that stops its decoder"))
        })
    }

    fn extracted(bytes: &[u8]) -> Result<Document> {
        let mut pdf = pdf_extract::Document::load_mem(bytes).map_err(|fault| damage(&fault))?;
        if pdf.is_encrypted() && pdf.decrypt("").is_err() {
            return Err(Error::data("the document is encrypted").hint("save it without a password"));
        }
        if depth(&pdf) > DEEPEST {
            return Err(Error::data("the forms in the document contain themselves"));
        }
        let mut text = Text::default();
        let drawn = pdf_extract::output_doc(&pdf, &mut PlainTextOutput::new(&mut text));
        drawn.map_err(|fault| match fault {
            OutputError::FormatError(_) => Error::data("the document has too much text"),
            OutputError::PdfError(fault) => damage(&fault),
            OutputError::IoError(fault) => Error::data(format!("the document is damaged: {fault}")),
        })?;
        let info = pdf
            .trailer
            .get(b"Info")
            .ok()
            .and_then(|info| resolved(&pdf, info));
        let about = |key: &[u8]| {
            let value = info?.as_dict().ok()?.get(key).ok()?;
            let text = pdf_extract::decode_text_string(resolved(&pdf, value)?).ok()?;
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        Ok(Document {
            text: spelled_out(text.0.trim()),
            title: about(b"Title"),
            author: about(b"Author"),
            date: about(b"CreationDate").and_then(|date| date_of(&date)),
        })
    }

    /// A date such as `D:20240131120000+01'00'`, as others write it.
    fn date_of(date: &str) -> Option<String> {
        let date = date.strip_prefix("D:").unwrap_or(date);
        let part = |from: usize, to: usize| {
            let part = date.get(from..to)?;
            part.bytes()
                .all(|byte| byte.is_ascii_digit())
                .then_some(part)
        };
        Some(format!("{}-{}-{}", part(0, 4)?, part(4, 6)?, part(6, 8)?))
    }

    fn resolved<'a>(pdf: &'a pdf_extract::Document, object: &'a Object) -> Option<&'a Object> {
        pdf.dereference(object).ok().map(|(_, object)| object)
    }

    /// How deep forms draw forms; more than [`DEEPEST`] if without end.
    fn depth(pdf: &pdf_extract::Document) -> usize {
        let mut forms: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
        for (id, object) in &pdf.objects {
            if let Object::Stream(stream) = object {
                forms.insert(*id, drawn(pdf, &stream.dict));
            }
        }
        let mut level: Vec<ObjectId> = forms.keys().copied().collect();
        for depth in 0..=DEEPEST {
            let mut next: Vec<ObjectId> = level
                .iter()
                .filter_map(|id| forms.get(id))
                .flatten()
                .copied()
                .collect();
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                return depth;
            }
            level = next;
        }
        DEEPEST + 1
    }

    /// The forms among the resources of a form.
    fn drawn(pdf: &pdf_extract::Document, form: &Dictionary) -> Vec<ObjectId> {
        let of = |dictionary: &'_ Dictionary, key: &[u8]| -> Option<Dictionary> {
            resolved(pdf, dictionary.get(key).ok()?)?
                .as_dict()
                .ok()
                .cloned()
        };
        let objects = of(form, b"Resources").and_then(|resources| of(&resources, b"XObject"));
        let objects = objects.unwrap_or_default();
        objects
            .iter()
            .filter_map(|(_, object)| object.as_reference().ok())
            .collect()
    }

    fn damage(fault: &Fault) -> Error {
        ErrorKind::Data
            .expected("a PDF file")
            .found(format!("damage: {fault}"))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn ligatures_are_letters() {
            assert_eq!(
                spelled_out("deﬁne, suﬃx, oﬀ, žltá"),
                "define, suffix, off, žltá"
            );
        }
    }
}
