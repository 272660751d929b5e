//! Compressing on output.

use super::compression::Compression;
use std::io::{self, BufWriter, Write};

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
