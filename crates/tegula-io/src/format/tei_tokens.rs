//! Tokens of a TEI document that stand side by side without white space: a space separates them,
//! unless they say that they are joined.
//!
//! `w`, `pc` and `c` are tokens, and `seg`, `cl` and `phr` hold them. Joined are tokens with `join`
//! on the side of the other, and parts of one word (`part` is `I`, then `M`, then `F`); both also
//! where white space or a line break stands between them, as that is layout. A punctuation mark
//! touches the token before it, with `pre="true"` the one after it, with `force="weak"` both.

/// How a side of a token joins its neighbour: any of these.
type Side = u8;
/// Without a space of its own.
const TOUCHES: Side = 1;
/// Without any white space.
const JOINED: Side = 2;
/// A part of a word, whose next part follows.
const WORD_PART: Side = 4;
/// A part of a segment, whose next part follows.
const PART: Side = 8;

/// The two sides of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    left: Side,
    right: Side,
    /// Whether all text inside it is one word, whatever the elements in it.
    pub(crate) is_word: bool,
}

/// What stands between two tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// A space.
    Space,
    /// What stands there in the file.
    AsWritten,
    /// Nothing.
    Nothing,
}

impl Token {
    /// The token that an element of this name is, before its attributes are known.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let (left, right, is_word) = match name {
            "w" => (0, 0, true),
            "pc" | "c" => (TOUCHES, 0, true),
            "seg" | "cl" | "phr" => (0, 0, false),
            _ => return None,
        };
        Some(Self {
            left,
            right,
            is_word,
        })
    }

    /// Considers an attribute of the element.
    pub(crate) fn attribute(&mut self, name: &str, value: &str) {
        let part = if self.is_word { WORD_PART } else { PART };
        match (name, value) {
            ("join", "left") => self.left |= JOINED,
            ("join", "right") => self.right |= JOINED,
            ("join", "both") => {
                self.left |= JOINED;
                self.right |= JOINED;
            }
            ("part", "I") => self.right |= part,
            ("part", "M") => {
                self.left |= part;
                self.right |= part;
            }
            ("part", "F") => self.left |= part,
            ("pre", "true" | "1") => {
                self.left &= !TOUCHES;
                self.right |= TOUCHES;
            }
            ("force", "weak") => {
                self.left |= TOUCHES;
                self.right |= TOUCHES;
            }
            _ => {}
        }
    }
}

/// The tokens around the place where the walk through a document is.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    /// The right side of the tokens that ended here, if no text has followed.
    before: Option<Side>,
    /// The left side of those that begin here.
    after: Option<Side>,
}

impl Neighbours {
    /// A token begins.
    pub(crate) fn open(&mut self, token: Token) {
        self.after = Some(self.after.unwrap_or_default() | token.left);
    }

    /// A token ends.
    pub(crate) fn close(&mut self, token: Token) {
        // Without text it is none.
        if self.after.take().is_none() {
            self.before = Some(self.before.unwrap_or_default() | token.right);
        }
    }

    /// Text follows: what stands before it, if it is between two tokens.
    pub(crate) fn text(&mut self) -> Option<Joint> {
        let (before, after) = (self.before.take(), self.after.take());
        let (before, after) = (before?, after?);
        Some(
            if before & after & WORD_PART > 0 || (before | after) & JOINED > 0 {
                Joint::Nothing
            } else if before & after & PART > 0 || (before | after) & TOUCHES > 0 {
                Joint::AsWritten
            } else {
                Joint::Space
            },
        )
    }
}
