//! Files of pages, and pages of many tags.

use super::*;

#[test]
fn a_page_is_a_file() {
    let html = b"<html lang=sk><meta charset=windows-1250><title>T</title><body><p>\x9elut\xfd</p>";
    for size in SIZES {
        let options = ReadOptions {
            needs: Needs {
                fields: vec!["title".into(), "charset".into(), "none".into()],
                ..all().needs
            },
            ..all()
        };
        let bench = bench("a.htm", html, &options, size);
        assert_eq!(bench.texts(), ["žlutý"]);
        let batch = bench.read();
        assert_eq!(batch.id_of(&batch.records[0]), Some("a.htm"));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(batch.fields, [some("T"), some("windows-1250"), None]);
        bench.check_lossless(html);
        let cut = |_, _| Edit::Cut(std::iter::once(0..1).collect());
        let error = bench
            .write_as("o.htm", &RewriteOptions::default(), &cut)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
    }
    // Pages without text match only if they are equal.
    let empty = |script: &str| bench("a.html", script.as_bytes(), &all(), 10).compared();
    assert_eq!(empty("<script>1</script>"), empty("<script>1</script>"));
    assert_ne!(empty("<script>1</script>"), empty("<script>2</script>"));
    assert!(empty("<p>")[0].trim().is_empty());
}

#[test]
fn a_page_of_many_tags_is_in_a_block_of_its_own() {
    let dense = "<p>x".repeat(30_000);
    let parts = [
        response(1, HTML, b"<p>a</p>"),
        response(2, HTML, b"<p>b</p>"),
        response(3, HTML, dense.as_bytes()),
        response(4, HTML, b"<p>c</p>"),
    ];
    let bytes = parts.concat();
    let found = bench("a.warc", &bytes, &ReadOptions::default(), 1 << 20);
    let blocks: Vec<_> = found
        .collection
        .chunks()
        .unwrap()
        .map(|chunk| chunk.unwrap())
        .collect();
    let records: Vec<(usize, bool)> = (blocks.iter())
        .map(|chunk| {
            let mut batch = Batch::default();
            chunk.read(&mut batch);
            (batch.records.len(), chunk.large().is_some())
        })
        .collect();
    assert_eq!(records, [(2, false), (1, false), (1, false)]);
    let texts = found.texts();
    assert_eq!((texts.len(), &*texts[3]), (4, "c"));
    found.check_lossless(&bytes);
    // Compressed, the page is as large.
    let words: Vec<String> = (0..150_000).map(|at| format!("<p>text {at}")).collect();
    let packed = gzip(format!("<html>{}", words.concat()).as_bytes());
    let size = format!("{:x}\r\n", packed.len());
    let chunks = [size.as_bytes(), &packed, b"\r\n0\r\n\r\n"];
    let encoded = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let chunked = format!("{encoded}Transfer-Encoding: chunked\r\n");
    for (header, body) in [(encoded, packed.clone()), (&*chunked, chunks.concat())] {
        let bytes = [&parts[0][..], &response(5, header, &body), &parts[1]].concat();
        let found = bench("a.warc", &bytes, &ReadOptions::default(), 1 << 20);
        let chunks = found.collection.chunks().unwrap();
        let large: Vec<bool> = chunks
            .map(|chunk| chunk.unwrap().large().is_some())
            .collect();
        assert_eq!(large, [false, true, false]);
        assert_eq!(found.texts().len(), 3);
    }
    // All text needs no tree.
    assert_eq!(
        bench("a.warc", &bytes, &all(), 1 << 20)
            .collection
            .chunks()
            .unwrap()
            .count(),
        1
    );
    // The memory it needs is estimated before it is read.
    let context = Context::new(1, 64 << 20, Scratch::system());
    let dense = format!("<html>{}", "<p>x".repeat(250_000));
    let page = bench("a.html", dense.as_bytes(), &ReadOptions::default(), 1 << 20);
    let limited = page.collection.within(&context);
    let mut batch = Batch::default();
    limited
        .chunks()
        .unwrap()
        .for_each(|chunk| chunk.unwrap().read(&mut batch));
    assert_eq!(batch.bad[0].error.kind(), ErrorKind::Memory);
}
