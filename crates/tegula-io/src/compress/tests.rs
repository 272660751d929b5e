use super::*;
use std::io::Write as _;

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
            let (_, ending) = unpacked(*compression, &bytes[..bytes.len() - bytes.len() / share]);
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
