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

/// A message with a text of some length, and a file with this content in base64.
fn letter(day: u32, file: &str, boundary: &str) -> String {
    format!(
        "From: A <a@b>\nDate: Sun, {day} Mar 2020 10:00:00 +0000\nMessage-ID: <m{day}@x>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary={boundary}\n\n--{boundary}\n\n{}\n--{boundary}\nContent-Type: application/pdf; name=invoice-{day}.pdf\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n{file}\n--{boundary}--\n",
        text(1)
    )
}

#[test]
fn messages_with_other_attachments_are_never_copies() {
    let rig = Rig::new();
    // The third has the file of the first, encoded otherwise.
    rig.write("Mail/a.eml", letter(1, "QUJDREVG", "x"));
    rig.write("Mail/b.eml", letter(2, "QUJDREVH", "y"));
    rig.write(
        "Mail/c.eml",
        letter(3, "QUJD\nREVG", "z").replace("w7", "another"),
    );
    rig.write("Mail/d.eml", letter(4, "QUJDREVI", "x"));
    let all = ["a.eml", "b.eml", "d.eml"];
    for recipe in [
        "copies",
        "exact",
        "plain",
        "sscr",
        "ssr",
        "messages",
        "simhash",
        "sketch",
        "super-shingle",
        "cosine",
        "onion",
        "mixed",
        "passages",
    ] {
        let keep = ["onion", "passages"].contains(&recipe);
        let keep = if keep { "" } else { "--keep oldest:date" };
        let recipe = format!("--recipe {recipe} {keep}");
        rig.ok(&format!("dedup Mail -o out.jsonl -q {recipe}"));
        let kept = rig.text("out.jsonl");
        for name in all {
            assert!(
                kept.contains(&format!("\"id\":\"{name}\"")),
                "{recipe}: {name}"
            );
        }
        rig.ok(&format!(
            "dedup Mail -o ignored.jsonl -q {recipe} --attachments ignore"
        ));
        assert!(rig.text("ignored.jsonl").lines().count() < 3, "{recipe}");
    }
    // Nor are their paragraphs.
    rig.ok("dedup Mail -o parts.jsonl --unit paragraph --recipe exact -q");
    assert_eq!(
        rig.text("parts.jsonl")
            .matches(text(1).lines().next().unwrap())
            .count(),
        3
    );
    // From stored evidence, and from the specification.
    rig.ok("dedup Mail -o out.jsonl --run run --evidence all --keep oldest:date -q");
    rig.ok("dedup --from run -o again.jsonl -q --keep newest:date");
    assert_eq!(rig.text("again.jsonl").lines().count(), 3);
    let shown = rig.ok("explain run a.eml b.eml");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("attachments=sha256") && shown.contains("their attachments differ"),
        "{shown}"
    );
    let compared = rig.ok("compare Mail/a.eml Mail/b.eml");
    assert!(String::from_utf8_lossy(&compared.stdout).contains("their attachments differ"));
    let tokens = rig.ok("tokens Mail/a.eml");
    assert!(String::from_utf8_lossy(&tokens.stdout).contains(" [attachments=sha256"));
    let pairs = rig.ok("pairs Mail -o - -q");
    assert_eq!(String::from_utf8_lossy(&pairs.stdout).lines().count(), 2);
    let matrix = rig.ok("compare Mail");
    assert!(String::from_utf8_lossy(&matrix.stdout).contains("1 pair"));
    // References, mixed with texts that are no messages.
    rig.write(
        "a.jsonl",
        format!(
            "{{\"id\":\"j\",\"text\":{:?},\"mail.apart\":\"x\"}}\n",
            text(1)
        ),
    );
    rig.ok("dedup a.jsonl -o new.jsonl --against Mail -q");
    assert_eq!(rig.text("new.jsonl").lines().count(), 1);
    rig.ok("dedup a.jsonl -o new.jsonl --against Mail -q --attachments ignore");
    assert_eq!(rig.text("new.jsonl").lines().count(), 0);
    rig.refuses(
        "dedup a.jsonl -o d.jsonl --attachments ignore",
        &["--attachments"],
    );
}

#[test]
fn short_replies_to_different_messages_stay() {
    let rig = Rig::new();
    let reply = |day: u32, thread: u32| {
        format!(
            "From: A{day} <a@b>\nDate: Sun, {day} Mar 2020 10:00:00 +0000\nMessage-ID: <m{day}@x>\n\nThanks, I agree.\n\nOn 1 Mar 2020 c@d wrote:\n{}",
            quoted(&text(thread))
        )
    };
    for day in 1..=20 {
        rig.write(&format!("Mail/cur/{day:02}"), reply(day, day));
    }
    rig.write("Mail/new/.keep", "").write("Mail/tmp/.keep", "");
    // The same message twice, and one to the same message with other words.
    rig.write("Mail/cur/30", reply(7, 7));
    rig.write("Mail/cur/31", reply(7, 7).replace("Thanks, I agree", "No"));
    for how in ["drop", "unit"] {
        for recipe in ["copies", "exact", "messages", "onion", "mixed", "simhash"] {
            let out = format!("{how}-{recipe}");
            rig.ok(&format!(
                "dedup Mail -o {out} --quoted {how} --recipe {recipe} -q"
            ));
            let files = rig.files();
            let out = files
                .iter()
                .filter(|name| name.starts_with(&format!("{out}/cur/")));
            let names: Vec<_> = out.map(|name| &name[name.len() - 2..]).collect();
            assert_eq!(names.len(), 21, "{how} {recipe}: {names:?}");
            assert!(!names.contains(&"30"), "{how} {recipe}");
        }
    }
    rig.ok("dedup Mail -o parts.jsonl --quoted unit --unit paragraph --recipe exact -q");
    assert_eq!(rig.text("parts.jsonl").matches("Thanks").count(), 20);
}

#[test]
fn mailboxes_are_cut_where_headers_follow() {
    let rig = Rig::new();
    let messages = messages();
    let body = "From 2019 to 2020 we wrote at 10:20 that this is text\n\n";
    let bytes = format!(
        "From - \n{}\n{body}From \n>From x\n{}From - Sun Mar  1 10:00:00 2020\n{}",
        messages[0], messages[2], messages[3]
    );
    rig.write("a.mbox", bytes.as_str());
    rig.ok("mark a.mbox -o a.jsonl -q --recipe exact");
    assert_eq!(rig.text("a.jsonl").lines().count(), 3);
    rig.ok("dedup a.mbox -o b.mbox -q --recipe exact");
    assert_eq!(rig.text("b.mbox"), bytes);
    // What does not begin with a message is refused, and can be put aside.
    rig.write("c.mbox", format!("some text\n\n{bytes}"));
    rig.refuses(
        "dedup c.mbox -o d.mbox -q --recipe exact",
        &["c.mbox", "record 1", "From "],
    );
    rig.ok("dedup c.mbox -o d.mbox -q --recipe exact --on-bad-record quarantine");
    assert_eq!(rig.text("d.mbox"), bytes);
}
