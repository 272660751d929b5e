//! Compressed files: recognised by content and name, read through a stream that detects truncation,
//! and compressed again on output.

use crate::guard::InputGuard;
use crate::guarded::{Guarded, GuardedSection};
use crate::limits::size;
use crate::members::{Frames, Members};
use crate::store::{self, File};
use crate::window;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tegula::context::{Budget, Reservation, make_room};
use tegula::error::{Error, ErrorKind, Result};

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
    fn part(self) -> &'static str {
        match self {
            Self::None => "the file",
            Self::Gzip => "a gzip member",
            Self::Zstd => "a zstd frame",
            Self::Bzip2 => "a bzip2 stream",
            Self::Xz => "an xz stream",
        }
    }
}

/// Bytes of a file skipped at a time.
const PIECE: usize = 1 << 20;

/// A file being read and decompressed.
pub(crate) struct Input {
    stream: Box<dyn Read + Send>,
    compression: Compression,
    meter: Arc<Meter>,
    /// The size of the decoder's window in bytes.
    window: u64,
    held: Option<Reservation>,
}

/// The result of a read.
pub(crate) enum Outcome {
    /// The number of bytes read; 0 at the end.
    Bytes(usize),
    /// The compressed stream is truncated or broken from here on.
    Damaged(String),
}

#[derive(Default)]
struct Meter {
    bytes: AtomicU64,
    failed: AtomicBool,
    /// The error if the file has changed.
    changed: Arc<Mutex<Option<Error>>>,
}

/// Counts the bytes read from disk, and distinguishes a failing disk from a broken stream.
struct Metered<R> {
    disk: R,
    meter: Arc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.disk.read(buffer) {
            Ok(n) => {
                self.meter.bytes.fetch_add(n as u64, Ordering::Relaxed);
                Ok(n)
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::Interrupted {
                    self.meter.failed.store(true, Ordering::Relaxed);
                }
                Err(error)
            }
        }
    }
}

/// The whole content of a file of at most `most` bytes, decompressed according to its name.
/// `enough` returns advice for a larger one.
///
/// # Errors
/// If it cannot be read, is larger, or the compressed stream is damaged.
pub fn read_whole(path: &Path, most: u64, enough: impl FnOnce(u64) -> String) -> Result<Vec<u8>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut input = Input::open(path, Compression::of_name(&name).1)?;
    let mut content = Vec::new();
    let room = usize::try_from(most).unwrap_or(usize::MAX);
    let mut ending = input.fill(&mut content, room.saturating_add(1), path)?;
    if content.len() > room {
        let mut length = 0;
        loop {
            length += content.len() as u64;
            if ending != Ending::More {
                break;
            }
            content.clear();
            content.shrink_to(PIECE);
            ending = input.fill(&mut content, PIECE, path)?;
        }
        let message = format!(
            "expected a file of at most {}, as it is held in memory, found {}",
            size(most),
            size(length)
        );
        return Err(Error::new(ErrorKind::Memory, message)
            .at(path)
            .hint(enough(length)));
    }
    match ending {
        Ending::Damaged(what) => Err(Error::data(what).at(path).hint("fetch the file again")),
        _ => Ok(content),
    }
}

impl Input {
    /// Opens a file.
    pub(crate) fn open(path: &Path, compression: Compression) -> Result<Self> {
        Self::new(File::open(path)?, compression, path)
    }

    /// Opens a file that must not have changed since it was first read.
    pub(crate) fn guarded(guard: &Arc<InputGuard>, compression: Compression) -> Result<Self> {
        let meter = Arc::new(Meter::default());
        let disk = Guarded::new(guard.open()?, Arc::clone(guard), Arc::clone(&meter.changed));
        Self::metered(disk, compression, guard.path(), meter)
    }

    /// Opens bytes of a file that is not compressed, and that must not have changed since they were first
    /// read.
    pub(crate) fn section(guard: &Arc<InputGuard>, bytes: Range<u64>) -> Result<Self> {
        let meter = Arc::new(Meter::default());
        let failed = |error| Error::io("read", guard.path(), error);
        let mut open = guard.open()?;
        open.seek(SeekFrom::Start(bytes.start)).map_err(failed)?;
        let disk = GuardedSection::new(
            open.take(bytes.end - bytes.start),
            (Arc::clone(guard), bytes.start),
            Arc::clone(&meter.changed),
        );
        Self::metered(disk, Compression::None, guard.path(), meter)
    }

    /// Decompresses `disk`; `path` is for messages.
    pub(crate) fn new(
        disk: impl Read + Send + 'static,
        compression: Compression,
        path: &Path,
    ) -> Result<Self> {
        Self::metered(disk, compression, path, Arc::new(Meter::default()))
    }

    fn metered(
        disk: impl Read + Send + 'static,
        compression: Compression,
        path: &Path,
        meter: Arc<Meter>,
    ) -> Result<Self> {
        let disk = Metered {
            disk,
            meter: Arc::clone(&meter),
        };
        let mut window = 0;
        // Large reads, as decoders request little at a time.
        let mut buffered = |disk| {
            let mut disk = BufReader::with_capacity(256 << 10, disk);
            // An error here will occur again when the file is read.
            let head = disk.fill_buf().unwrap_or_default();
            window = match compression {
                Compression::Zstd => window::of_zstd(head),
                Compression::Xz => window::of_xz(head),
                _ => 0,
            };
            disk
        };
        let stream: Box<dyn Read + Send> = match compression {
            Compression::None => Box::new(disk),
            Compression::Gzip => {
                let member = flate2::bufread::GzDecoder::new(buffered(disk));
                Box::new(Members::In(member))
            }
            Compression::Zstd => {
                let open = |error| Error::io("open", path, error);
                let mut decoder = zstd::Decoder::with_buffer(buffered(disk)).map_err(open)?;
                decoder.window_log_max(window::LONGEST).map_err(open)?;
                Box::new(Frames::new(decoder))
            }
            Compression::Bzip2 => {
                let stream = bzip2::bufread::BzDecoder::new(buffered(disk));
                Box::new(Members::In(stream))
            }
            Compression::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(buffered(
                disk,
            ))),
        };
        Ok(Self {
            stream,
            compression,
            meter,
            window,
            held: None,
        })
    }

    /// Reserves the memory of a decoder with a large window, and of what is read ahead from a store.
    ///
    /// # Errors
    /// If it does not fit under the ceiling.
    pub(crate) fn within(mut self, budget: Option<&Arc<Budget>>, path: &Path) -> Result<Self> {
        let ahead = if store::is_address(path) {
            store::MOST
        } else {
            0
        };
        let window = Some(self.window).filter(|window| *window > window::USUAL);
        if let (Some(budget), true) = (budget, ahead > 0 || window.is_some()) {
            let what = match window {
                Some(_) => "the window of a compressed file",
                None => "what is read ahead from a store",
            };
            let held = budget.reserve(window.unwrap_or(0) + ahead, what);
            self.held = Some(held.map_err(|error| error.at(path))?);
        }
        Ok(self)
    }

    /// The approximate expansion ratio; only for estimates.
    pub(crate) fn expansion(&self) -> u64 {
        self.compression.ratio()
    }

    /// Bytes read from disk so far.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.meter.bytes.load(Ordering::Relaxed)
    }

    /// Reads once into `buffer`.
    fn read(&mut self, buffer: &mut [u8], path: &Path) -> Result<Outcome> {
        loop {
            match self.stream.read(buffer) {
                Ok(n) => return Ok(Outcome::Bytes(n)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if self.meter.failed.load(Ordering::Relaxed) => {
                    let changed = self
                        .meter
                        .changed
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .take();
                    return Err(changed.unwrap_or_else(|| Error::io("read", path, error)));
                }
                Err(error) if self.compression == Compression::None => {
                    return Err(Error::io("read", path, error));
                }
                Err(error) => {
                    let part = self.compression.part();
                    return Ok(Outcome::Damaged(
                        if error.kind() == io::ErrorKind::UnexpectedEof {
                            format!("the file ends inside {part}")
                        } else {
                            format!("damage inside {part}: {error}")
                        },
                    ));
                }
            }
        }
    }

    /// Appends to `buffer` until it contains `wanted` bytes, the stream ends, or damage is found.
    pub(crate) fn fill(
        &mut self,
        buffer: &mut Vec<u8>,
        wanted: usize,
        path: &Path,
    ) -> Result<Ending> {
        while buffer.len() < wanted {
            // The buffer grows in steps, so that a small file does not need a large buffer.
            let step = (wanted - buffer.len()).min((256 << 10).max(buffer.len()));
            match self.fill_some(buffer, step, path)? {
                Ending::More => {}
                ending => return Ok(ending),
            }
        }
        Ok(Ending::More)
    }

    /// Appends available bytes to `buffer`, at most this many; waits only if there are none.
    pub(crate) fn fill_some(
        &mut self,
        buffer: &mut Vec<u8>,
        most: usize,
        path: &Path,
    ) -> Result<Ending> {
        let start = buffer.len();
        make_room(buffer, most, "reading").map_err(|error| error.at(path))?;
        buffer.resize(start + most, 0);
        let outcome = self.read(&mut buffer[start..], path);
        let read = match outcome {
            Ok(Outcome::Bytes(n)) => n,
            _ => 0,
        };
        buffer.truncate(start + read);
        match outcome? {
            Outcome::Bytes(0) => Ok(Ending::End),
            Outcome::Bytes(_) => Ok(Ending::More),
            Outcome::Damaged(message) => Ok(Ending::Damaged(message)),
        }
    }
}

/// How filling a buffer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// There may be more data.
    More,
    /// The stream is at its end.
    End,
    /// The stream cannot be read further.
    Damaged(String),
}

/// A file being compressed and written.
pub(crate) enum Output<W: Write> {
    /// Plain.
    None(BufWriter<W>),
    /// `.gz`.
    Gzip(flate2::write::GzEncoder<BufWriter<W>>),
    /// `.zst`.
    Zstd(zstd::Encoder<'static, BufWriter<W>>),
    /// `.bz2`.
    Bzip2(bzip2::write::BzEncoder<BufWriter<W>>),
    /// `.xz`.
    Xz(liblzma::write::XzEncoder<BufWriter<W>>),
}

/// The default level, but with a smaller window: that of 8 MiB needs 94 MiB of memory, more than
/// some ceilings leave.
fn xz() -> io::Result<liblzma::stream::Stream> {
    let mut options = liblzma::stream::LzmaOptions::new_preset(6)?;
    options.dict_size(2 << 20);
    let mut filters = liblzma::stream::Filters::new();
    filters.lzma2(&options);
    Ok(liblzma::stream::Stream::new_stream_encoder(
        &filters,
        liblzma::stream::Check::Crc64,
    )?)
}

impl<W: Write> Output<W> {
    /// Compresses into `sink` at each format's default level.
    pub(crate) fn new(sink: W, compression: Compression) -> io::Result<Self> {
        let sink = BufWriter::with_capacity(256 << 10, sink);
        Ok(match compression {
            Compression::None => Self::None(sink),
            Compression::Gzip => Self::gzip(sink),
            Compression::Zstd => Self::zstd(sink)?,
            Compression::Bzip2 => Self::Bzip2(bzip2::write::BzEncoder::new(
                sink,
                bzip2::Compression::best(),
            )),
            Compression::Xz => Self::Xz(liblzma::write::XzEncoder::new_stream(sink, xz()?)),
        })
    }

    fn gzip(sink: BufWriter<W>) -> Self {
        let level = flate2::Compression::default();
        Self::Gzip(flate2::write::GzEncoder::new(sink, level))
    }

    fn zstd(sink: BufWriter<W>) -> io::Result<Self> {
        let mut encoder = zstd::Encoder::new(sink, 3)?;
        // Without it a reader cannot detect a damaged frame.
        encoder.include_checksum(true)?;
        Ok(Self::Zstd(encoder))
    }

    /// Ends a gzip member or zstd frame, and begins another.
    pub(crate) fn begin_member(self) -> io::Result<Self> {
        match self {
            Self::Gzip(encoder) => Ok(Self::gzip(encoder.finish()?)),
            Self::Zstd(encoder) => Self::zstd(encoder.finish()?),
            other => Ok(other),
        }
    }

    /// Ends the compressed stream, flushes all buffers, and returns the sink.
    pub(crate) fn finish(self) -> io::Result<W> {
        let sink = match self {
            Self::None(sink) => sink,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
            Self::Bzip2(encoder) => encoder.finish()?,
            Self::Xz(encoder) => encoder.finish()?,
        };
        sink.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::None(sink) => sink.write(bytes),
            Self::Gzip(sink) => sink.write(bytes),
            Self::Zstd(sink) => sink.write(bytes),
            Self::Bzip2(sink) => sink.write(bytes),
            Self::Xz(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::None(sink) => sink.flush(),
            Self::Gzip(sink) => sink.flush(),
            Self::Zstd(sink) => sink.flush(),
            Self::Bzip2(sink) => sink.flush(),
            Self::Xz(sink) => sink.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Compression; 5] = [
        Compression::None,
        Compression::Gzip,
        Compression::Zstd,
        Compression::Bzip2,
        Compression::Xz,
    ];

    fn packed(compression: Compression, content: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes, compression).unwrap();
        output.write_all(content).unwrap();
        output.finish().unwrap();
        bytes
    }

    fn unpacked(compression: Compression, bytes: &[u8]) -> (Vec<u8>, Ending) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let mut input = Input::open(file.path(), compression).unwrap();
        let mut content = Vec::new();
        let ending = input.fill(&mut content, usize::MAX, file.path()).unwrap();
        (content, ending)
    }

    #[test]
    fn every_compression_comes_back() {
        let content = "Schöne Grüße\n".repeat(50_000).into_bytes();
        for compression in ALL {
            let bytes = packed(compression, &content);
            assert_eq!(Compression::of_content(&bytes), compression);
            assert_eq!(
                unpacked(compression, &bytes),
                (content.clone(), Ending::End)
            );
            let twice = [bytes.clone(), bytes].concat();
            assert_eq!(unpacked(compression, &twice).0.len(), 2 * content.len());
        }
    }

    #[test]
    fn a_stream_cut_short_is_noticed() {
        let content: Vec<u8> = (0..200_000_u32)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        for compression in &ALL[1..] {
            let bytes = packed(*compression, &content);
            for share in [2, 3, 10] {
                let (_, ending) =
                    unpacked(*compression, &bytes[..bytes.len() - bytes.len() / share]);
                assert!(
                    matches!(&ending, Ending::Damaged(m) if m.starts_with("the file ends inside")),
                    "{compression:?} {ending:?}"
                );
            }
            let mut broken = bytes.clone();
            for byte in &mut broken[bytes.len() / 2..][..64] {
                *byte ^= 0x5a;
            }
            assert!(matches!(
                unpacked(*compression, &broken).1,
                Ending::Damaged(_)
            ));
        }
    }

    #[test]
    fn zeros_after_the_last_member_are_padding_and_anything_else_is_damage() {
        let content = "Schöne Grüße\n".repeat(5_000).into_bytes();
        for compression in &ALL[1..] {
            let bytes = packed(*compression, &content);
            for zeros in [4, 512, 1 << 20] {
                let padded = [&bytes[..], &vec![0; zeros]].concat();
                let (found, ending) = unpacked(*compression, &padded);
                assert!(found == content && ending == Ending::End, "{compression:?}");
            }
            for after in [&b"x"[..], b"\0\0\0\0x", b"\0\0\0\0garbage at the end"] {
                let (found, ending) = unpacked(*compression, &[&bytes[..], after].concat());
                let is_read = found == content || *compression == Compression::Xz;
                assert!(is_read, "{compression:?}");
                assert!(
                    matches!(ending, Ending::Damaged(_)),
                    "{compression:?} {ending:?}"
                );
            }
            // Zeros instead of the end of the data are damage.
            let mut cut = bytes.clone();
            let end = cut.len() - cut.len() / 3;
            cut[end..].fill(0);
            assert!(matches!(unpacked(*compression, &cut).1, Ending::Damaged(_)));
            assert!(matches!(
                unpacked(*compression, &[0; 512]).1,
                Ending::Damaged(_)
            ));
        }
        // Members with padding between them, as on tape.
        let gz = packed(Compression::Gzip, b"a\n");
        let tape = [&gz[..], &[0; 100], &gz, &[0; 1000]].concat();
        assert_eq!(
            unpacked(Compression::Gzip, &tape),
            (b"a\na\n".to_vec(), Ending::End)
        );
    }

    #[test]
    fn content_decides_how_a_file_is_compressed() {
        for named in ALL {
            for is in ALL {
                let bytes = packed(is, b"{\"id\": 1}\n");
                assert_eq!(Compression::decide(&bytes, named), is);
            }
            assert_eq!(Compression::decide(b"", named), named);
            assert_eq!(Compression::decide(b"\x01\x02\x03", named), named);
            assert_eq!(
                Compression::decide(b"BZh1 is a text", named),
                Compression::None
            );
        }
    }

    #[test]
    fn names_tell() {
        assert_eq!(
            Compression::of_name("a.jsonl.GZ"),
            ("a.jsonl", Compression::Gzip)
        );
        assert_eq!(Compression::of_name("gz"), ("gz", Compression::None));
        assert_eq!(Compression::of_name("ä.xz"), ("ä", Compression::Xz));
    }
}
