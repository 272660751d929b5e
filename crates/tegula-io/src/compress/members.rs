//! Files of several compressed members or frames, one after the other, and the zeros that may follow
//! each.

use std::io::{self, BufRead, Read};

/// One member of a compressed file.
pub(super) trait Member: Read + Sized {
    /// What it is read from.
    type Disk: BufRead;

    /// The member that begins here.
    fn begin(disk: Self::Disk) -> Self;

    /// What follows it.
    fn end(self) -> Self::Disk;
}

impl<R: BufRead> Member for flate2::bufread::GzDecoder<R> {
    type Disk = R;

    fn begin(disk: R) -> Self {
        Self::new(disk)
    }

    fn end(self) -> R {
        self.into_inner()
    }
}

impl<R: BufRead> Member for bzip2::bufread::BzDecoder<R> {
    type Disk = R;

    fn begin(disk: R) -> Self {
        Self::new(disk)
    }

    fn end(self) -> R {
        self.into_inner()
    }
}

/// The members of a file. Zeros after a member, with which tapes and some servers fill up, are
/// skipped; anything else there is damage.
pub(super) enum Members<M: Member> {
    /// Inside a member.
    In(M),
    /// After one.
    Between(M::Disk),
    /// After the last.
    End,
}

impl<M: Member> Read for Members<M> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            *self = match std::mem::replace(self, Self::End) {
                Self::In(mut member) => match member.read(buffer) {
                    Ok(0) if !buffer.is_empty() => Self::Between(member.end()),
                    read => {
                        *self = Self::In(member);
                        return read;
                    }
                },
                Self::Between(mut disk) => match skip_zeros(&mut disk) {
                    Ok(true) => Self::End,
                    Ok(false) => Self::In(M::begin(disk)),
                    Err(error) => {
                        *self = Self::Between(disk);
                        return Err(error);
                    }
                },
                Self::End => return Ok(0),
            };
        }
    }
}

/// Skips zeros, and says whether nothing follows them.
fn skip_zeros(disk: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let held = disk.fill_buf()?;
        let (len, zeros) = (
            held.len(),
            held.iter().take_while(|byte| **byte == 0).count(),
        );
        disk.consume(zeros);
        if len == 0 || zeros < len {
            return Ok(len == 0);
        }
    }
}

/// The frames of a zstd file, which may have zeros after them.
pub(super) struct Frames<R: BufRead> {
    decoder: zstd::Decoder<'static, R>,
    is_begun: bool,
}

impl<R: BufRead> Frames<R> {
    /// Those that a decoder reads.
    pub(super) fn new(decoder: zstd::Decoder<'static, R>) -> Self {
        Self {
            decoder,
            is_begun: false,
        }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.decoder.read(buffer) {
            // What is not the beginning of a frame is left where it is.
            Err(error) if self.is_begun && error.to_string().contains("Unknown frame") => {
                match skip_zeros(self.decoder.get_mut()) {
                    Ok(true) => Ok(0),
                    Ok(false) => Err(error),
                    Err(error) => Err(error),
                }
            }
            read => {
                self.is_begun |= read.as_ref().is_ok_and(|read| *read > 0);
                read
            }
        }
    }
}
