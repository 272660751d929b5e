//! Decoder windows: how far a decoder looks back into its own output, which determines its memory.

/// The window that needs no reservation: that of customary levels.
pub(super) const USUAL: u64 = 8 << 20;
/// The longest window supported, as a power of two: the maximum of the formats.
pub(super) const LONGEST: u32 = 31;

/// The window of a zstd stream, according to its first frame (RFC 8878 §3.1.1.1); 0 if not stated.
pub(super) fn of_zstd(head: &[u8]) -> u64 {
    let [0x28, 0xB5, 0x2F, 0xFD, descriptor, rest @ ..] = head else {
        return 0;
    };
    if descriptor & 0x20 == 0 {
        // A window descriptor follows: five bits of exponent, three of mantissa.
        let Some(window) = rest.first() else { return 0 };
        let base = 1_u64 << (10 + (window >> 3));
        return base + (base >> 3) * u64::from(window & 7);
    }
    // A single segment: the window is the content, whose size follows the id of the dictionary.
    let id = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let bytes = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    let Some(size) = rest.get(id..id + bytes) else {
        return 0;
    };
    let size = size
        .iter()
        .rev()
        .fold(0_u64, |size, byte| size << 8 | u64::from(*byte));
    if bytes == 2 { size + 256 } else { size }
}

/// The window of an xz stream, according to its first block (the .xz file format 1.2.1, §3.1 and
/// §5.3.1); 0 if not stated.
pub(super) fn of_xz(head: &[u8]) -> u64 {
    const STREAM_HEADER: usize = 12;
    const LZMA2: u8 = 0x21;
    let Some([_, flags, rest @ ..]) = head.get(STREAM_HEADER..) else {
        return 0;
    };
    let mut rest = rest;
    // Sizes of the block, if present, in groups of seven bits.
    for bit in [0x40, 0x80] {
        if flags & bit != 0 {
            let Some(end) = rest.iter().position(|byte| byte & 0x80 == 0) else {
                return 0;
            };
            rest = &rest[end + 1..];
        }
    }
    // Of several filters LZMA2 is the last; ids and sizes of the others are single bytes.
    for _ in 0..=flags & 3 {
        let [id, size, tail @ ..] = rest else {
            return 0;
        };
        match (*id, tail.first()) {
            (LZMA2, Some(40)) => return u64::from(u32::MAX),
            (LZMA2, Some(bits @ 0..40)) => return (2 | u64::from(bits & 1)) << (bits / 2 + 11),
            _ => rest = tail.get(usize::from(*size)..).unwrap_or_default(),
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_zstd_stream_says_how_far_it_looks_back() {
        let made = |log: Option<u32>, bytes: usize, known: bool| {
            let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
            if let Some(log) = log {
                encoder.window_log(log).unwrap();
            }
            if known {
                encoder.set_pledged_src_size(Some(bytes as u64)).unwrap();
            }
            encoder.write_all(&vec![b'a'; bytes]).unwrap();
            encoder.finish().unwrap()
        };
        assert_eq!(of_zstd(&made(Some(27), 100_000, false)), 1 << 27);
        assert_eq!(of_zstd(&made(Some(20), 9_000_000, false)), 1 << 20);
        for bytes in [100, 300, 70_000] {
            assert_eq!(of_zstd(&made(None, bytes, true)), bytes as u64);
        }
        let whole = made(None, 300, true);
        assert!((0..7).all(|end| of_zstd(&whole[..end]) == 0));
    }

    #[test]
    fn an_xz_stream_says_how_far_it_looks_back() {
        let made = |dict: u32| {
            let mut options = liblzma::stream::LzmaOptions::new_preset(6).unwrap();
            options.dict_size(dict);
            let mut filters = liblzma::stream::Filters::new();
            filters.x86().lzma2(&options);
            let stream = liblzma::stream::Stream::new_stream_encoder(
                &filters,
                liblzma::stream::Check::Crc64,
            )
            .unwrap();
            let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
            encoder.write_all(b"some text").unwrap();
            encoder.finish().unwrap()
        };
        for dict in [1 << 16, 3 << 20, 1 << 26] {
            assert_eq!(of_xz(&made(dict)), u64::from(dict));
        }
        let whole = made(1 << 20);
        assert!((0..17).all(|end| of_xz(&whole[..end]) == 0));
    }
}
