//! Tokens, units and dates of any text.

use crate::rules::{self, Rule};
use std::ops::Range;
use tegula::date::{DateFormat, Reading};
use tegula::hash;
use tegula::record::{Level, Segment};
use tegula::text::fingerprints::fingerprints;
use tegula::text::normalise::{Normalisation, Normaliser, Tokens};
use tegula::text::segment::{Part, parts};
use tegula::text::words::Words;

pub(super) const SEEDS: &[&str] = &[
    "0Die Wochenzeitung, 1. Jahrgang (1995): „Über-Ich“ & Es.\n\nZweiter Absatz – mit 3,5 % und §§ 7a. Noch ein Satz!\r\n  \r\nDritter?",
    "1<p>K\u{f6}ln &amp; K\u{f6}ln: <b>fett</b> B2B 19.30 Uhr</p>",
    "2e\u{301}A\u{30a}x\u{301}y \u{1e9b}\u{323} \u{fb01}n ½ ①Ⓐ ²₃",
    "3\u{130}I\u{131}i ΟΔΟΣ ǅ ß ẞ K J\u{30c}",
    "0日本語が、東京。ไทย ໑ မြန်မာ 한국어 ｶﾞ 〇三 \u{20000}",
    "1👍🏽!👩\u{200d}🚀🇩🇪🇸🇰🇩☺☺\u{fe0f}1\u{fe0f}\u{20e3}©✔\u{fe0f}a❤️\u{200d}🔥🏴\u{e0067}\u{e007f}",
    "2a_b _ __ a\u{ad}b a\u{200b}b a\u{a0}b\u{2028}c\u{85}d",
    "3line one\nline two\n\n\nU.S. Dr. Smith said: \"No.\" Then (why?) he left... ",
];

pub(super) const DATES: &[&str] = &[
    "auto\n26-FEB-1987 15:01\nSat, 13 Jul 2024 15:09:59 -0400\nJanuary 2, 2021\n2 January 2021\n1st of May 1999 at 4 p.m.",
    "%d.%m.%Y\n26.02.1987\n03/04/2019\n2019\n20190304T050607Z\n2019-03-04T05:06:07.89+02:00[Europe/Bratislava]\n1989-02",
    "%s\n1700000000\n-1\n99999999999999\n2021-W05-3\n31.12.9999 23:59:59 -2359",
    "%b %e, %Y %I:%M %p %z\nFeb 3, 2001 11:59 PM +0100\n12. m\u{e1}ja 2020\n\u{130}un 2001\n1 J\u{e4}nner 2001",
    "%Y-%j\n2024-366\n%G-W%V\n0000-00-00\n+002024-01-01\n9999-12-31T23:59:60Z",
];

/// A preset by the first byte, and the rest as text.
fn text_of(data: &[u8]) -> (usize, String) {
    let (first, rest) = data.split_first().unwrap_or((&0, &[]));
    (
        usize::from(*first) % Normalisation::PRESETS.len(),
        String::from_utf8_lossy(rest).into_owned(),
    )
}

/// The fast paths give what the definition of tokens gives, under every preset; spans lie in the
/// text and never go back.
///
/// # Panics
/// When that is not so.
pub fn tokens(data: &[u8]) {
    let (preset, text) = text_of(data);
    let (name, _) = Normalisation::PRESETS[preset];
    let normaliser = match Normalisation::preset(name).and_then(|steps| Normaliser::new(&steps)) {
        Ok(normaliser) => normaliser,
        Err(error) => panic!("{error}"),
    };
    let mut defined = Tokens::default();
    normaliser.tokens(&text, &mut defined);
    assert_eq!(defined.len(), defined.spans.len());
    assert!(
        defined.iter().all(|token| !token.is_empty()),
        "an empty token"
    );
    let mut last = 0..0;
    for span in &defined.spans {
        assert!(
            text.get(span.clone())
                .is_some_and(|source| !source.is_empty()),
            "a span that is no text: {span:?}"
        );
        assert!(
            span.start >= last.start && span.end >= last.end,
            "{span:?} after {last:?}"
        );
        last = span.clone();
    }
    let mut fast = Vec::new();
    normaliser.for_each(&text, |token| fast.push(token.to_owned()));
    assert!(
        defined.iter().eq(fast.iter().map(String::as_str)),
        "for_each gives {fast:?}"
    );
    let mut hashes = Vec::new();
    let count = fingerprints(&normaliser, &mut Words::default(), &text, &mut hashes);
    assert_eq!(count, defined.len());
    if count > 0 {
        assert!(
            hashes
                .iter()
                .copied()
                .eq(defined.iter().map(|token| hash::token(token.as_bytes()))),
            "fingerprints of other tokens"
        );
    } else {
        assert_eq!(hashes.len(), 1, "one fingerprint for a text without tokens");
    }
    if normaliser.is_default() {
        let words = rules::words(&text, &Rule::ALL);
        assert!(
            defined.iter().eq(words.iter().map(String::as_str)),
            "by another hand: {words:?}"
        );
    }
}

/// Units lie in the text, in order, apart from each other, each in its cut; sentences lie in
/// paragraphs.
///
/// # Panics
/// When that is not so.
pub fn segment(data: &[u8]) {
    let (marked, text) = text_of(data);
    // With an odd first byte the format marks every line as a paragraph.
    let mut segments = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n').filter(|_| marked % 2 == 1) {
        segments.push(Segment {
            level: Level::Paragraph,
            text: at..at + line.len(),
            id: None,
        });
        at += line.len();
    }
    let units = |level| {
        let mut units = Vec::new();
        parts(&text, &segments, level, false, &mut units);
        units
    };
    assert_eq!(
        units(Level::Document),
        [Part {
            text: 0..text.len(),
            cut: 0..text.len()
        }]
    );
    let paragraphs = units(Level::Paragraph);
    let sentences = units(Level::Sentence);
    for units in [&paragraphs, &sentences] {
        let mut end = 0;
        for part in units {
            assert!(
                within(&part.text, &part.cut) && part.cut.start >= end,
                "{part:?}"
            );
            end = part.cut.end;
            assert!(
                text.get(part.cut.clone()).is_some(),
                "{part:?} parts a character"
            );
            assert!(
                text.get(part.text.clone())
                    .is_some_and(|text| !text.trim().is_empty()),
                "{part:?} is blank"
            );
        }
    }
    for sentence in &sentences {
        assert!(
            paragraphs
                .iter()
                .any(|paragraph| within(&sentence.text, &paragraph.text)),
            "{sentence:?} in no paragraph"
        );
    }
    let seen = |units: &[Part]| {
        units
            .iter()
            .flat_map(|part| text[part.text.clone()].chars())
            .filter(|c| !c.is_whitespace())
            .count()
    };
    let all = text.chars().filter(|c| !c.is_whitespace()).count();
    assert_eq!(
        [seen(&paragraphs), seen(&sentences)],
        [all; 2],
        "some of the text is in no unit"
    );
}

fn within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// A value that is read as a date in one of the known forms names a day that reads the same when
/// printed; a format that is accepted reads what it writes. Days follow each other as their dates
/// do.
///
/// # Panics
/// When that is not so.
pub fn dates(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let given = first.parse::<DateFormat>();
    if let Err(error) = &given {
        assert!(!error.message().is_empty());
    }
    let known = DateFormat::default();
    let formats = [Some(&known), given.as_ref().ok()];
    let mut last = None;
    for (value, format) in lines.flat_map(|line| {
        formats
            .into_iter()
            .flatten()
            .map(move |format| (line, format))
    }) {
        let Reading::Date(moment) = format.read(value) else {
            continue;
        };
        let again = known.read(&moment.date());
        let Some(day) = again.moment() else {
            panic!("{value:?} is {}, which is read as {again:?}", moment.date())
        };
        assert_eq!(
            (day.date(), day.day()),
            (moment.date(), moment.day()),
            "{value:?}"
        );
        assert_eq!(
            format.read(&format!("  {value}\t")),
            Reading::Date(moment),
            "{value:?} between blanks"
        );
        if let Some(last) = last.replace(day) {
            assert_eq!(
                last.cmp(&day),
                last.day().cmp(&day.day()),
                "{} and {}",
                last.date(),
                day.date()
            );
        }
    }
}
