//! Rich Text Format 1.9: `.rtf`.

use super::Document;
use super::paragraphs::Paragraphs;
use encoding_rs::{Encoding, WINDOWS_1252};
use std::collections::HashMap;
use tegula::error::{Error, ErrorKind, Result};

/// Where the text of a group belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Text,
    Notes,
    Title,
    Author,
    /// Of what is about the document: nothing, but for its title and author.
    About,
    Fonts,
    Nothing,
}

/// What holds within a group.
#[derive(Clone, Copy)]
struct Group {
    target: Target,
    is_hidden: bool,
    encoding: &'static Encoding,
    /// How many characters stand for one in Unicode, for programs that do not know it.
    substitutes: usize,
}

/// A control word or symbol, or a piece of text.
enum Token<'a> {
    Open,
    Close,
    Word(&'a str, Option<i32>),
    Symbol(u8),
    Byte(u8),
}

/// Cuts a file into tokens.
struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        match first {
            b'{' => Some(Token::Open),
            b'}' => Some(Token::Close),
            b'\r' | b'\n' | 0 => self.next_line(),
            b'\\' => Some(self.control()),
            byte => Some(Token::Byte(byte)),
        }
    }
}

impl<'a> Tokens<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Line ends of the file are no text.
    fn next_line(&mut self) -> Option<Token<'a>> {
        let skipped = self
            .rest
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n' | 0))
            .count();
        self.rest = &self.rest[skipped..];
        self.next()
    }

    fn control(&mut self) -> Token<'a> {
        let length = self
            .rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        if length == 0 {
            let Some((&symbol, rest)) = self.rest.split_first() else {
                return Token::Symbol(b' ');
            };
            self.rest = rest;
            if symbol == b'\'' {
                let digits = rest
                    .get(..2)
                    .and_then(|digits| std::str::from_utf8(digits).ok());
                if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    self.rest = &rest[2..];
                    return Token::Byte(byte);
                }
            }
            return Token::Symbol(symbol);
        }
        let (word, rest) = self.rest.split_at(length);
        let minus = usize::from(rest.first() == Some(&b'-'));
        let digits = rest[minus..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let end = if digits == 0 { 0 } else { minus + digits };
        let number = std::str::from_utf8(&rest[..end])
            .ok()
            .and_then(|text| text.parse().ok());
        let rest = &rest[end..];
        self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let word = std::str::from_utf8(word).unwrap_or_default();
        if word == "bin" {
            let skipped = usize::try_from(number.unwrap_or(0)).unwrap_or(0);
            self.rest = self.rest.get(skipped..).unwrap_or_default();
        }
        Token::Word(word, number)
    }
}

/// The text of a file, then its notes.
///
/// # Errors
/// If it is no rich text, or ends too early.
pub(super) fn read(bytes: &[u8]) -> Result<Document> {
    let bytes = bytes.trim_ascii_start();
    if !bytes.starts_with(b"{\\rtf") {
        return Err(ErrorKind::Data
            .expected("rich text")
            .found("a file that begins otherwise"));
    }
    let mut reader = Reader::default();
    for token in Tokens::new(bytes) {
        match token {
            Token::Open => reader.open(),
            Token::Close => {
                if reader.close() {
                    return Ok(reader.finish());
                }
            }
            Token::Symbol(symbol) => reader.symbol(symbol),
            Token::Word(word, number) => reader.word(word, number),
            Token::Byte(byte) => reader.byte(byte),
        }
    }
    Err(Error::data("the document ends too early").hint("copy it again"))
}

struct Reader {
    groups: Vec<Group>,
    group: Group,
    /// The encodings of fonts.
    fonts: HashMap<i32, &'static Encoding>,
    /// The font that the table describes.
    font: i32,
    /// Bytes to be decoded: a character may have two.
    bytes: Vec<u8>,
    /// The first half of a character in UTF-16.
    half: Option<u16>,
    /// Whether the next word is for programs that know it.
    is_starred: bool,
    /// Characters to be left out, as they stand for one that was read.
    skipped: usize,
    text: Paragraphs,
    notes: Paragraphs,
    title: String,
    author: String,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
            group: Group {
                target: Target::Text,
                is_hidden: false,
                encoding: WINDOWS_1252,
                substitutes: 1,
            },
            fonts: HashMap::new(),
            font: 0,
            bytes: Vec::new(),
            half: None,
            is_starred: false,
            skipped: 0,
            text: Paragraphs::default(),
            notes: Paragraphs::default(),
            title: String::new(),
            author: String::new(),
        }
    }
}

impl Reader {
    fn open(&mut self) {
        self.decode();
        self.skipped = 0;
        self.groups.push(self.group);
    }

    /// Ends a group; returns whether it was the last.
    fn close(&mut self) -> bool {
        self.decode();
        self.skipped = 0;
        if let Some(group) = self.groups.pop() {
            if self.group.target == Target::Notes && group.target != Target::Notes {
                self.notes.end();
            }
            self.group = group;
        }
        self.groups.is_empty()
    }

    fn byte(&mut self, byte: u8) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else {
            self.bytes.push(byte);
        }
    }

    /// Writes the bytes that were collected.
    fn decode(&mut self) {
        if !self.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.bytes);
            let text = self.group.encoding.decode_without_bom_handling(&bytes).0;
            self.write(&text);
            self.bytes = bytes;
            self.bytes.clear();
        }
    }

    fn write(&mut self, text: &str) {
        if self.group.is_hidden {
            return;
        }
        match self.group.target {
            Target::Text => self.text.push(text),
            Target::Notes => self.notes.push(text),
            Target::Title => self.title.push_str(text),
            Target::Author => self.author.push_str(text),
            Target::About | Target::Fonts | Target::Nothing => {}
        }
    }

    fn end_paragraph(&mut self) {
        match self.group.target {
            Target::Text => self.text.end(),
            Target::Notes => self.notes.end(),
            _ => {}
        }
    }

    fn symbol(&mut self, symbol: u8) {
        self.decode();
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match symbol {
            b'{' | b'}' | b'\\' => self.byte(symbol),
            b'~' => self.write("\u{a0}"),
            b'_' => self.write("\u{2011}"),
            b'\r' | b'\n' => self.end_paragraph(),
            b'*' => self.is_starred = true,
            _ => {}
        }
    }

    fn word(&mut self, word: &str, number: Option<i32>) {
        self.decode();
        if word == "u" {
            // Numbers above 32767 are written as negative ones.
            self.unicode(number.unwrap_or(0) as u16);
            self.skipped = self.group.substitutes;
            return;
        }
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        if std::mem::take(&mut self.is_starred) && word != "footnote" {
            self.group.target = Target::Nothing;
            return;
        }
        let is_on = number != Some(0);
        match word {
            "par" | "row" | "cell" | "nestcell" | "sect" | "page" => self.end_paragraph(),
            "line" => self.write("\n"),
            "tab" => self.write("\t"),
            "emdash" => self.write("—"),
            "endash" => self.write("–"),
            "lquote" => self.write("‘"),
            "rquote" => self.write("’"),
            "ldblquote" => self.write("“"),
            "rdblquote" => self.write("”"),
            "bullet" => self.write("•"),
            "emspace" | "enspace" | "qmspace" => self.write(" "),
            "v" | "deleted" => self.group.is_hidden = is_on,
            "plain" => self.group.is_hidden = false,
            "uc" => self.group.substitutes = usize::try_from(number.unwrap_or(1)).unwrap_or(1),
            "ansicpg" => self.group.encoding = of_codepage(number.unwrap_or(0)),
            "mac" => self.group.encoding = encoding_rs::MACINTOSH,
            "f" if self.group.target == Target::Fonts => self.font = number.unwrap_or(0),
            "fcharset" => {
                if let Some(encoding) = of_charset(number.unwrap_or(0)) {
                    self.fonts.insert(self.font, encoding);
                }
            }
            "f" => {
                if let Some(encoding) = self.fonts.get(&number.unwrap_or(0)) {
                    self.group.encoding = encoding;
                }
            }
            _ => self.destination(word),
        }
    }

    /// Words that say what the text of their group is.
    fn destination(&mut self, word: &str) {
        if self.group.target == Target::Nothing {
            return;
        }
        self.group.target = match word {
            "footnote" => Target::Notes,
            "fonttbl" => Target::Fonts,
            "info" => Target::About,
            "title" if self.is_about(&self.title) => Target::Title,
            "author" if self.is_about(&self.author) => Target::Author,
            "colortbl" | "stylesheet" | "pict" | "object" | "header" | "headerl" | "headerr"
            | "headerf" | "footer" | "footerl" | "footerr" | "footerf" | "annotation"
            | "fldinst" | "filetbl" | "listtext" | "pntext" | "xe" | "tc" => Target::Nothing,
            _ => return,
        };
    }

    /// Whether this is about the document, and not yet known.
    fn is_about(&self, known: &str) -> bool {
        self.group.target == Target::About && known.is_empty()
    }

    fn unicode(&mut self, unit: u16) {
        let pair = self.half.take().into_iter().chain([unit]);
        for char in char::decode_utf16(pair) {
            match char {
                Ok(char) => self.write(char.encode_utf8(&mut [0; 4])),
                Err(_) => self.half = (0xd800..0xdc00).contains(&unit).then_some(unit),
            }
        }
    }

    fn finish(mut self) -> Document {
        self.text.end();
        self.text.push(&self.notes.finish());
        let told = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Document {
            text: self.text.finish(),
            title: told(self.title),
            author: told(self.author),
            date: None,
        }
    }
}

/// The encoding of a code page of Windows.
fn of_codepage(number: i32) -> &'static Encoding {
    let label = match number {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10000 => "macintosh".to_owned(),
        65001 => "utf-8".to_owned(),
        number => format!("windows-{number}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252)
}

/// The encoding of a font's character set; none for those that are the document's.
fn of_charset(number: i32) -> Option<&'static Encoding> {
    let codepage = match number {
        0 => 1252,
        77 => 10000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    Some(of_codepage(codepage))
}
