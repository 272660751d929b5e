//! Source text to paragraphs, without what is not running text.
//!
//! Dropped are YAML front matter, the header and footer of Project Gutenberg, HTML tags, carriage
//! returns and NUL. The usual entities are decoded. Blank lines part paragraphs; lines inside one
//! are joined, and white space runs become one space.

/// The paragraphs of a text, none of them empty.
pub fn paragraphs(text: &str) -> Vec<String> {
    let text: String = text
        .replace("\r\n", "\n")
        .chars()
        .filter(|c| *c != '\0')
        .map(line_end)
        .collect();
    let text = without_gutenberg_frame(without_front_matter(&text));
    let text = without_markup(text);
    let mut paragraphs = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            close(&mut open, &mut paragraphs);
        }
        for word in line.split_whitespace() {
            if !open.is_empty() {
                open.push(' ');
            }
            open.push_str(word);
        }
    }
    close(&mut open, &mut paragraphs);
    paragraphs
}

fn close(open: &mut String, paragraphs: &mut Vec<String>) {
    if !open.is_empty() {
        paragraphs.push(std::mem::take(open));
    }
}

/// All line and page separators are line ends.
fn line_end(c: char) -> char {
    match c {
        '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
        _ => c,
    }
}

fn without_front_matter(text: &str) -> &str {
    text.strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---"))
        .map_or(text, |(_, rest)| rest)
}

/// What stands between the lines that Project Gutenberg puts around its books.
fn without_gutenberg_frame(text: &str) -> &str {
    let begin = ["*** START OF TH", "***START OF TH"]
        .iter()
        .find_map(|mark| text.find(mark));
    let text = begin
        .and_then(|at| text[at..].split_once('\n'))
        .map_or(text, |(_, rest)| rest);
    let marks = [
        "*** END OF TH",
        "***END OF TH",
        "\nEnd of Project Gutenberg",
        "\nEnd of the Project Gutenberg",
    ];
    let end = marks.iter().filter_map(|mark| text.find(mark)).min();
    &text[..end.unwrap_or(text.len())]
}

/// The longest tag that is taken for one, in bytes.
const LONGEST_TAG: usize = 300;

const ENTITIES: [(&str, char); 7] = [
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&apos;", '\''),
    ("&nbsp;", ' '),
    ("&shy;", '\u{ad}'),
];

/// Removes tags, of which those of line breaks become line breaks, and decodes entities.
fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(length) = tag(rest) {
            if rest[1..length]
                .trim_end_matches(['>', '/', ' '])
                .eq_ignore_ascii_case("br")
            {
                out.push('\n');
            }
            rest = &rest[length..];
        } else if let Some((c, length)) = entity(rest) {
            out.push(c);
            rest = &rest[length..];
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

/// The length of the tag that the text begins with.
fn tag(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || "/!".contains(c)) {
        return None;
    }
    let end = inner
        .bytes()
        .take(LONGEST_TAG)
        .position(|b| matches!(b, b'<' | b'>'))?;
    (inner.as_bytes()[end] == b'>').then_some(end + 2)
}

/// The character and the length of the entity that the text begins with.
fn entity(text: &str) -> Option<(char, usize)> {
    if let Some((name, c)) = ENTITIES.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*c, name.len()));
    }
    let number = text.strip_prefix("&#")?;
    let end = number.bytes().take(8).position(|b| b == b';')?;
    let code = match number[..end].strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number[..end].parse(),
    };
    let c = char::from_u32(code.ok()?).filter(|c| *c != '\0')?;
    Some((line_end(c), end + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_part_paragraphs_and_lines_are_joined() {
        assert_eq!(
            paragraphs("one\r\n two\n\n \u{a0}\n\tthree  four\u{2028}five\n"),
            ["one two", "three four five"]
        );
        assert!(paragraphs(" \n\n").is_empty());
    }

    #[test]
    fn frames_tags_and_entities_go() {
        assert_eq!(paragraphs("---\ntitle: x\n---\nthe text"), ["the text"]);
        let book =
            "Produced by\n*** START OF THIS BOOK ***\nIt was\n*** END OF THIS BOOK ***\nlicence";
        assert_eq!(paragraphs(book), ["It was"]);
        assert_eq!(
            paragraphs("<p class=\"a\">1 < 2 &amp;&lt; 3<br/>&#228;&#x1F600; &bogus; <3"),
            ["1 < 2 &< 3 ä😀 &bogus; <3"]
        );
        assert_eq!(paragraphs("a < b > c <"), ["a < b > c <"]);
    }
}
