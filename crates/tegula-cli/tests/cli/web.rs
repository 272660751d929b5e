//! Web pages and archives, and the copies among documents of many formats.

use crate::rig::Rig;
use std::fmt::Write as _;

/// A text of some length; one with another number has nothing in common with it.
fn text(number: u32) -> Vec<String> {
    let sentence = |at: u32| {
        let words: Vec<String> = (0..20)
            .map(|word| format!("w{}", (number * 977 + at * 20 + word) % 7919))
            .collect();
        format!("{}, and so on.", words.join(" "))
    };
    (0..8).map(sentence).collect()
}

/// A page with a text in a frame.
fn page(number: u32, frame: &str) -> String {
    let mut out = format!(
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Page {number}</title></head><body><div class=nav><a href=/>{frame}</a></div><article>"
    );
    for paragraph in text(number) {
        let _ = write!(out, "<p>{paragraph}</p>");
    }
    out + "</article><div class=footer><a href=/x>" + frame + " imprint</a></div></body></html>"
}

/// An archive of pages, with requests and a picture between them.
fn archive(pages: &[(u32, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |kind: &str, at: usize, block: &[u8]| {
        out.extend_from_slice(
            format!(
                "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{kind}{at}>\r\nWARC-Target-URI: http://a/{at}\r\nWARC-Date: 2026-01-0{}T00:00:00Z\r\nContent-Length: {}\r\n\r\n",
                at + 1,
                block.len()
            )
            .as_bytes(),
        );
        out.extend_from_slice(block);
        out.extend_from_slice(b"\r\n\r\n");
    };
    for (at, (number, frame)) in pages.iter().enumerate() {
        put("request", at, b"GET / HTTP/1.1\r\n\r\n");
        let page = page(*number, frame);
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
        put("response", at, block.as_bytes());
    }
    put(
        "response",
        9,
        b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\xff\xfe",
    );
    out
}

const PAGES: [(u32, &str); 4] = [
    (1, "Daily News"),
    (2, "Daily News"),
    (1, "Another frame of another site"),
    (3, "Daily News"),
];

#[test]
fn a_page_in_another_frame_is_a_copy_and_two_pages_of_a_site_are_none() {
    let rig = Rig::new();
    rig.write("a.warc", archive(&PAGES));
    rig.ok("dedup a.warc -o b.warc -q");
    let mut expected = Vec::new();
    let all = archive(&PAGES);
    let place = |needle: &str| {
        let at = all
            .windows(needle.len())
            .position(|window| window == needle.as_bytes());
        at.unwrap_or_else(|| panic!("{needle}"))
    };
    // The response at 2 is gone, up to the request at 3.
    let (from, to) = (place("<urn:x:response2>"), place("<urn:x:request3>"));
    let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: ".len();
    let next = "WARC/1.0\r\nWARC-Type: request\r\nWARC-Record-ID: ".len();
    expected.extend_from_slice(&all[..from - head]);
    expected.extend_from_slice(&all[to - next..]);
    assert!(rig.read("b.warc") == expected);
    // All text has the frames in it.
    rig.ok("pairs a.warc --text all -o all.tsv --threshold 0.2 -q");
    rig.ok("pairs a.warc --text main -o main.tsv --threshold 0.2 -q");
    assert_eq!(rig.text("main.tsv").lines().count(), 2);
    assert!(rig.text("main.tsv").contains("urn:x:response0"));
}

#[test]
fn archives_are_read_by_every_command() {
    let rig = Rig::new();
    rig.write("a.warc", archive(&PAGES));
    rig.ok("dedup a.warc -o b.jsonl --keep newest:date -q");
    let written = rig.text("b.jsonl");
    let rows: Vec<serde_json::Value> = written
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[1]["id"], "urn:x:response2");
    assert_eq!(rows[1]["url"], "http://a/2");
    assert_eq!(rows[1]["title"], "Page 1");
    assert_eq!(rows[1]["extraction"], "main");
    assert!(rows[1]["text"].as_str().unwrap().starts_with(&text(1)[0]));
    rig.ok("mark a.warc -o c.warc -q");
    assert!(rig.read("c.warc") == rig.read("a.warc"));
    assert!(rig.text("c.warc.standoff").contains("urn:x:response2"));
    rig.ok("mark a.warc -o d.warc --mark-place revisit -q");
    let revisit = String::from_utf8_lossy(&rig.read("d.warc")).into_owned();
    assert_eq!(revisit.matches("WARC-Type: revisit").count(), 1);
    assert!(revisit.contains("WARC-Refers-To: <urn:x:response0>"));
    rig.ok("dedup a.warc -o e.warc --run run -q");
    let explained = rig.ok("explain run urn:x:response2");
    assert!(String::from_utf8_lossy(&explained.stdout).contains("urn:x:response0"));
    rig.ok("report run -o page.html");
    rig.ok("plan a.warc");
    rig.ok("tokens a.warc --limit 1");
    rig.ok("dedup a.warc --unit paragraph -o f.jsonl -q");
    rig.refuses(
        "dedup a.warc --unit paragraph -o f.warc",
        &["inside warc files"],
    );
    // Any number of threads, any ceiling.
    rig.ok("dedup a.warc -o g.warc --threads 1 --memory 64M -q");
    assert!(rig.read("g.warc") == rig.read("e.warc"));
    // The frame can be kept, and marked.
    rig.ok("mark a.warc --text marked -o i.jsonl --recipe exact -q");
    let row: serde_json::Value =
        serde_json::from_str(rig.text("i.jsonl").lines().next().unwrap()).unwrap();
    let all: Vec<char> = row["text"].as_str().unwrap().chars().collect();
    let parts = row["boilerplate"].as_array().unwrap().iter().map(|part| {
        let place = |name: &str| part[name].as_u64().unwrap() as usize;
        all[place("start")..place("end")].iter().collect::<String>()
    });
    assert_eq!(
        parts.collect::<Vec<_>>(),
        ["Daily News", "Daily News imprint"]
    );
    let refused = rig.run("dedup b.jsonl --text all -o h.jsonl");
    assert!(refused.stderr.contains("--text"), "{}", refused.stderr);
}

#[test]
fn pages_in_folders_are_removed_as_files() {
    let rig = Rig::new();
    rig.write("in/a.html", page(1, "Site"))
        .write("in/b.htm", page(2, "Site"));
    rig.write("in/sub/c.html", page(1, "Other site"));
    rig.ok("dedup in -o out -q");
    let files = rig.files();
    let out: Vec<_> = files
        .iter()
        .filter(|name| name.starts_with("out/"))
        .collect();
    assert_eq!(out, ["out/a.html", "out/b.htm"]);
    assert!(rig.read("out/b.htm") == rig.read("in/b.htm"));
    rig.ok("mark in -o marked -q");
    assert!(rig.text("marked/sub/c.html.standoff").contains("a.html"));
}

#[test]
fn a_copy_names_its_original_and_no_date_is_said_to_be_earlier_than_it_is() {
    let rig = Rig::new();
    let whole = text(1).join(" ");
    let tokens = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("\n");
    let dated = |id: &str, date: &str| {
        format!(
            "<doc id=\"{id}\" date=\"{date}\">\n{}\n</doc>\n",
            tokens(&whole)
        )
    };
    rig.write("same/a.vert", dated("a", "2001-02-03"))
        .write("same/b.vert", dated("b", "2001-02-03T10:00:00"));
    let found = rig.ok("find same");
    assert!(found.out().contains("read first"), "{}", found.out());
    rig.write("same/b.vert", dated("b", "2001-02-04T10:00:00"));
    let found = rig.ok("find same");
    assert!(found.out().contains("earliest"), "{}", found.out());
}

#[test]
fn copies_are_found_in_any_document_with_the_earliest_first() {
    let rig = Rig::new();
    let plain = text(1).join("\n\n");
    rig.write("docs/late.txt", &plain)
        .write("docs/noending", &plain);
    rig.write("docs/page.html", page(1, "Site"));
    rig.write("docs/alone.txt", text(2).join(" "));
    rig.write("docs/data.json", "{\"a\": 1}")
        .write("docs/binary.txt2", [0, 1, 2, 255]);
    rig.write("docs/.hidden/x.txt", &plain);
    let tokens = plain.split_whitespace().collect::<Vec<_>>().join("\n");
    rig.write(
        "docs/x.vert",
        format!("<doc id=\"v\" date=\"1999-12-31\">\n{tokens}\n</doc>\n"),
    );
    std::fs::hard_link(rig.path("docs/late.txt"), rig.path("docs/z-link.txt")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("late.txt", rig.path("docs/soft.txt")).unwrap();
    let day = |name: &str, day: u64| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(day * 86_400);
        let file = std::fs::File::options()
            .append(true)
            .open(rig.path(name))
            .unwrap();
        file.set_modified(time).unwrap();
    };
    day("docs/late.txt", 15_000);
    day("docs/noending", 14_000);
    day("docs/page.html", 16_000);
    let found = rig.ok("find docs -o copies.tsv");
    let stdout = String::from_utf8(found.stdout).unwrap();
    let rows: Vec<Vec<&str>> = stdout
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(|line| line.split_whitespace().collect())
        .collect();
    let last: Vec<&str> = rows.iter().map(|row| row[row.len() - 1]).collect();
    assert_eq!(
        last,
        [
            "v",
            "docs/noending",
            "docs/late.txt",
            "docs/z-link.txt",
            "docs/page.html"
        ],
        "{stdout}"
    );
    assert!(
        stdout.contains("1999-12-31") && stdout.contains("earliest"),
        "{stdout}"
    );
    assert!(
        stdout.contains("3 copies (") && stdout.contains("in 1 group, among 5 documents"),
        "{stdout}"
    );
    assert!(
        stdout.contains("1 data, not a document") && stdout.contains("1 not text"),
        "{stdout}"
    );
    let table = rig.text("copies.tsv");
    assert_eq!(table.lines().count(), 6);
    assert!(
        table
            .lines()
            .any(|line| line.starts_with("1\tdocs/z-link.txt") && line.ends_with("docs/late.txt"))
    );
    let refused = rig.run("find docs -o docs/late.txt");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert_eq!(rig.run("find nowhere").code, 2);
}
