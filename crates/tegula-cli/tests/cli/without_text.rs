//! Records in which no text is found.

use crate::rig::Rig;

/// A response with this page.
fn response(number: u32, page: &str) -> String {
    let body = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:036}>\r\nWARC-Target-URI: http://x.test/{number}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
        body.len()
    )
}

/// Two records without text in each format, no two of them with the same bytes.
fn empty_records() -> Rig {
    let rig = Rig::new();
    let tei = |what: &str| {
        format!(
            "<TEI xmlns=\"http://www.tei-c.org/ns/1.0\"><teiHeader/><facsimile><graphic url=\"{what}\"/></facsimile></TEI>"
        )
    };
    let page = |what: &str| format!("<html><body><img src=\"{what}.png\"></body></html>");
    let message = |subject: &str| format!("From: a@x.test\nSubject: {subject}\n\n");
    let vertical = |id: &str| format!("<doc id=\"{id}\">\n<p>\n</p>\n</doc>\n");
    rig.write(
        "in/a.jsonl",
        "{\"id\":1,\"text\":\"\"}\n{\"id\":2,\"text\":\" \\t\"}\n",
    )
    .write(
        "in/b.json",
        "[{\"id\":3,\"text\":\"\"},\n{\"id\":4,\"text\":\"\"}]\n",
    )
    .write("in/c.csv", "id,text\n5,\"\"\n6,\" \"\n")
    .write("in/d.tsv", "id\ttext\n7\t\n8\t \n")
    .write("in/e.txt", " \n")
    .write("in/f.txt", "  \n")
    .write("in/g.vert", [vertical("9"), vertical("10")].concat())
    .write("in/h.xml", tei("a"))
    .write("in/i.xml", tei("b"))
    .write("in/j.html", page("a"))
    .write("in/k.html", page("b"))
    .write(
        "in/l.warc",
        [response(1, &page("a")), response(2, &page("a"))].concat(),
    )
    .write("in/m.eml", message("a"))
    .write("in/n.eml", message("b"))
    .write(
        "in/o.mbox",
        ["c", "d"]
            .map(|subject| ["From x\n", &message(subject), "\n"].concat())
            .concat(),
    );
    rig.write(
        "q.jsonl",
        "{\"id\":11,\"text\":\"\"}\n{\"id\":11,\"text\":\"\"}\n",
    );
    rig.ok("mark q.jsonl -o in/p.parquet");
    rig
}

#[test]
fn records_without_text_are_copies_only_of_the_same_bytes() {
    let rig = empty_records();
    for recipe in [
        "copies",
        "exact",
        "plain",
        "ssr",
        "sscr",
        "sscr-containment",
        "cosine",
        "sketch",
        "super-shingle",
        "simhash",
        "i-match",
        "simfinder",
        "messages",
        "revisions",
        "mixed",
        "onion",
    ] {
        let ended = rig.ok(&format!(
            "dedup in -o out-{recipe} --recipe {recipe} --json --run r-{recipe}"
        ));
        let json: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
        let first = json.get("stages").map_or(&json, |stages| &stages[0]);
        assert_eq!(first["balance"]["removed"]["units"], 0, "{recipe}: {json}");
        assert_eq!(first["without_text"]["records"], 24, "{recipe}: {json}");
        assert_eq!(first["without_text"]["example"], "1", "{recipe}: {json}");
        let said = "24 documents without text, such as 1: only bytes were compared";
        assert!(ended.stderr.contains(said), "{recipe}: {}", ended.stderr);
    }
    rig.ok("report r-copies -o report.html");
    let text = rig.text("report.html");
    assert!(text.contains("24 documents without text"));
}

#[test]
fn equal_bytes_are_equal_even_without_text() {
    let rig = empty_records();
    rig.write("in/z.xml", rig.read("in/h.xml"));
    let ended = rig.ok("dedup in -o out --run r");
    assert!(
        ended.stderr.contains("25 documents without text"),
        "{}",
        ended.stderr
    );
    let removed = rig.ok("explain r z.xml:1");
    assert!(removed.out().contains("h.xml"), "{}", removed.out());
    let out = rig.files();
    assert!(!out.iter().any(|file| file == "out/z.xml"), "{out:?}");
    assert!(out.iter().any(|file| file == "out/h.xml"), "{out:?}");
}
