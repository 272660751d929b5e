//! Mail: read, kept byte for byte, removed, marked, and skipped.

use crate::collection::Collection;
use crate::edit::{Edit, Marks};
use crate::options::{FormatName, Needs, ReadOptions};
use crate::rewrite::RewriteOptions;
use crate::rewrite::tests::{Bench, SIZES, bench, marks};
use crate::walk::SkipReason;
use proptest::prelude::*;
use std::fs;
use tegula::error::ErrorKind;
use tegula::record::Source as _;

const DATED: &str = "From a@b.c Mon Nov 23 10:58:55 2026\n";

/// A message with this number, header and body.
fn message(from: &str, number: u32, header: &str, body: &str) -> String {
    format!("{from}Subject: s\nMessage-ID: <{number}@x>\n{header}\n{body}\n")
}

/// Mailboxes in each dialect, as their messages and texts.
fn boxes() -> Vec<(&'static str, Vec<String>, Vec<&'static str>)> {
    let length = |body: &str| format!("Content-Length: {}\n", body.len());
    let passage = "From here on\n\nFrom x Mon Nov 23 10:58:55 2026\nsay";
    vec![
        (
            "mboxo",
            vec![
                message(DATED, 1, "", "one\n\n>From here\n"),
                message(DATED, 2, "", "two\n>>From there"),
                message(DATED, 3, "", ""),
                message(DATED, 4, "", "four\n\nFrom the start, not a separator.\n"),
            ],
            vec![
                "one\n\nFrom here",
                "two\n>From there",
                "",
                "four\n\nFrom the start, not a separator.",
            ],
        ),
        (
            "mboxcl2",
            vec![
                message(DATED, 1, &length(passage), passage),
                message(DATED, 2, &length("two"), "two"),
            ],
            vec![passage, "two"],
        ),
        (
            "a length that leads nowhere",
            vec![
                message(DATED, 1, "Content-Length: 3\n", "longer than that\n"),
                message(
                    DATED,
                    2,
                    "Content-Length: 9999999999999999999999\n",
                    "two\n",
                ),
                message(DATED, 3, "Content-Length: 99999\n", "three\n"),
            ],
            vec!["longer than that", "two", "three"],
        ),
        (
            "no dates",
            vec![
                message("From me\n", 1, "", "one\nFrom here\n"),
                message("From \n", 2, "", "two"),
            ],
            vec!["one\nFrom here", "two"],
        ),
        (
            "separators with dates and without",
            vec![
                message(
                    "From - \n",
                    1,
                    "",
                    "one\nFrom here on\nNote: the text goes on",
                ),
                message(
                    &format!("{DATED}>From - Sat Apr 12 15:59:28 2025\n"),
                    2,
                    "",
                    "two",
                ),
                message(
                    "From \n",
                    3,
                    "",
                    "three\n\nFrom 2019 to 2020 we wrote at 10:20\n\nthree",
                ),
                message("From\n", 4, "", "four\n>From 2019 on"),
                message(DATED, 5, "", "five"),
            ],
            vec![
                "one\nFrom here on\nNote: the text goes on",
                "two",
                "three\n\nFrom 2019 to 2020 we wrote at 10:20\n\nthree",
                "four\nFrom 2019 on",
                "five",
            ],
        ),
        (
            "no blank line before",
            vec![
                format!("{DATED}Subject: a\n\none\n"),
                format!("{DATED}Subject: only a header\n"),
                format!("{DATED}Subject: c\n\nthree"),
            ],
            vec!["one", "", "three"],
        ),
    ]
}

fn without_blanks(bench: &Bench) -> Vec<String> {
    let own = |text: String| {
        if text.trim().is_empty() {
            String::new()
        } else {
            text
        }
    };
    bench.texts().into_iter().map(own).collect()
}

#[test]
fn mailboxes_of_all_dialects_give_their_messages() {
    for (dialect, messages, texts) in boxes() {
        for lines in ["\n", "\r\n"] {
            let messages: Vec<String> = messages.iter().map(|m| m.replace('\n', lines)).collect();
            if lines == "\r\n" && dialect.starts_with("mboxcl2") {
                // The lengths are those of the other.
                continue;
            }
            let bytes = messages.concat().into_bytes();
            for size in SIZES {
                let bench = bench("a.mbox", &bytes, &ReadOptions::default(), size);
                assert_eq!(bench.collection.format(0).unwrap().0, FormatName::Mbox);
                assert_eq!(without_blanks(&bench), texts, "{dialect} size {size}");
                bench.check_lossless(&bytes);
                for dropped in 0..1_u32 << messages.len() {
                    let is_dropped = |number: u64| dropped >> (number - 1) & 1 == 1;
                    let edit = |_, number| {
                        if is_dropped(number) {
                            Edit::Drop
                        } else {
                            Edit::Keep
                        }
                    };
                    let out = bench.write(&RewriteOptions::default(), &edit);
                    let left: String = (1..)
                        .zip(&messages)
                        .filter(|(number, _)| !is_dropped(*number))
                        .map(|(_, message)| message.as_str())
                        .collect();
                    assert_eq!(String::from_utf8_lossy(&out), left, "{dialect} size {size}");
                }
            }
        }
    }
}

#[test]
fn marks_are_headers() {
    let options = RewriteOptions {
        marks: true,
        ..RewriteOptions::default()
    };
    let messages = &boxes()[0].1;
    let own = marks(false);
    let lines = format!(
        "X-Duplicate-Of: {}\nX-Duplicate-Score: {}\nX-Cluster-Id: {}\n",
        own.duplicate_of.clone().unwrap(),
        own.duplicate_score.unwrap(),
        own.cluster_id.clone().unwrap()
    );
    let bytes = messages.concat().into_bytes();
    for size in SIZES {
        let bench = bench("a.mbox", &bytes, &ReadOptions::default(), size);
        let out = bench.write(&options, &|_, number| match number {
            1 => Edit::Mark(own.clone()),
            2 => Edit::Mark(Marks::default()),
            _ => Edit::Keep,
        });
        let mut expected = messages.clone();
        expected[0].insert_str(DATED.len(), &lines);
        assert_eq!(String::from_utf8_lossy(&out), expected.concat());
    }
    let file = "Subject: a\r\n\r\nt\r\n";
    let eml = bench("a.eml", file.as_bytes(), &ReadOptions::default(), 7);
    let out = eml.write(&options, &|_, _| Edit::Mark(own.clone()));
    let expected = lines.replace('\n', "\r\n") + file;
    assert_eq!(String::from_utf8_lossy(&out), expected);
    // Twice is refused, and so are spans.
    let marked = bench("a.eml", &out, &ReadOptions::default(), 7);
    for (bench, marks) in [(&marked, own.clone()), (&eml, marks(true))] {
        let edit = |_, _| Edit::Mark(marks.clone());
        assert!(bench.write_as("o.eml", &options, &edit).is_err());
    }
}

#[test]
fn messages_have_fields() {
    let bytes = format!(
        "{DATED}From: A <a@b>\nMessage-ID: <1@x>\nX-Spam: yes\n\nt\n\n{DATED}To: c@d\n\nno id\n"
    );
    let options = ReadOptions {
        needs: Needs {
            fields: ["from", "x-spam", "subject", "attachments"]
                .map(str::to_owned)
                .to_vec(),
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    let batch = bench("a.mbox", bytes.as_bytes(), &options, 100).read();
    let some = |text: &str| Some(text.to_owned());
    let none = some("[]");
    assert_eq!(
        batch.fields,
        [
            some("a@b"),
            some("yes"),
            None,
            none.clone(),
            None,
            None,
            None,
            none
        ]
    );
    assert_eq!(batch.id_of(&batch.records[0]), Some("1@x"));
    assert_eq!(batch.id_of(&batch.records[1]), None);
    let eml = bench("b.eml", b"Subject: a\n\nt", &ReadOptions::default(), 100).read();
    assert_eq!(eml.id_of(&eml.records[0]), Some("b.eml"));
}

#[test]
fn what_is_no_message_is_a_bad_record() {
    for size in SIZES {
        let bytes = format!("no mail\n{DATED}Subject: a\n\nt\n");
        let batch = bench("a.mbox", bytes.as_bytes(), &ReadOptions::default(), size).read();
        assert_eq!(
            (batch.records.len(), batch.bad.len()),
            (1, 1),
            "size {size}"
        );
        assert_eq!(batch.bad[0].error.kind(), ErrorKind::Data);
    }
}

/// A message with a header that has to be found and a text that has to be decoded.
const ENCODED: &str = "Subject: s\nDate: Fri, 25 Nov 2016 16:18:01 +0000\nMessage-ID: <1@x>\nContent-Transfer-Encoding: base64\n\nw6RiYw==\n";

#[test]
fn the_header_of_a_message_is_found_wherever_it_is() {
    let options = ReadOptions {
        needs: Needs {
            fields: ["subject", "date", "message-id"]
                .map(str::to_owned)
                .to_vec(),
            ..Needs::default()
        },
        ..ReadOptions::default()
    };
    let some = |text: &str| Some(text.to_owned());
    let expected = [some("s"), some("2016-11-25T16:18:01Z"), some("1@x")];
    let leads = [
        "",
        "\u{feff}",
        "\n \n",
        DATED,
        ">From a@b Mon Nov 23 10:58:55 2026\n",
        "\u{feff}\nFrom - \n>From x\n\n",
    ];
    for lead in leads {
        for lines in ["\n", "\r\n"] {
            let own = (lead.to_owned() + ENCODED).replace('\n', lines);
            let files = [
                ("a.eml", own.clone()),
                ("a.mbox", DATED.replace('\n', lines) + &own),
                ("a.eml", format!("Content-Type: message/rfc822\n\n{own}")),
                (
                    "a.eml",
                    format!("Content-Type: multipart/digest; boundary=b\n\n--b\n\n{own}\n--b--\n"),
                ),
            ];
            for (at, (name, bytes)) in files.iter().enumerate() {
                // A mailbox within a mailbox is two messages, of which the first is empty.
                if *name == "a.mbox" && lead.starts_with("From") {
                    continue;
                }
                for size in SIZES {
                    let bench = bench(name, bytes.as_bytes(), &options, size);
                    let batch = bench.read();
                    assert_eq!(batch.text, "äbc", "{bytes:?}");
                    if at < 2 {
                        assert_eq!(batch.fields, expected, "{bytes:?}");
                    }
                    bench.check_lossless(bytes.as_bytes());
                }
            }
        }
    }
    // What only looks like one is text.
    for text in [
        "\n\nNote: a text",
        "From here on\nNote: a text",
        "\u{feff}a text",
    ] {
        let found = bench("a.eml", text.as_bytes(), &ReadOptions::default(), 7).texts();
        assert_eq!(
            found[0].trim_start_matches('\u{feff}'),
            text.trim_start_matches(['\n', '\u{feff}'])
        );
    }
}

#[test]
fn marks_are_put_after_what_is_before_the_header() {
    let options = RewriteOptions {
        marks: true,
        ..RewriteOptions::default()
    };
    let lead = format!("\u{feff}{DATED}>From x\n>From y\n");
    let bytes = lead.clone() + "Subject: a\n\nt\n";
    for name in ["a.eml", "a.mbox"] {
        let bench = bench(name, bytes.as_bytes(), &ReadOptions::default(), 7);
        let out = bench.write(&options, &|_, _| Edit::Mark(marks(false)));
        let out = String::from_utf8(out).unwrap();
        assert!(out.starts_with(&format!("{lead}X-Duplicate-Of:")), "{out}");
        assert!(out.ends_with("Subject: a\n\nt\n"), "{out}");
        let again = self::bench(name, out.as_bytes(), &ReadOptions::default(), 100);
        assert_eq!(again.texts(), ["t"]);
        again.check_lossless(out.as_bytes());
    }
}

#[test]
fn a_mark_at_the_beginning_of_a_mailbox_stays_there() {
    let messages = [message(DATED, 1, "", "one"), message(DATED, 2, "", "two")];
    let bytes = "\u{feff}".to_owned() + &messages.concat();
    for size in SIZES {
        let bench = bench("a.mbox", bytes.as_bytes(), &ReadOptions::default(), size);
        assert_eq!(bench.texts(), ["one", "two"]);
        bench.check_lossless(bytes.as_bytes());
        let edit = |_, number| if number == 1 { Edit::Drop } else { Edit::Keep };
        let out = bench.write(&RewriteOptions::default(), &edit);
        assert_eq!(
            String::from_utf8_lossy(&out),
            format!("\u{feff}{}", messages[1])
        );
    }
}

#[test]
fn a_maildir_is_read_and_nothing_outside() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in [
        "M/cur",
        "M/new",
        "M/tmp",
        "M/.Sent/cur",
        "M/.Sent/new",
        "M/.Sent/tmp",
        "M/.x",
    ] {
        fs::create_dir_all(path(name)).unwrap();
    }
    for name in [
        "M/cur/1.a:2,S",
        "M/new/2.b",
        "M/tmp/3.c",
        "M/.Sent/cur/4.d:2,",
        "M/.x/5",
        "M/.6",
        "M/uids",
        "outside",
    ] {
        fs::write(path(name), "Subject: a\n\nt\n").unwrap();
    }
    #[cfg(unix)]
    for (to, link) in [("outside", "M/cur/7.link"), ("M/new", "M/.Linked")] {
        std::os::unix::fs::symlink(path(to), path(link)).unwrap();
    }
    let options = ReadOptions::default();
    let found = Collection::open(&[path("M")], &options, folder.path()).unwrap();
    let names: Vec<_> = found
        .files()
        .iter()
        .map(|file| file.name.as_str())
        .collect();
    assert_eq!(names, [".Sent/cur/4.d:2,", "cur/1.a:2,S", "new/2.b"]);
    assert!((0..3).all(|file| found.format(file).unwrap().0 == FormatName::Eml));
    let mut why: Vec<_> = found.skipped().iter().map(|skipped| skipped.why).collect();
    why.sort_by_key(|why| format!("{why:?}"));
    let links = if cfg!(unix) { 2 } else { 0 };
    let mut expected = vec![SkipReason::Hidden; 2];
    expected.extend(vec![SkipReason::Link; links]);
    expected.extend(vec![SkipReason::Undelivered; 2]);
    expected.push(SkipReason::UnknownEnding);
    assert_eq!(why, expected);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0_usize..800, which in 0_usize..6) {
        let mut mailbox = boxes()[which].1.concat().into_bytes();
        let at = at.min(mailbox.len());
        let to = (at + bytes.len()).min(mailbox.len());
        mailbox[at..to].copy_from_slice(&bytes[..to - at]);
        let mut found = Vec::new();
        let options = ReadOptions { format: Some(FormatName::Mbox), ..ReadOptions::default() };
        for size in [7, 100_000] {
            let bench = bench("a.mbox", &mailbox, &options, size);
            let batch = bench.read();
            found.push((batch.text.clone(), batch.bad.len()));
            let out = bench.write(&RewriteOptions::default(), &|_, _| Edit::Keep);
            prop_assert!(out == mailbox);
        }
        prop_assert_eq!(&found[0], &found[1]);
        let one = bench("a.eml", &mailbox, &ReadOptions::default(), 50).read();
        prop_assert!(one.bad.is_empty());
    }
}
