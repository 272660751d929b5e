use super::*;
use encoding_rs::WINDOWS_1252;

fn all(html: &str) -> String {
    Outline::of(html).text
}

#[test]
fn text_flows_as_it_is_seen() {
    let cases = [
        ("<p>a <b>b</b>c</p><p>d</p>", "a bc\n\nd"),
        ("a<br>b<ul><li>c<li>d</ul>e", "a\nb\n\nc\nd\n\ne"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc"),
        ("x<script>if (a<b) '</p>'</script>y<style>z</style>", "xy"),
        (
            "<svg><svg><text>a</text></svg>b</svg>c<noscript>d</noscript>",
            "c",
        ),
        ("<pre>a\n  b</pre>c", "a\n  b\n\nc"),
        (
            "&lt;a&gt; &amp;amp; &#228;&nbsp;&euro;",
            "<a> &amp; ä\u{a0}€",
        ),
        ("<title>t &amp; u</title>a<!-- b -->c", "ac"),
        ("<p>unclosed <i>and <p>open", "unclosed and\n\nopen"),
        ("", ""),
        ("<", "<"),
        ("a <textarea>b</textarea> c", "a c"),
    ];
    for (html, text) in cases {
        assert_eq!(all(html), text, "{html}");
    }
}

#[test]
fn a_page_says_what_it_is() {
    let html = "<!doctype html><html lang=sk class=header><head><meta charset=utf-8>\
        <title> Nový \n zákon </title><link rel=canonical href=\"https://a.example/1\">\
        <meta property=article:published_time content=2019-11-20T06:35:39Z></head><body>x</body>";
    let page = read(html.as_bytes(), (None, None), PageText::All).unwrap();
    let about = About {
        title: Some("Nový zákon".into()),
        language: Some("sk".into()),
        url: Some("https://a.example/1".into()),
        date: Some("2019-11-20T06:35:39Z".into()),
        charset: "UTF-8",
    };
    assert_eq!((page.about, &*page.text), (about, "x"));
}

#[test]
fn main_text_leaves_the_frame_out() {
    let paragraph = |at: u32| {
        format!("<p>Paragraph {at} has, in all, as many words as an article needs, and commas.</p>")
    };
    let body = (0..8).map(paragraph).collect::<Vec<_>>().concat();
    let frame = "<div class=nav><a href=/a>Home</a> <a href=/b>News</a></div>";
    let html = format!(
        "<html class=\"header-spacing\"><body>{frame}<article>{body}</article></body></html>"
    );
    let page = read(html.as_bytes(), (None, None), PageText::Main).unwrap();
    assert!(
        page.is_main
            && page.text.starts_with("Paragraph 0")
            && page.text.matches("\n\n").count() == 7
    );
    let page = read(html.as_bytes(), (None, None), PageText::All).unwrap();
    assert!(!page.is_main && page.text.starts_with("Home News\n\nParagraph 0"));
}

#[test]
fn bytes_prove_their_encoding() {
    let cases: [(&[u8], Option<&str>, &str, &str); 9] = [
        (b"\xEF\xBB\xBFa", Some("windows-1252"), "UTF-8", "a"),
        ("ä".as_bytes(), Some("iso-8859-1"), "UTF-8", "ä"),
        (b"\xE4", Some("iso-8859-2"), "ISO-8859-2", "ä"),
        (
            b"<meta charset='windows-1250'>\x9E",
            None,
            "windows-1250",
            "ž",
        ),
        (
            b"<meta http-equiv=x content=\"text/html; charset=gbk\">\xD6\xD0",
            None,
            "GBK",
            "中",
        ),
        (
            b"<meta charset=utf-8>\xD6\xD0\xCE\xC4\xD6\xD0",
            Some("utf-8"),
            "GBK",
            "",
        ),
        (b"\x1B$B%F\x1B(B", Some("iso-2022-jp"), "ISO-2022-JP", "テ"),
        (
            b"<?xml version='1.0' encoding='iso-8859-15'?>\xA4",
            None,
            "ISO-8859-15",
            "€",
        ),
        (b"\xFF\xFEa\0", None, "UTF-16LE", "a"),
    ];
    for (bytes, label, name, text) in cases {
        let (found, encoding) = decode(bytes, label, None);
        assert!(found.ends_with(text), "{found}");
        assert!(
            encoding.name() == name || text.is_empty(),
            "{found} {encoding:?}"
        );
    }
    assert_eq!(decode(b"\xE4", None, Some(WINDOWS_1252)).0, "ä");
}

#[test]
fn hostile_markup_is_read_in_one_pass() {
    for unit in [
        "<div>",
        "<b>",
        "<table><tr><td>",
        "<svg>",
        "<p>",
        "</div>",
        "<a><p>",
        "<title>",
        "<!--",
    ] {
        let html = format!("{}x", unit.repeat(60_000));
        assert!(
            read(html.as_bytes(), (None, None), PageText::Main).is_ok(),
            "{unit}"
        );
    }
    // Closing elements that are not open does not hide depth.
    let outline = Outline::of(&"<div></b>".repeat(1000));
    assert_eq!(outline.deepest, 1000);
    let many = format!("<p title='a b c' {}>", "a=1 b ".repeat(5_000));
    let error = read(many.as_bytes(), (None, None), PageText::All).unwrap_err();
    assert!(error.to_string().contains("one of 10001"), "{error}");
    let quoted = format!(
        "<p title='{0}' alt = \"{0}\"><script>a<b {0}</script>",
        "a b ".repeat(5_000)
    );
    assert!(read(quoted.as_bytes(), (None, None), PageText::All).is_ok());
}

#[test]
fn the_frame_is_marked() {
    let text = "word ".repeat(80);
    let html = format!(
        "<html><body><nav><a href=/>Home</a> <a href=/b>News</a></nav><article><h1>Title</h1><p>{text}</p><p>Second {text}</p></article><footer><p>Imprint</p></footer></body></html>"
    );
    let page = read(html.as_bytes(), (None, None), PageText::Marked).unwrap();
    let all = read(html.as_bytes(), (None, None), PageText::All).unwrap();
    assert!(page.is_main && all.boilerplate.is_none());
    assert_eq!(page.text, all.text);
    let marked: Vec<&str> = (page.boilerplate.iter().flatten())
        .map(|at| &page.text[at.clone()])
        .collect();
    assert_eq!(marked.last(), Some(&"Imprint"), "{marked:?}");
    assert!(marked[0].starts_with("Home News"), "{marked:?}");
    assert!(marked.iter().all(|part| !part.contains("word")));
    // A line of the frame that the main text repeats, in another order, or not at all.
    let parts = |all: &str, main: &str| {
        let found = around(all, main);
        found
            .into_iter()
            .map(|at| all[at].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(parts("a\n\nb\n\nc\nd", "b"), ["a", "c\nd"]);
    assert_eq!(parts("a\nb\na\nc", "b\na"), ["a", "c"]);
    assert_eq!(parts("a\nb\nc", "b\nx\nc"), ["a"]);
    assert_eq!(parts("a\nb\nc", ""), ["a\nb\nc"]);
}
