//! Marks in a separate file: TEI `standOff` with a `span` for each marked element, so that the file
//! itself is unchanged.
//!
//! ```xml
//! <standOff xmlns="http://www.tei-c.org/ns/1.0">
//! <spanGrp type="duplicates">
//! <span target="play.xml#p7" n="1042-1397"><note type="duplicate_of">b#p3</note><note type="duplicate_score">0.93</note></span>
//! </spanGrp>
//! </standOff>
//! ```
//!
//! `target` is the file, with the element's `xml:id` if it has one; `n` is the element's range of
//! bytes in it, with an exclusive end, before compression.

use crate::format::{MarkStyle, Note};
use crate::outputs::{Outputs, Packed};
use crate::written::xml;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tegula::error::Result;

/// A file of marks being written.
pub(crate) struct Standoff {
    draft: Packed,
    file: String,
}

impl Standoff {
    /// The path of the marks of an output.
    pub(crate) fn path(output: &Path) -> PathBuf {
        let mut name = output.as_os_str().to_owned();
        name.push(".standoff");
        name.into()
    }

    /// Creates the file next to `output`.
    pub(crate) fn create(outputs: &Outputs, output: &Path) -> Result<Self> {
        let mut draft = Packed::create(outputs, &Self::path(output))?;
        draft.put(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<standOff xmlns=\"http://www.tei-c.org/ns/1.0\">\n<spanGrp type=\"duplicates\">\n",
        )?;
        let mut file = String::new();
        for byte in output
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .bytes()
        {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                file.push(byte as char);
            } else {
                let _ = write!(file, "%{byte:02X}");
            }
        }
        Ok(Self { draft, file })
    }

    /// Adds notes; their offsets count from byte `base` of the output.
    pub(crate) fn write(&mut self, notes: &[Note], base: u64, style: &MarkStyle) -> Result<()> {
        let mut out = String::new();
        for Note { at, id, values } in notes {
            let id = id
                .as_ref()
                .map_or_else(String::new, |id| format!("#{}", xml(id)));
            let (start, end) = (base + at.start as u64, base + at.end as u64);
            let _ = write!(
                out,
                "<span target=\"{}{id}\" n=\"{start}-{end}\">",
                self.file
            );
            for (name, value) in values {
                let _ = write!(
                    out,
                    "<note type=\"{}\">{}</note>",
                    xml(&style.name(name)),
                    xml(value)
                );
            }
            out.push_str("</span>\n");
        }
        self.draft.put(out.as_bytes())
    }

    /// Ends the file.
    pub(crate) fn close(mut self) -> Result<()> {
        self.draft.put(b"</spanGrp>\n</standOff>\n")?;
        self.draft.finish()
    }
}
