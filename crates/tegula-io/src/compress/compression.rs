//! How a file is compressed, by content and name.

/// How a file is compressed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    None,
    /// `.gz`, any number of members.
    Gzip,
    /// `.zst`, any number of frames.
    Zstd,
    /// `.bz2`, any number of streams.
    Bzip2,
    /// `.xz`, any number of streams.
    Xz,
}

impl Compression {
    /// Splits a file name into the name without the compression's extension, and the compression.
    pub fn of_name(name: &str) -> (&str, Self) {
        let endings = [
            (".gz", Self::Gzip),
            (".zst", Self::Zstd),
            (".bz2", Self::Bzip2),
            (".xz", Self::Xz),
        ];
        for (ending, compression) in endings {
            let cut = name.len().saturating_sub(ending.len());
            if let (Some(stem), Some(tail)) = (name.get(..cut), name.get(cut..))
                && tail.eq_ignore_ascii_case(ending)
            {
                return (stem, compression);
            }
        }
        (name, Self::None)
    }

    /// The first bytes that tell the compression.
    pub(crate) const HEAD: usize = 6;

    /// Detects the compression from the first bytes.
    pub(crate) fn of_content(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // The level, then the beginning of a block or of the end.
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, b'r', ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            _ => Self::None,
        }
    }

    /// The compression of a file that begins like this and whose name promises `named`: its content
    /// decides, unless it is neither compressed nor plain text.
    pub(crate) fn decide(head: &[u8], named: Self) -> Self {
        match Self::of_content(head) {
            Self::None => {
                let is_text = head
                    .iter()
                    .all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..));
                if is_text && !head.is_empty() {
                    Self::None
                } else {
                    named
                }
            }
            found => found,
        }
    }

    /// What the data is called.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::None => "uncompressed",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }

    /// The approximate expansion ratio; only for estimates.
    pub(crate) fn ratio(self) -> u64 {
        match self {
            Self::None => 1,
            Self::Gzip => 3,
            Self::Zstd | Self::Bzip2 => 4,
            Self::Xz => 5,
        }
    }

    /// The part inside which a stream ended early.
    pub(super) fn part(self) -> &'static str {
        match self {
            Self::None => "the file",
            Self::Gzip => "a gzip member",
            Self::Zstd => "a zstd frame",
            Self::Bzip2 => "a bzip2 stream",
            Self::Xz => "an xz stream",
        }
    }
}
