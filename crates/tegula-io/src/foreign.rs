//! Kinds of files that are known, but neither read nor written: what they are, and the way out.

use std::path::Path;
use tegula::error::{Error, ErrorKind, Result};

/// A kind of file that is neither read nor written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// What it is, with its article.
    noun: &'static str,
    endings: &'static [&'static str],
    /// How it begins; the words after that are near the beginning.
    magic: &'static [&'static [u8]],
    near: &'static [u8],
    /// What to do to read it.
    advice: &'static str,
}

const UNPACK: &str = "unpack it first, and name the folder with its files";
const SHEET: &str = "save its table as CSV, which is read";
const TABLE: &str = "write its table as Parquet or CSV, which are read";
const NO_TEXT: &str = "leave it out: it has no text";

const fn foreign(
    noun: &'static str,
    endings: &'static [&'static str],
    magic: &'static [&'static [u8]],
    advice: &'static str,
) -> Foreign {
    Foreign {
        noun,
        endings,
        magic,
        near: b"",
        advice,
    }
}

/// Those with more to tell them by come first.
const ALL: [Foreign; 21] = [
    Foreign {
        near: b"xl/",
        ..foreign(
            "an Excel file",
            &["xlsx", "xlsm", "xltx", "xlsb"],
            &[b"PK\x03\x04"],
            SHEET,
        )
    },
    Foreign {
        near: b"[Content_Types].xml",
        ..foreign(
            "an Office document",
            &[],
            &[b"PK\x03\x04"],
            "give it the ending by which it is read, such as .docx; save tables as CSV",
        )
    },
    Foreign {
        near: b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
        ..foreign("an OpenDocument table", &["ods"], &[b"PK\x03\x04"], SHEET)
    },
    foreign(
        "a ZIP archive",
        &["zip"],
        &[b"PK\x03\x04", b"PK\x05\x06"],
        UNPACK,
    ),
    foreign("a 7z archive", &["7z"], &[b"7z\xbc\xaf\x27\x1c"], UNPACK),
    foreign("a RAR archive", &["rar"], &[b"Rar!\x1a\x07"], UNPACK),
    foreign(
        "a tar archive",
        &["tar", "tgz", "tbz", "tbz2", "txz", "tzst"],
        &[],
        UNPACK,
    ),
    foreign(
        "an archive",
        &["cab", "iso", "dmg", "deb", "rpm", "jar", "cpio"],
        &[b"!<arch>\n", b"MSCF\0", b"\xed\xab\xee\xdb"],
        UNPACK,
    ),
    foreign(
        "data compressed in another way",
        &["lz4", "lzma", "lzo", "z", "snappy"],
        &[
            b"\x04\x22\x4d\x18",
            b"\x1f\x9d",
            b"\xff\x06\0\0sNaPpY",
            b"\x5d\0\0",
            b"\x89LZO",
        ],
        "decompress it first; .gz, .zst, .bz2 and .xz are read as they are",
    ),
    foreign(
        "a PostScript file",
        &["eps"],
        &[b"%!PS"],
        "extract its text first",
    ),
    foreign(
        "an old Office document",
        &["xls", "doc", "ppt", "msg"],
        &[b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
        "save it as CSV if it is a table, otherwise as .docx or .pptx",
    ),
    foreign(
        "a database",
        &["sqlite", "sqlite3", "db", "db3", "duckdb", "mdb", "accdb"],
        &[b"SQLite format 3\0"],
        TABLE,
    ),
    foreign(
        "an Arrow file",
        &["arrow", "feather", "ipc"],
        &[b"ARROW1\0\0"],
        "write it as Parquet first, as in dataset.to_parquet(\"data.parquet\")",
    ),
    foreign("an ORC file", &["orc"], &[], TABLE),
    foreign("an Avro file", &["avro"], &[b"Obj\x01"], TABLE),
    foreign(
        "a file of another program's data",
        &[
            "h5",
            "hdf5",
            "pkl",
            "pickle",
            "npy",
            "npz",
            "rds",
            "rda",
            "rdata",
            "dta",
            "sav",
            "sas7bdat",
            "safetensors",
            "tfrecord",
        ],
        &[b"\x89HDF\r\n", b"\x93NUMPY", b"$FL2@(#)", b"<stata_dta>"],
        TABLE,
    ),
    foreign(
        "an ARC archive",
        &["arc"],
        &[b"filedesc://"],
        "convert it to WARC first, as warcio recompress does",
    ),
    foreign(
        "a picture",
        &[
            "png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "ico", "heic",
        ],
        &[
            b"\x89PNG\r\n",
            b"\xff\xd8\xff",
            b"GIF87a",
            b"GIF89a",
            b"II*\0",
            b"MM\0*",
        ],
        NO_TEXT,
    ),
    foreign(
        "sound or video",
        &[
            "mp3", "mp4", "wav", "ogg", "flac", "avi", "mkv", "mov", "webm",
        ],
        &[
            b"ID3\x03",
            b"ID3\x04",
            b"OggS\0",
            b"fLaC\0",
            b"\x1aE\xdf\xa3",
        ],
        NO_TEXT,
    ),
    foreign(
        "a program",
        &["exe", "dll", "class", "pyc", "wasm"],
        &[b"\x7fELF", b"\0asm", b"\xca\xfe\xba\xbe"],
        NO_TEXT,
    ),
    foreign(
        "a YAML file",
        &["yaml", "yml"],
        &[],
        "write records as JSONL or CSV",
    ),
];

/// Bytes of a file that are needed to recognise it.
pub(crate) const HEAD: usize = 512;

/// What a file is by its first bytes.
pub(crate) fn of_content(head: &[u8]) -> Option<&'static Foreign> {
    let tar = head.get(257..262) == Some(b"ustar");
    ALL.iter().find(|foreign| {
        let near = foreign.near;
        foreign.magic.iter().any(|magic| head.starts_with(magic))
            && (near.is_empty() || memchr::memmem::find(head, near).is_some())
            || (tar && foreign.endings.contains(&"tar"))
    })
}

/// What a file is by its name, without the ending of a compression.
pub(crate) fn of_name(name: &str) -> Option<&'static Foreign> {
    let stem = crate::compress::Compression::of_name(name).0;
    let ending = stem.rsplit_once('.')?.1.to_ascii_lowercase();
    ALL.iter()
        .find(|foreign| foreign.endings.contains(&&*ending))
}

impl Foreign {
    /// Whether it holds other files.
    pub(crate) fn is_archive(&self) -> bool {
        self.advice == UNPACK
    }

    /// The error for a file that is to be read.
    pub(crate) fn refused(&self, path: &Path) -> Error {
        ErrorKind::Data
            .expected("a file format that tegula reads")
            .found(self.noun)
            .at(path)
            .hint(self.advice)
    }
}

/// Refuses the name of an output that promises a format which is not written.
///
/// # Errors
/// A usage error with what can be written.
pub(crate) fn refuse_output(option: &str, path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match of_name(&name) {
        Some(foreign) if !path.exists() || path.is_file() => Err(Error::of(option)
            .expected("the name of a file that can be written")
            .found(format!("that of {}", foreign.noun))
            .at(path)
            .hint(WRITTEN)),
        _ => Ok(()),
    }
}

/// What can be written.
pub(crate) const WRITTEN: &str = "records are written as .jsonl, .csv, .tsv or .parquet or in the format of the input, tables as .parquet, .tsv or .jsonl, pages as .html";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_how_they_begin() {
        let noun = |head: &[u8]| of_content(head).map(|foreign| foreign.noun);
        assert_eq!(noun(b"PK\x03\x04...data.csv"), Some("a ZIP archive"));
        assert_eq!(
            noun(b"PK\x03\x04..[Content_Types].xml"),
            Some("an Office document")
        );
        assert_eq!(noun(b"PK\x03\x04..xl/workbook.xml"), Some("an Excel file"));
        let mut tar = vec![0; HEAD];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(noun(&tar), Some("a tar archive"));
        for text in [&b"{\"id\": 1}"[..], b"PK", b"WARC/1.0\r\n", b"", b"<doc>"] {
            assert_eq!(noun(text), None);
        }
    }

    #[test]
    fn files_are_known_by_their_names() {
        let noun = |name: &str| of_name(name).map(|foreign| foreign.noun);
        assert_eq!(noun("a.XLSX"), Some("an Excel file"));
        assert_eq!(noun("a.tar.gz"), Some("a tar archive"));
        assert_eq!(noun("a.tgz"), Some("a tar archive"));
        for name in [
            "a.jsonl",
            "zip",
            "a.csv.zst",
            "corpus.v2",
            "a.tmp",
            ".db.jsonl",
        ] {
            assert_eq!(noun(name), None, "{name}");
        }
    }

    #[test]
    fn each_ending_is_that_of_one_kind() {
        let mut seen = std::collections::HashSet::new();
        for foreign in &ALL {
            for ending in foreign.endings {
                assert!(seen.insert(*ending), "{ending}");
                let name = format!("a.{ending}");
                assert_eq!(crate::detect::by_name(&name).0, None, "{ending}");
            }
        }
    }
}
