use super::*;
use crate::options::Quoted;

const OPTIONS: MailOptions = MailOptions {
    quoted: Quoted::Keep,
    encoding: None,
    attachments: true,
    least: 0,
};

fn read(message: &[u8]) -> (String, Vec<Attachment>) {
    let mail = Mail::read(message, OPTIONS).unwrap();
    (mail.text, mail.attachments)
}

fn text(message: &str) -> String {
    read(message.as_bytes()).0
}

/// The text of a plain message with this body.
fn of(body: &str, quoted: Quoted) -> String {
    let message = format!("Subject: s\n\n{body}");
    let options = MailOptions { quoted, ..OPTIONS };
    Mail::read(message.as_bytes(), options).unwrap().text
}

fn multipart(subtype: &str, parts: &[&str]) -> String {
    let mut out =
        format!("Content-Type: multipart/{subtype}; boundary=\"b{subtype}\"\n\npreamble\n");
    for part in parts {
        let _ = write!(out, "--b{subtype}\n{part}\n");
    }
    out + "--b" + subtype + "--\nepilogue\n"
}

#[test]
fn headers_are_decoded() {
    let message = b"Subject: =?iso-8859-2?Q?=BElut=FD?= =?utf-8?B?a8WvxYg=?=\r\nFrom: \"M, J\" <j@a.b>, k@c.d\r\nDate: Sun, 1 Mar 2020 10:00:00 +0100\r\nMessage-ID: <x@y>\r\nList-ID: Name <l.a.b>\r\nX-Own:  v\r\n w\r\n\r\nt\r\n";
    let mail = Mail::read(message, OPTIONS).unwrap();
    let get = |name| mail.head.get(name).unwrap_or_default();
    assert_eq!(get("subject"), "žlutýkůň");
    assert_eq!(get("from"), "j@a.b, k@c.d");
    assert_eq!(mail.head.sender().as_deref(), Some("M, J"));
    assert_eq!(get("date"), "2020-03-01T10:00:00+01:00");
    assert_eq!(get("message-id"), "x@y");
    assert_eq!(get("list-id"), "l.a.b");
    assert_eq!(get("x-own"), "v w");
    assert_eq!(mail.head.get("none"), None);
    assert_eq!(mail.text, "t");
}

#[test]
fn dates_are_read_as_they_are_written() {
    for (date, expected) in [
        (
            "Wed, 20 Sep 1995 00:19:00 (EDT) -0400",
            "1995-09-20T00:19:00-04:00",
        ),
        ("Tue, 28 May 1996 12:24:23 cst", "1996-05-28T12:24:23-06:00"),
        (
            "28 May 96 12:24:23 +0200 (MET (DST))",
            "1996-05-28T12:24:23+02:00",
        ),
        ("Tue, 28 May 1996 12:24", "Tue, 28 May 1996 12:24"),
        ("none (at all)", "none"),
    ] {
        let message = format!("Date: {date}\n\nt");
        let mail = Mail::read(message.as_bytes(), OPTIONS).unwrap();
        assert_eq!(mail.head.get("date").as_deref(), Some(expected));
    }
}

#[test]
fn texts_are_decoded_by_what_their_bytes_prove() {
    let part = |label: &str, transfer: &str, body: &[u8]| {
        let head = format!(
            "Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: {transfer}\n\n"
        );
        read(&[head.as_bytes(), body].concat()).0
    };
    assert_eq!(
        part("iso-8859-2", "quoted-printable", b"=BElut=\n=FD"),
        "žlutý"
    );
    assert_eq!(part("utf-8", "base64", b"xb5s\ndXTD\nvQ==\n"), "žlutý");
    assert_eq!(part("windows-1250", "8bit", b"\x9elut\xfd"), "žlutý");
    assert_eq!(part("utf-7", "7bit", b"Fr+APY-sche"), "Frösche");
    assert_eq!(part("utf-16be", "base64", b"AFQAZQBzAHQ="), "Test");
    // The declaration is wrong.
    assert_eq!(part("utf-16le", "8bit", b"Test"), "Test");
    assert_eq!(part("us-ascii", "8bit", "žlutý".as_bytes()), "žlutý");
    assert_eq!(part("x-unknown", "x-unknown", "žlutý".as_bytes()), "žlutý");
    assert_eq!(
        part("utf-8", "base64", b"no * base64 at all"),
        "no * base64 at all"
    );
}

#[test]
fn alternatives_are_read_once() {
    let plain = "Content-Type: text/plain\n\nOne text.";
    let html = "Content-Type: text/html\n\n<p>One <b>text</b>.</p>";
    let long = format!("Content-Type: text/html\n\n<p>{}</p>", "long ".repeat(30));
    let both = [plain, html];
    assert_eq!(text(&multipart("alternative", &both)), "One text.");
    assert_eq!(text(&multipart("alternative", &[html, plain])), "One text.");
    assert_eq!(text(&multipart("mixed", &both)), "One text.\n\nOne text.");
    // A plain part that only apologises.
    let sorry = text(&multipart("alternative", &[plain, &long]));
    assert!(sorry.starts_with("long long"), "{sorry}");
    let picture = "Content-Type: image/png\n\nx";
    let related = multipart("related", &[html, picture]);
    let (found, attached) = read(multipart("alternative", &[&related]).as_bytes());
    assert_eq!(found, "One text.");
    assert_eq!(attached.len(), 1);
    assert_eq!(attached[0].kind, "image/png");
}

#[test]
fn attachments_are_listed_and_messages_in_messages_read() {
    let plain = "\nOwn text.";
    let file = "Content-Type: application/pdf\nContent-Disposition: attachment; filename*=utf-8''%C3%A4.pdf\nContent-Transfer-Encoding: base64\n\nQUJD\n";
    let log = "Content-Type: text/plain\nContent-Disposition: attachment; filename=a.log\n\nlines";
    let inner = "Content-Type: message/rfc822\n\nSubject: i\n\nPassed on.";
    let message = multipart("mixed", &[plain, file, log, inner]);
    let (found, attached) = read(message.as_bytes());
    assert_eq!(found, "Own text.\n\nPassed on.");
    let names: Vec<_> = attached.iter().map(|part| part.name.as_deref()).collect();
    assert_eq!(names, [Some("ä.pdf"), Some("a.log")]);
    assert_eq!(
        (attached[0].bytes, &*attached[0].digest),
        (3, &*digest(b"ABC"))
    );
    let options = MailOptions {
        quoted: Quoted::Drop,
        ..OPTIONS
    };
    assert_eq!(
        Mail::read(message.as_bytes(), options).unwrap().text,
        "Own text."
    );
    // The messages of a digest are its own text.
    let digested = multipart(
        "digest",
        &["\nSubject: a\n\nFirst.", "\nSubject: b\n\nSecond."],
    );
    let found = Mail::read(digested.as_bytes(), options).unwrap().text;
    assert_eq!(found, "First.\n\nSecond.");
}

#[test]
fn a_message_without_text_stands_for_what_it_has() {
    let file = "Content-Type: application/pdf\n\nABC";
    let one = multipart("mixed", &[file]);
    assert_eq!(text(&one), digest(b"ABC"));
    let silent = MailOptions {
        attachments: false,
        ..OPTIONS
    };
    assert_eq!(
        Mail::read(one.as_bytes(), silent).unwrap().text,
        digest(b"ABC")
    );
    assert_eq!(text("Subject: a\n\n"), "");
    assert_eq!(text("Subject: a"), "");
    assert_eq!(text("no header at all"), "no header at all");
}

#[test]
fn what_is_broken_is_read_as_far_as_it_goes() {
    let cut = multipart("mixed", &["\nFirst.", "\nSecond."]);
    let cut = &cut[..cut.find("Second").unwrap() + 3];
    assert_eq!(text(cut), "First.\n\nSec");
    let unbounded = "Content-Type: multipart/mixed\n\n--x\n\na";
    assert_eq!(text(unbounded), "--x\n\na");
    let unused = "Content-Type: multipart/mixed; boundary=y\n\n--x\n\na";
    assert_eq!(text(unused), "--x\n\na");
    // A boundary that begins another.
    let inner = "Content-Type: multipart/mixed; boundary=bmixed2\n\n--bmixed2\n\nin\n--bmixed2--";
    assert_eq!(text(&multipart("mixed", &[inner, "\nout"])), "in\n\nout");
}

#[test]
fn bombs_are_refused() {
    let error = |message: &str| {
        Mail::read(message.as_bytes(), OPTIONS)
            .unwrap_err()
            .to_string()
    };
    let nested = "Content-Type: message/rfc822\n\n".repeat(100_000);
    assert!(error(&nested).contains("32 levels of nested parts"));
    let mut deep = String::new();
    for at in 0..1000 {
        let _ = write!(
            deep,
            "Content-Type: multipart/mixed; boundary=b{at}\n\n--b{at}\n"
        );
    }
    assert!(error(&deep).contains("32 levels of nested parts"));
    let many = multipart("mixed", &vec!["\nx"; 20_000]);
    assert!(error(&many).contains("10000 parts"));
    let header = format!("Subject: {}\n\nt", "=?utf-8?q?a?= ".repeat(100_000));
    assert_eq!(text(&header), "t");
    let header = format!("To: {}\n\nt", "(".repeat(1_000_000));
    assert_eq!(text(&header), "t");
}

#[test]
fn replies_and_signatures_are_left_out() {
    let reply = "Yes.\n\nOn Mon, 2 Mar 2020, A B <a@b.c>\nwrote:\n\n> Is it so?\n>\n>> Was it?\n> x\n\nAnd\nno.\n-- \nMe\nTel. 1\n";
    assert_eq!(of(reply, Quoted::Drop), "Yes.\n\nAnd\nno.");
    assert_eq!(
        of(reply, Quoted::Keep),
        reply.trim_end().replace("-- \n", "--\n")
    );
    assert_eq!(
        of(reply, Quoted::Unit),
        "Yes.\n\nOn Mon, 2 Mar 2020, A B <a@b.c>\nwrote:\n\nIs it so?\n\nWas it?\n\nx\n\nAnd\nno.\n\n--\nMe\nTel. 1"
    );
    // A line before a quotation that only mentions it is kept.
    assert_eq!(of("I read:\n> x\nok", Quoted::Drop), "I read:\n\nok");
    let list = "Own.\n\n____________________\nlist\nhttp://lists.a/b\n";
    assert_eq!(of(list, Quoted::Drop), "Own.");
    assert_eq!(
        of("a\n--------------------\nb", Quoted::Drop),
        "a\n--------------------\nb"
    );
    // A rule within a text, with more lines below it than a signature has.
    let long = format!("a\n--\n{}", "line\n".repeat(30));
    assert_eq!(of(&long, Quoted::Drop), long.trim_end());
    // Nothing is examined repeatedly.
    for line in [
        "--\n",
        "From: a\n\n",
        "1:\n> a\n",
        "> a\n\n",
        "____________________\n",
    ] {
        of(&line.repeat(200_000), Quoted::Drop);
    }
}

#[test]
fn what_is_passed_on_is_left_out() {
    for passed in [
        "-----Original Message-----\nFrom: a@b.c\nSent: Monday\nSubject: x\n\nOld.",
        "---------- Forwarded message ----------\nVon: a@b.c\nDatum: Montag\n\nOld.\n> older",
        "Begin forwarded message:\n\nFrom: a@b.c\nDate: Monday\n\nOld.",
        "________________________________\nVon: A\nGesendet: Montag\nAn: B\n\nOld.",
        "From: A\nSent: Monday\nTo: B\n\nOld.",
        "*Od:* A\n*Poslané:* dnes\n*Komu:* B\n\nOld.",
    ] {
        let body = format!("New.\n\n{passed}\n");
        assert_eq!(of(&body, Quoted::Drop), "New.", "{passed}");
        assert!(of(&body, Quoted::Unit).contains("Old."));
    }
    for kept in [
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nText.",
        "From: the beginning\nof all.",
        "------------\nText: more.",
        "--------------------\nNote: this is no header.\nHint: nor is this.",
    ] {
        assert_eq!(of(kept, Quoted::Drop), kept);
    }
}

#[test]
fn quotations_in_html_are_found() {
    let html = "<div>New.</div><div class=gmail_quote>On 2 Mar 2020 A &lt;a@b&gt; wrote:<blockquote><p>Old <i>text</i>.</p><pre>x\ny</pre></blockquote></div><p>Also new.</p>";
    let message = format!("Content-Type: text/html\n\n{html}");
    let with = |quoted| {
        let options = MailOptions { quoted, ..OPTIONS };
        Mail::read(message.as_bytes(), options).unwrap().text
    };
    assert_eq!(with(Quoted::Drop), "New.\n\nAlso new.");
    assert_eq!(
        with(Quoted::Keep),
        "New.\n\nOn 2 Mar 2020 A <a@b> wrote:\n\nOld text.\n\nx\ny\n\nAlso new."
    );
    assert_eq!(with(Quoted::Unit), with(Quoted::Keep));
}

/// What a message with these parts is besides its text.
fn apart(parts: &[&str]) -> String {
    let message = multipart("mixed", parts);
    Mail::read(message.as_bytes(), OPTIONS).unwrap().apart(true)
}

#[test]
fn a_message_is_its_attachments_too() {
    let text = "\nsee below";
    let file = |name: &str, body: &str| {
        format!(
            "Content-Type: application/pdf; name={name}\nContent-Transfer-Encoding: base64\n\n{body}"
        )
    };
    let (one, other) = (file("a", "QUJDREVG"), file("a", "QUJDREVH"));
    let known = apart(&[text, &one]);
    assert!(known.starts_with("attachments=sha256:"));
    assert_ne!(apart(&[text, &other]), known);
    assert_ne!(apart(&[text, &one, &other]), known);
    assert_eq!(apart(&[text]), "");
    let message = multipart("mixed", &[text, &one]);
    assert_eq!(
        Mail::read(message.as_bytes(), OPTIONS)
            .unwrap()
            .apart(false),
        ""
    );
    // The same files with other names, types, encodings, boundaries, places.
    for same in [
        vec![text, &*file("b", "QUJD\r\nREVG\r\n")],
        vec![text, &one, &one],
        vec![&one, text],
        vec![
            text,
            "Content-Type: image/png\nContent-Transfer-Encoding: quoted-printable\n\nABC=\nDE=46",
        ],
        vec![&*multipart(
            "related",
            &["Content-Type: text/html\n\nsee <b>below</b>", &one],
        )],
        vec![text, "Content-Type: text/csv\n\nABCDEF\r\n"],
    ] {
        assert_eq!(apart(&same), known, "{same:?}");
    }
    assert_eq!(apart(&[text, &one, &other]), apart(&[text, &other, &one]));
    // The line ends of a text are those of the mailbox.
    let lines = |body: &str| {
        apart(&[
            text,
            &format!("Content-Type: text/csv\nContent-Disposition: attachment\n\n{body}"),
        ])
    };
    assert_eq!(lines("a\r\nb\r\n"), lines("a\nb"));
    assert_ne!(lines("a\nb"), lines("a b"));
    // What says nothing about the message.
    for nothing in [
        "Content-Type: application/pgp-signature\n\nabc",
        "Content-Type: application/pkcs7-signature; name=smime.p7s\nContent-Transfer-Encoding: base64\n\nQUJD",
        "Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n",
        "Content-Type: text/html\n\n<p>see below",
    ] {
        assert_eq!(apart(&[text, nothing]), "", "{nothing}");
        assert_eq!(apart(&[text, nothing, &one]), known, "{nothing}");
    }
    let signed = |by: &str| {
        let parts = [
            text,
            &format!("Content-Type: application/octet-stream\n\n{by}"),
        ];
        Mail::read(multipart("signed", &parts).as_bytes(), OPTIONS)
            .unwrap()
            .apart(true)
    };
    assert_eq!(signed("abc"), "");
    let forms = |other: &str| {
        apart(&[&multipart(
            "alternative",
            &[text, &format!("Content-Type: {other}\n\nabc")],
        )])
    };
    assert_eq!(forms("text/watch-html"), "");
    assert_ne!(forms("text/calendar"), "");
    // What is attached to an attached message, and what stands for a message without text.
    let inner = format!(
        "Content-Type: message/rfc822\n\n{}",
        multipart("mixed", &["\nsee below", &one])
    );
    assert_eq!(apart(&[&inner]), known);
    let attached = inner.replace("rfc822\n", "rfc822\nContent-Disposition: attachment\n");
    assert!(![known.as_str(), ""].contains(&&*apart(&[text, &attached])));
    assert_ne!(
        read(multipart("mixed", &[&one]).as_bytes()).0,
        read(multipart("mixed", &[&other]).as_bytes()).0
    );
}

#[test]
fn what_remains_of_a_short_reply_is_not_compared_alone() {
    let read = |body: &str, quoted, least| {
        let options = MailOptions {
            quoted,
            least,
            ..OPTIONS
        };
        let message = format!("Subject: s\n\n{body}");
        let mail = Mail::read(message.as_bytes(), options).unwrap();
        (mail.apart(true), mail.text)
    };
    let reply =
        |old: &str| format!("Thanks, I agree.\n\nOn 1 Mar 2020, a@b wrote:\n> {old}\n-- \nme");
    let (key, text) = read(&reply("one"), Quoted::Drop, 5);
    assert!(key.starts_with("reply=sha256:"));
    assert_eq!(text, reply("one").replace("-- ", "--"));
    assert_ne!(read(&reply("two"), Quoted::Drop, 5).0, key);
    // Only words count.
    assert_eq!(read(&reply("> ONE"), Quoted::Drop, 5).0, key);
    assert_eq!(read(&reply("one"), Quoted::Unit, 5).0, key);
    assert_eq!(read(&reply("one"), Quoted::Keep, 5).0, "");
    assert_eq!(
        read(&reply("one"), Quoted::Drop, 3),
        (String::new(), "Thanks, I agree.".into())
    );
    // A short message that is no reply, and a reply without any text of its own.
    assert_eq!(
        read("Thanks.", Quoted::Drop, 5),
        (String::new(), "Thanks.".into())
    );
    let (key, text) = read("> one\n", Quoted::Drop, 5);
    assert_ne!(key, "");
    assert_eq!(text, "> one");
}

#[test]
fn a_footer_is_a_text_beside_the_encoded_one() {
    let part = |body: &str| {
        let head =
            "Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\n";
        text(&(head.to_owned() + body))
    };
    assert_eq!(part("VABlAHgAdAAhAA=="), "Text!");
    assert_eq!(
        part("VABlAHgAdAAhAA==\n\n_____\nthe list\n"),
        "Text!\n\n_____\nthe list"
    );
}
