//! Tokens side by side, and readings of which one is text.

use super::*;

/// The text of a paragraph with this content.
fn text(content: &str, reading: Reading) -> String {
    let file = format!("<TEI><text><body><p>{content}</p></body></text></TEI>");
    let options = ReadOptions {
        tei: crate::options::TeiOptions {
            reading: Some(reading),
            ..crate::options::TeiOptions::default()
        },
        ..ReadOptions::default()
    };
    let bench = bench("a.xml", file.as_bytes(), &options, 50);
    bench.check_lossless(file.as_bytes());
    bench.texts().concat()
}

fn corrected(content: &str) -> String {
    text(content, Reading::Corrected)
}

#[test]
fn tokens_without_white_space_between_them_are_words_of_their_own() {
    for (content, expected) in [
        (
            "<s><w>the</w><w>harbour</w><w>master</w><pc>.</pc></s>",
            "the harbour master.",
        ),
        ("<w>the</w><pc>,</pc><w>harbour</w>", "the, harbour"),
        ("<w>the</w>\n<w>harbour</w>\n<pc>.</pc>", "the harbour ."),
        (
            "<w>a</w><pc pre=\"true\">(</pc><w>b</w><pc>)</pc><w>c</w>",
            "a (b) c",
        ),
        (
            "<w>well</w><pc force=\"weak\">-</pc><w>known</w>",
            "well-known",
        ),
        ("<w>a</w><c>,</c><w>b</w>", "a, b"),
        ("<w>a</w><c> </c><w>b</w>", "a b"),
        ("<w>the </w><w>harbour </w>", "the harbour"),
        (
            "<w>the</w><hi><w>harbour</w></hi><name><w>Hook</w></name>",
            "the harbour Hook",
        ),
        (
            "<seg>the harbour</seg><seg>was full</seg>",
            "the harbour was full",
        ),
        (
            "<seg><w>the</w><w>harbour</w></seg><seg><w>was</w></seg>",
            "the harbour was",
        ),
        (
            "<cl><phr><w>a</w><w>b</w></phr><w>c</w></cl><cl>d</cl>",
            "a b c d",
        ),
        ("<w>the</w><note>n</note><w>harbour</w>", "the harbour"),
        ("<w>a</w><w/><w>b</w><lb/><w>c</w>", "a b c"),
        ("<w>&amp;</w><w>b</w><w><![CDATA[<]]></w>", "& b <"),
    ] {
        assert_eq!(corrected(content), expected, "{content}");
    }
}

#[test]
fn what_says_that_it_is_joined_stays_one_word() {
    for (content, expected) in [
        ("<w join=\"right\">do</w> <w>n't</w><w>go</w>", "don't go"),
        ("<w>do</w>\n<w join=\"left\">n't</w>", "don't"),
        ("<w>l</w><pc join=\"both\">'</pc><w>eau</w>", "l'eau"),
        ("<w>do</w><w join=\"no\">n't</w>", "do n't"),
        (
            "<w part=\"I\">har</w><lb/><w part=\"F\">bour</w>",
            "harbour",
        ),
        (
            "<w part=\"I\">har</w>\n<pb/> <w part=\"M\">bo</w><w part=\"F\">ur</w><w>x</w>",
            "harbour x",
        ),
        ("<w part=\"I\">a</w><w>b</w><w part=\"F\">c</w>", "a b c"),
        (
            "<seg part=\"I\">har</seg><hi><seg part=\"F\">bour</seg></hi>",
            "harbour",
        ),
        (
            "<seg part=\"I\">the</seg> <seg part=\"F\">harbour</seg>",
            "the harbour",
        ),
        (
            "<w>un<hi>break</hi>able</w> un<hi>break</hi>able",
            "unbreakable unbreakable",
        ),
        ("un<seg>break</seg>able <w>un</w>able", "unbreakable unable"),
        (
            "<w>\n  <m>un</m>\n  <m>do</m>\n</w><w>New\n York</w>",
            "undo New York",
        ),
        (
            "<w><w>har</w><w>bour</w></w><w>har\n<lb/>bour</w>",
            "harbour harbour",
        ),
        ("a<lb/><w>b</w>", "a b"),
    ] {
        assert_eq!(corrected(content), expected, "{content}");
    }
    // Parts of a word in two sentences are in two units.
    assert_eq!(
        corrected("<s><w part=\"I\">har</w></s><s><w part=\"F\">bour</w></s>"),
        "har bour"
    );
}

#[test]
fn one_reading_is_text() {
    for (content, corrected, original) in [
        ("<subst><del>old</del><add>new</add></subst>", "new", "old"),
        (
            "colo<subst>\n<del>u</del>\n<add>r</add>\n</subst>ing",
            "coloring",
            "colouing",
        ),
        (
            "<subst><add>new</add><del>old</del></subst> x",
            "new x",
            "old x",
        ),
        (
            "the <del>old</del><add>new</add> one",
            "the new one",
            "the old one",
        ),
        (
            "the <add>new</add> <del>old</del> one",
            "the new one",
            "the old one",
        ),
        ("<del>a</del>b<add>c</add>", "abc", "abc"),
        (
            "a <del>lone deletion</del>",
            "a lone deletion",
            "a lone deletion",
        ),
        (
            "<choice><sic>teh</sic><corr>the</corr></choice>",
            "the",
            "teh",
        ),
        (
            "<choice><orig>a</orig><reg>b</reg><reg>c</reg></choice>",
            "b",
            "a",
        ),
        ("<choice><sic>alone</sic></choice>", "alone", "alone"),
        (
            "<choice><unclear>a</unclear><unclear>b</unclear></choice>",
            "a",
            "a",
        ),
        (
            "<choice><abbr>Dr<am>.</am></abbr><expan>D<ex>octo</ex>r</expan></choice>",
            "Doctor",
            "Dr.",
        ),
        ("<app><lem>a</lem><rdg>b</rdg><wit>W</wit></app>", "a", "a"),
        ("<app><rdg>b</rdg><lem>a</lem></app>", "a", "a"),
        (
            "<app><rdgGrp><rdg>b</rdg><rdg>c</rdg></rdgGrp><rdg>d</rdg></app>",
            "b",
            "b",
        ),
        (
            "<subst><del>a <subst><del>b</del><add>c</add></subst></del><add>d</add></subst>",
            "d",
            "a b",
        ),
        (
            "<w>co<subst><del>o</del><add>l</add></subst>d</w>",
            "cold",
            "cood",
        ),
    ] {
        assert_eq!(text(content, Reading::Corrected), corrected, "{content}");
        assert_eq!(text(content, Reading::Original), original, "{content}");
    }
}

#[test]
fn a_sentence_of_tokens_is_cut_from_tag_to_tag() {
    let file = "<TEI><text><p><s><w>a</w><w>b</w></s><s><w>c</w><pc>.</pc></s></p></text></TEI>";
    let bench = bench("a.xml", file.as_bytes(), &ReadOptions::default(), 50);
    assert_eq!(bench.texts(), ["a b c."]);
    assert_eq!(segments(&bench), ["a b c.", "a b", "c."]);
    let out = bench.write(&RewriteOptions::default(), &|_, _| Edit::Cut(vec![0..3]));
    assert_eq!(
        show(&out),
        show(b"<TEI><text><p><s><w>c</w><pc>.</pc></s></p></text></TEI>")
    );
}
