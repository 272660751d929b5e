//! Mailboxes, messages and Maildir through the commands.

use crate::rig::Rig;
use std::fmt::Write as _;

/// Some sentences; those of another number have nothing in common with them.
fn text(number: u32) -> String {
    let line = |at: u32| {
        let words = (0..12).map(|word| format!("w{}", (number * 977 + at * 12 + word) % 7919));
        words.collect::<Vec<_>>().join(" ")
    };
    (0..6).map(line).collect::<Vec<_>>().join("\n")
}

fn quoted(text: &str) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "> {line}");
        out
    })
}

/// A message that says 1, the same in HTML, a reply to it that says 2, and one that says 3.
fn messages() -> Vec<String> {
    let message = |day: u32, header: &str, body: &str| {
        format!(
            "From: A <a@b>\nDate: Sun, {day} Mar 2020 10:00:00 +0000\nMessage-ID: <m{day}@x>\n{header}\n{body}\n"
        )
    };
    let html = format!("<p>Hello</p><p>{}</p>", text(1).replace('\n', "<br>"));
    let reply = format!(
        "{}\n\nOn 1 Mar 2020 a@b wrote:\n{}",
        text(2),
        quoted(&text(1))
    );
    vec![
        message(1, "List-ID: <l.x>\n", &text(1)),
        message(2, "Content-Type: text/html\n", &html),
        message(3, "", &reply),
        message(4, "", &text(3)),
    ]
}

const FROM: &str = "From a@b Sun Mar  1 10:00:00 2020\n";

fn mailbox(which: &[usize]) -> String {
    let messages = messages();
    let one = |at: &usize| FROM.to_owned() + &messages[*at] + "\n";
    which.iter().map(one).collect()
}

#[test]
fn mailboxes_lose_their_copies_and_nothing_else() {
    let rig = Rig::new();
    rig.write("a.mbox", mailbox(&[0, 1, 2, 3]));
    // The reply has all of the message it answers.
    rig.ok("dedup a.mbox -o keep.mbox -q");
    assert_eq!(rig.text("keep.mbox"), mailbox(&[2, 3]));
    rig.ok("dedup a.mbox -o drop.mbox --quoted drop --keep oldest:date -q");
    assert_eq!(rig.text("drop.mbox"), mailbox(&[0, 2, 3]));
    // As a separate paragraph, only the quotation is a copy.
    rig.ok("dedup a.mbox -o unit.jsonl --quoted unit --unit paragraph -q");
    let rows = rig.text("unit.jsonl");
    let reply = rows.lines().find(|line| line.contains("\"m3@x\"")).unwrap();
    assert!(reply.contains(text(2).lines().next().unwrap()), "{reply}");
    assert!(!reply.contains(text(1).lines().next().unwrap()), "{reply}");
    rig.refuses(
        "dedup a.mbox -o b.mbox --unit paragraph",
        &["inside mbox files"],
    );
    // Any number of threads, any ceiling, compressed or not.
    rig.ok("dedup a.mbox -o one.mbox.gz --threads 1 --memory 64M -q");
    rig.ok("dedup one.mbox.gz -o two.mbox --recipe exact -q");
    assert_eq!(rig.text("two.mbox"), mailbox(&[2, 3]));
}

#[test]
fn mail_is_read_by_every_command() {
    let rig = Rig::new();
    rig.write("a.mbox", mailbox(&[0, 1, 2, 3]));
    rig.ok("mark a.mbox -o marked.mbox --quoted drop -q");
    let marked = rig.text("marked.mbox");
    assert!(marked.contains(&format!("{FROM}X-Duplicate-Of: m2@x\nX-Duplicate-Score: 1")));
    rig.ok("mark a.mbox -o beside.mbox --mark-place standoff -q");
    assert_eq!(rig.text("beside.mbox"), mailbox(&[0, 1, 2, 3]));
    assert!(rig.text("beside.mbox.standoff").contains("m1@x"));
    rig.refuses(
        "mark marked.mbox -o again.mbox --quoted drop",
        &["X-Duplicate-Of"],
    );
    rig.ok("dedup a.mbox -o b.parquet --quoted drop --run run -q");
    let shown = rig.ok("explain run m1@x");
    assert!(String::from_utf8_lossy(&shown.stdout).contains("m2@x"));
    rig.ok("report run -o page.html");
    rig.ok("plan a.mbox");
    rig.ok("tokens a.mbox --limit 1 --quoted unit");
    let by = rig.ok("dedup a.mbox -o c.jsonl --by list-id");
    assert!(String::from_utf8_lossy(&by.stdout).contains("l.x") || by.stderr.contains("l.x"));
    rig.refuses("dedup c.jsonl --quoted drop -o d.jsonl", &["--quoted"]);
}

#[test]
fn a_maildir_stays_one() {
    let rig = Rig::new();
    for (at, message) in messages().iter().enumerate() {
        rig.write(&format!("Mail/cur/{at}.host:2,S"), message);
    }
    rig.write("Mail/new/9.host", &messages()[3]);
    rig.write("Mail/tmp/8.host", &messages()[0]);
    rig.write("Mail/.Sent/cur/5.host:2,", &messages()[0])
        .write("Mail/.Sent/new/.keep", "")
        .write("Mail/.Sent/tmp/.keep", "");
    rig.ok("dedup Mail -o out --quoted drop --keep oldest:date -q");
    let files = rig.files();
    let out: Vec<_> = files
        .iter()
        .filter(|name| name.starts_with("out/"))
        .collect();
    assert_eq!(
        out,
        [
            "out/.Sent/cur/5.host:2,",
            "out/cur/2.host:2,S",
            "out/cur/3.host:2,S"
        ]
    );
    assert_eq!(rig.text("out/cur/2.host:2,S"), messages()[2]);
    // What reads Maildir needs these folders, if only to find them empty.
    for folder in ["cur", "new", "tmp", ".Sent/cur", ".Sent/new", ".Sent/tmp"] {
        assert!(rig.path("out").join(folder).is_dir(), "{folder}");
    }
    let found = rig.ok("find Mail --quoted drop");
    let stdout = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(
        stdout.contains("3 copies (") && stdout.contains("2020-03-01"),
        "{stdout}"
    );
}
