//! Files of any bytes, through the readers and back.

use super::rig::{context, folder, must, read, write};
use encoding_rs::Encoding;
use tegula::record::{Batch, Level};
use tegula_io::collection::Collection;
use tegula_io::contents::{Asked, Contents};
use tegula_io::edit::Edit;
use tegula_io::options::{
    Column, CsvOptions, FormatName, MailOptions, Needs, Quoted, ReadOptions, TagOptions,
    TeiOptions, VerticalOptions,
};
use tegula_io::outputs::Outputs;
use tegula_io::rewrite::{RewriteOptions, rewrite};
use tegula_io::tables::{Formulas, PairRow, Pairs, TableFileWriter, TableInfo, read_table};
use tegula_io::target::Target;

pub(super) const JSONL: &[&str] = &[
    "{\"id\": \"a\", \"text\": \"Erster Text\\nmit \\u00e9 und \\\"Zitat\\\"\", \"n\": 1}\n\n{\"text\":\"zweiter – ohne\",\"id\":2}\r\n",
    "\u{feff}{\"text\": \"mit BOM\", \"x\": {\"y\": [1, \"tief\", null, true, 1e-7]}}",
    "{\"text\": \"\\ud83d\\ude00 \\ud800\"}\n{\"id\": null, \"text\": \"\"}\n{\"text\": 7}\n[1]\nnull\n{}",
];

pub(super) const JSON: &[&str] = &[
    "[{\"text\":\"a\"},\n {\"text\":\"b]\\\"\", \"x\": [{}]} , {\"text\":\"c\"}]\n",
    "\u{feff}[\n  {\n    \"text\": \"a\"\n  },\n  3,\n  null,\n]",
    "{\n\"text\": \"a\"\n}\n{\"text\": \"b\"}",
];

pub(super) const WEB: &[&str] = &[
    "<!DOCTYPE html><html lang=sk class=header><meta charset=windows-1250><title>T &amp; U</title><body><p>a<br>b<table><tr><td>c</table><pre>\n d</pre><script>x</script></html>",
    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nContent-Length: 52\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x</p>\r\n\r\nWARC/1.1\r\nWARC-Type: conversion\r\nContent-Length: 2\r\n\r\nab\r\n\r\n",
    "WARC/1.0\nWARC-Type: response\nContent-Length: 92\n\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<p>a\r\n0\r\n\r\n\r\n\r\nWARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 900\r\n\r\nx",
];

pub(super) const MAIL: &[&str] = &[
    "aFrom a@b Mon Nov 23 10:58:55 2026\nSubject: =?iso-8859-2?Q?=BElut=FD?=\nContent-Length: 3\nMessage-ID: <a@b>\n\na\nb\n\nFrom a@b Mon Nov 23 10:58:55 2026\nSubject: c\n\n>From d\n",
    "bSubject: a\r\nContent-Type: multipart/alternative; boundary=\"x\"\r\n\r\n--x\r\n\r\na\r\n\r\nOn 1 Jan a@b wrote:\r\n> b\r\n>> c\r\n-- \r\nd\r\n--x\r\nContent-Type: text/html; charset=iso-8859-2\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+YTxibG9ja3F1b3RlPmI=\r\n--x--\r\n",
    "cContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n\nSubject: a\nContent-Transfer-Encoding: quoted-printable\n\na=\nb=C5=BE\n--x\nContent-Type: application/pdf; name*=utf-8''%C3%A4\nContent-Disposition: attachment\n\nb\n--x--\n-----Original Message-----\nFrom: a\nTo: b\n\nc\n____________________\nhttp://a",
];

pub(super) const DOCUMENTS: &[&str] = &[
    "{\\rtf1\\ansi\\ansicpg1250{\\fonttbl{\\f0\\fcharset204 A;}}{\\info{\\title t}}\\f0 \\'ca\\u8211 ?{\\*\\footnote n}\\par b}",
    "%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj\n3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources <</Font <</F 5 0 R>>>>>> endobj\n4 0 obj <</Length 29>> stream\nBT /F 12 Tf (a b) Tj ET\nendstream endobj\n5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj\ntrailer <</Root 1 0 R>>\n",
    "PK\u{3}\u{4}",
];

pub(super) const CSV: &[&str] = &[
    "id,text,year\na,\"ein, zwei \"\"drei\"\"\",1995\nb,\"zwei\r\nZeilen\",\n",
    "id;text\r\n1;eins\r\n2;'zwei; drei'\r\n",
    "text\teins\nzwei\tdrei\n",
    "\u{feff}id|text\na|b\n\n\"c\"x|d|e\n\"offen",
];

pub(super) const VERTICAL: &[&str] = &[
    "<doc id=\"a\" year=\"1995\">\n<p>\n<s>\nDie\tART\ndie\nRose\tNN\tRose\n<g/>\n.\t$.\n</s>\n</p>\n</doc>\n<doc id=\"b\">\n&lt;x&gt;\n</doc>\n",
    "before\n<doc>\n<p>\nunclosed\n<doc id='c'>\n<s>\nx\n</p>\n</doc>\n<!-- note -->\nafter\n",
    "\u{feff}<doc>\r\na\r\n<g />\r\n&amp;\r\n</doc>",
];

pub(super) const TAGS: &[&str] = &[
    "doc p s g 2\n<doc>\n<p>\n<s>\nDie\tART\n</s>\n</p>\n</doc>\n",
    "text para none glue\n<text>\n<para>\nDie\n<glue/>\nRose\n</para>\n</text>\n<doc>\n<s>\nx\n</s>\n</doc>\n",
    "a a a a 0\n<a>\n<a>\nx\n</a>\n<b>\n<a/>\n</b>\n",
];

pub(super) const CONLLU: &[&str] = &[
    "# newdoc id = a\n# year = 1995\n# newpar\n# sent_id = 1\n1-2\tzum\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n1\tzu\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdem\t_\t_\t_\t_\t_\t_\t_\t_\n2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n# newpar\n1\tEnde\t_\t_\t_\t_\t_\t_\t_\t_\n\n# newdoc\n1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n",
    "\u{feff}1\ta\t_\t_\t_\t_\t_\t_\t_\t_\r\n\r\n1\tb\t_\t_\t_\t_\t_\t_\t_\t_\r\n\r\n# x\r\n# newdoc",
];

pub(super) const TEI: &[&str] = &[
    "<?xml version=\"1.0\" encoding=\"utf-8\"?><!DOCTYPE TEI [<!ENTITY e \"x&amp;\">]>\n<TEI xml:id='a'><teiHeader><p>n</p></teiHeader><text><p n=\"1\">Gr&#252;n &e; &auml;<hi>h</hi></p><lg><l>x</l>\n<l>y</l></lg><ab><s>S.</s><s>T<lb break='no'/>u</s></ab></text></TEI>\n",
    "<teiCorpus><TEI><p><![CDATA[<a>]]]]></p><!-- <TEI> --></TEI> <TEI><choice><sic>a</sic><corr>b</corr></choice><note>n</note></TEI><TEI/></teiCorpus>",
    "\u{feff}<idsCorpus><idsHeader/><idsText id=\"1\"><idsHeader><textSigle>A/1</textSigle></idsHeader><p>x ]]&gt; y</p></idsText>\r\n</idsCorpus>",
];

pub(super) const ENCODED: &[&str] = &[
    "0Grüße – „Köln“ € 5",
    "1abc\u{80}\u{9f}",
    "2日本語テキスト",
    "3\u{feff}mit BOM",
    "4x\ny\n\nz",
    "5\0a\0b",
    "6Łódź Žilina",
    "7ÿþ",
];

pub(super) const PAIRS: &[&str] = &[
    "id_a\tid_b\tscore\na\tb\t0.8\nc d\te\\tf\t1\n",
    "unit_a\tunit_b\tid_a\tid_b\tscore\tssr\tcommon\tsize_a\tsize_b\n0\t7\ta\tb\t0.75\t0.75\t3\t4\t3\n",
    "score\tid_b\tid_a\textra\r\n0.5\tx\ty\tz\r\n\n1e400\tx\ty\nNaN\ta\tb\n",
];

/// Lines that are not records are bad records, nothing else; records keep their bytes, and can be
/// removed one by one.
///
/// # Panics
/// When that is not so.
pub fn jsonl_reader(data: &[u8]) {
    let options = ReadOptions {
        encoding: Some("utf-8".into()),
        ..ReadOptions::default()
    };
    read_and_write("fuzz.jsonl", data, &options, true);
}

/// JSON in any layout: records keep their bytes, and what remains of an array is one.
///
/// # Panics
/// When that is not so.
pub fn json_reader(data: &[u8]) {
    let options = ReadOptions {
        encoding: Some("utf-8".into()),
        format: Some(FormatName::Json),
        ..ReadOptions::default()
    };
    read_and_write("fuzz.json", data, &options, false);
}

/// Any bytes are a page, and an archive with good and bad records, which keep their bytes.
///
/// # Panics
/// When that is not so.
pub fn web_reader(data: &[u8]) {
    for (name, format) in [
        ("fuzz.html", FormatName::Html),
        ("fuzz.warc", FormatName::Warc),
    ] {
        let options = ReadOptions {
            format: Some(format),
            ..ReadOptions::default()
        };
        read_and_write(name, data, &options, false);
    }
}

/// Any bytes are a document of each kind, or a bad record, and keep their bytes.
///
/// # Panics
/// When that is not so.
pub fn document_reader(data: &[u8]) {
    for (name, format) in [
        ("fuzz.docx", FormatName::Docx),
        ("fuzz.odt", FormatName::Odt),
        ("fuzz.pptx", FormatName::Pptx),
        ("fuzz.epub", FormatName::Epub),
        ("fuzz.rtf", FormatName::Rtf),
        ("fuzz.pdf", FormatName::Pdf),
    ] {
        let options = ReadOptions {
            format: Some(format),
            ..ReadOptions::default()
        };
        read_and_write(name, data, &options, false);
    }
}

/// Any bytes are a message, and a mailbox with good and bad records, which keep their bytes; the
/// first byte chooses how quotations are treated.
///
/// # Panics
/// When that is not so.
pub fn mail_reader(data: &[u8]) {
    let Some((how, data)) = data.split_first() else {
        return;
    };
    for (name, format) in [
        ("fuzz.eml", FormatName::Eml),
        ("fuzz.mbox", FormatName::Mbox),
    ] {
        let options = ReadOptions {
            format: Some(format),
            mail: MailOptions {
                quoted: Some([Quoted::Keep, Quoted::Drop, Quoted::Unit][usize::from(how % 3)]),
                ..MailOptions::default()
            },
            ..ReadOptions::default()
        };
        read_and_write(name, data, &options, false);
    }
}

/// Any bytes are a table of some dialect; records keep their bytes.
///
/// # Panics
/// When that is not so.
pub fn csv_reader(data: &[u8]) {
    // A table of two columns and more needs the name of the text column.
    for text_keys in [Vec::new(), vec!["1".to_owned()]] {
        let no_header = !text_keys.is_empty();
        let options = ReadOptions {
            encoding: Some("utf-8".into()),
            text_key: text_keys,
            csv: CsvOptions {
                no_header,
                ..CsvOptions::default()
            },
            ..ReadOptions::default()
        };
        read_and_write("fuzz.csv", data, &options, false);
    }
}

/// Missing and unclosed tags follow the stated rule; records keep their bytes.
///
/// # Panics
/// When that is not so.
pub fn vertical_reader(data: &[u8]) {
    for as_is in [false, true] {
        let options = ReadOptions {
            encoding: Some("utf-8".into()),
            needs: Needs {
                as_is,
                ..Needs::default()
            },
            ..ReadOptions::default()
        };
        read_and_write("fuzz.vert", data, &options, false);
    }
}

/// Tags of any name: what is asked for and not there is refused by name before the run, what is not
/// refused is there, and records keep their bytes.
///
/// # Panics
/// When that is not so.
pub fn tags(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let mut names = first.split(' ').map(str::to_owned);
    let (doc_tag, par_tag, sent_tag, glue_tag) =
        (names.next(), names.next(), names.next(), names.next());
    let tag_column = names.next().and_then(|column| column.parse().ok());
    let options = ReadOptions {
        encoding: Some("utf-8".into()),
        tags: TagOptions { par_tag, sent_tag },
        vertical: VerticalOptions {
            doc_tag,
            glue_tag,
            tag_column: tag_column.map(Column::Number),
            ..VerticalOptions::default()
        },
        needs: Needs {
            classes: true,
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    read_and_write("fuzz.vert", rest.as_bytes(), &options, false);
    let folder = folder();
    let path = write(folder.path(), "fuzz.vert", rest.as_bytes());
    let Ok(collection) = Collection::open(&[path], &options, folder.path()) else {
        return;
    };
    let context = context();
    for level in [Level::Document, Level::Paragraph, Level::Sentence] {
        let asked = Asked {
            levels: vec![level],
            ..Asked::default()
        };
        let Ok(mut contents) =
            Contents::of_heads(&context, &collection, &asked, &mut |_, _| Ok(()))
        else {
            continue;
        };
        if !contents.missing().is_empty() {
            must(contents.search(&context));
        }
        let Some(batch) = read(&collection) else {
            continue;
        };
        let is_marked = batch.segments.iter().any(|segment| segment.level == level);
        match contents.check(&context) {
            Ok(_) if level == Level::Paragraph => {
                assert!(
                    is_marked || batch.records.is_empty(),
                    "no paragraph is in <{}>",
                    options.tags.par_tag()
                );
            }
            Ok(_) => {}
            Err(error) => assert!(
                !is_marked || error.message().starts_with("expected documents in "),
                "{error}"
            ),
        }
    }
}

/// A document whose lines are not in order is a bad record; records keep their bytes; whole
/// documents can be removed.
///
/// # Panics
/// When that is not so.
pub fn conllu_reader(data: &[u8]) {
    let options = ReadOptions {
        encoding: Some("utf-8".into()),
        ..ReadOptions::default()
    };
    read_and_write("fuzz.conllu", data, &options, false);
}

/// A document that is not well-formed is a bad record, entities come to an end, and records keep
/// their bytes, whatever is a document.
///
/// # Panics
/// When that is not so.
pub fn tei_reader(data: &[u8]) {
    for doc_element in [None, Some("p".to_owned()), Some("TEI".to_owned())] {
        let options = ReadOptions {
            encoding: Some("utf-8".into()),
            tei: TeiOptions {
                doc_element,
                ..TeiOptions::default()
            },
            ..ReadOptions::default()
        };
        read_and_write("fuzz.xml", data, &options, false);
    }
}

/// A text in a named encoding is what the standard makes of it, or a bad record; written back it
/// has its bytes. So with a guessed one.
///
/// # Panics
/// When that is not so.
pub fn encoding(data: &[u8]) {
    const LABELS: [&str; 8] = [
        "windows-1252",
        "iso-8859-15",
        "gb18030",
        "utf-8",
        "utf-16le",
        "utf-16be",
        "windows-1250",
        "shift_jis",
    ];
    let (first, bytes) = data.split_first().unwrap_or((&0, &[]));
    let label = LABELS[usize::from(*first) % LABELS.len()];
    let options = ReadOptions {
        encoding: Some(label.into()),
        format: Some(FormatName::Text),
        ..ReadOptions::default()
    };
    let read = read_and_write("fuzz.txt", bytes, &options, false);
    let guessed = ReadOptions {
        format: Some(FormatName::Text),
        ..ReadOptions::default()
    };
    read_and_write("fuzz.txt", bytes, &guessed, false);
    let (Some(batch), Some(encoding)) = (read, Encoding::for_label(label.as_bytes())) else {
        return;
    };
    if Encoding::for_bom(bytes).is_some() {
        return;
    }
    // Data with a NUL is no text.
    let text = encoding
        .decode_without_bom_handling_and_without_replacement(bytes)
        .filter(|text| !text.contains('\0'));
    match (batch.records.first(), text) {
        // White space stands for the bytes of a file without text.
        (Some(record), Some(text)) if text.trim().is_empty() => {
            assert!(batch.text_of(record).trim().is_empty());
        }
        (Some(record), Some(text)) => assert_eq!(batch.text_of(record), text),
        (Some(_), None) => panic!("a text of bytes that are none in {label}"),
        (None, text) => assert!(
            bytes.is_empty() || text.is_none(),
            "no text of valid {label}"
        ),
    }
}

/// A table of pairs is read, or refused with the row; what is read can be written and read again.
///
/// # Panics
/// When that is not so.
pub fn pairs_tsv(data: &[u8]) {
    let folder = folder();
    let path = write(folder.path(), "pairs.tsv", data);
    // Ours is a simpler reader; it must only not panic.
    let _ = crate::listing::read(&path);
    let Ok(tables) = read_table::<Pairs>(&path, Formulas::Escaped) else {
        return;
    };
    let again = folder.path().join("again.tsv");
    let outputs = Outputs::default();
    let mut writer = must(TableFileWriter::<Pairs>::create(
        &outputs,
        &again,
        Formulas::Escaped,
        &TableInfo::default(),
    ));
    let mut rows = Vec::new();
    for table in tables {
        let Ok(table) = table else { break };
        for row in table.iter() {
            must(writer.push(&row));
            rows.push(shown(&row));
        }
    }
    must(writer.finish());
    must(outputs.publish());
    let mut back = Vec::new();
    for table in must(read_table::<Pairs>(&again, Formulas::Escaped)) {
        back.extend(must(table).iter().map(|row| shown(&row)));
    }
    assert_eq!(back, rows);
}

/// A row with NaN equal to itself.
fn shown(row: &PairRow) -> String {
    format!("{row:?}")
}

/// Reads a file, checks what was read, and writes it back. With `cut`, also without
/// every second record. `None` if the file is refused.
fn read_and_write(name: &str, data: &[u8], options: &ReadOptions, cut: bool) -> Option<Batch> {
    let folder = folder();
    let path = write(folder.path(), name, data);
    let collection = Collection::open(&[path], options, folder.path()).ok()?;
    let batch = read(&collection)?;
    let again =
        must(read(&collection).ok_or_else(|| tegula::Error::data("read once, and then not")));
    assert_eq!(batch.records, again.records);
    assert_eq!((&batch.text, &batch.ids), (&again.text, &again.ids));
    in_order(&batch, data.len() as u64);
    let written = |name: &str, edits: &(dyn Fn(u32, u64) -> Edit + Sync)| {
        let out = folder.path().join("out").join(name);
        let target = must(Target::resolve(&out, &collection));
        let outputs = Outputs::default();
        must(rewrite(
            &collection,
            (&outputs, &target),
            edits,
            &RewriteOptions::default(),
            &|_| Ok(()),
        ));
        must(outputs.publish());
        match std::fs::read(&out) {
            Ok(bytes) => bytes,
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(
        written(name, &|_, _| Edit::Keep).escape_ascii().to_string(),
        data.escape_ascii().to_string()
    );
    if cut {
        let kept = written(&format!("cut-{name}"), &|_, number| {
            if number % 2 == 0 {
                Edit::Keep
            } else {
                Edit::Drop
            }
        });
        let path = write(folder.path(), name, &kept);
        let collection = must(Collection::open(&[path], options, folder.path()));
        let after = read(&collection).unwrap_or_default();
        let even = batch
            .records
            .iter()
            .filter(|record| record.number % 2 == 0)
            .map(|record| batch.text_of(record));
        assert!(
            after
                .records
                .iter()
                .map(|record| after.text_of(record))
                .eq(even),
            "other records are left"
        );
    }
    Some(batch)
}

/// Records and bad records follow each other in the file and do not overlap; segments lie in their
/// texts.
fn in_order(batch: &Batch, length: u64) {
    let mut places: Vec<_> = batch
        .records
        .iter()
        .map(|record| (record.number, record.bytes.clone()))
        .collect();
    places.extend(batch.bad.iter().map(|bad| (bad.number, bad.bytes.clone())));
    places.sort_by_key(|(number, _)| *number);
    let (mut last, mut end) = (0, 0);
    for (number, bytes) in places {
        assert!(number > last, "record {number} after {last}");
        assert!(
            bytes.start >= end && bytes.start <= bytes.end && bytes.end <= length,
            "record {number} at {bytes:?} after {end}"
        );
        (last, end) = (number, bytes.end);
    }
    for record in &batch.records {
        let text = batch.text_of(record);
        for segment in batch.segments_of(record) {
            assert!(
                text.get(segment.text.clone()).is_some(),
                "{segment:?} in {text:?}"
            );
        }
    }
}
