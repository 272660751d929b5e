//! A template as it is read, from the aligned texts of a cluster: its constant text, what fills its
//! slots, and its expression.

use super::expression::Expression;
use super::{Piece, Template};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use tegula::templates;
use tegula::text::masks::Mask;
use tegula::text::normalise::Tokens;

/// A text of a cluster.
pub(super) struct Member {
    pub(super) unit: u32,
    /// Equal texts, itself included.
    pub(super) count: u32,
    pub(super) text: String,
    pub(super) tokens: Tokens,
}

impl Member {
    /// The text of some tokens, with single spaces and whole brackets.
    fn text(&self, tokens: Range<usize>) -> String {
        with_single_spaces(&self.text[self.whole(tokens)])
    }

    /// The bytes of some tokens, with whole brackets.
    fn whole(&self, tokens: Range<usize>) -> Range<usize> {
        match &self.tokens.spans[tokens] {
            [first, .., last] => with_brackets(&self.text, first.start..last.end),
            [only] => with_brackets(&self.text, only.clone()),
            [] => 0..0,
        }
    }
}

fn with_single_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Brackets that stand for a part of a text, such as `<EMAIL>`, or around it.
const BRACKETS: [(char, char); 5] = [('<', '>'), ('[', ']'), ('{', '}'), ('(', ')'), ('‹', '›')];

/// A range of a text, with brackets at its ends whose other half is in it, or which are both next to
/// it: tokens have no brackets.
fn with_brackets(text: &str, range: Range<usize>) -> Range<usize> {
    let mut whole = range.clone();
    let inside = &text[range.clone()];
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    for (open, close) in BRACKETS {
        let (is_opened, is_closed) = (before == Some(open), after == Some(close));
        let first = inside.find([open, close]);
        let last = inside.rfind([open, close]);
        let is_around = is_opened && is_closed && first.is_none();
        if is_around || is_opened && first.is_some_and(|at| inside[at..].starts_with(close)) {
            whole.start = range.start - open.len_utf8();
        }
        if is_around || is_closed && last.is_some_and(|at| inside[at..].starts_with(open)) {
            whole.end = range.end + close.len_utf8();
        }
    }
    whole
}

/// A template whose expression is still without the texts that equal others.
pub(super) struct Draft {
    template: templates::Template,
    pub(super) spelled: Template,
    expression: Expression,
    masked: Vec<MaskedPiece>,
}

/// A constant piece with masked parts, such as links: these may be others in other texts.
struct MaskedPiece {
    /// Which piece it is.
    at: usize,
    parts: Vec<(String, Option<Masked>)>,
}

/// A masked part: which constant token it is, and what stands for it.
#[derive(Clone, Copy)]
struct Masked {
    constant: usize,
    token: &'static str,
}

impl Draft {
    pub(super) fn new(template: templates::Template, all: &[Member]) -> Self {
        let (spelled, masked) = spelled(&template, all);
        let mut draft = Self {
            spelled,
            expression: Expression::new(&template),
            template,
            masked,
        };
        for member in 0..draft.template.members.len() {
            let Member { text, tokens, .. } = &all[draft.template.members[member]];
            draft.add(member, text, tokens);
        }
        draft
    }

    /// Adds a text with the tokens of a member.
    pub(super) fn add(&mut self, member: usize, text: &str, tokens: &Tokens) {
        self.expression
            .add(text, tokens, self.template.places(member));
    }

    /// The template, once all its texts are known.
    pub(super) fn finish(self) -> Template {
        let Self {
            mut spelled,
            expression,
            masked,
            ..
        } = self;
        let varies = |masked: &Masked| expression.varies(masked.constant);
        for piece in masked {
            if !(piece.parts.iter()).any(|(_, masked)| masked.as_ref().is_some_and(varies)) {
                continue;
            }
            let parts = piece.parts.iter().map(|(text, masked)| match masked {
                Some(masked) if varies(masked) => masked.token,
                _ => text.as_str(),
            });
            let text = with_single_spaces(&parts.collect::<String>());
            spelled.pieces[piece.at] = Piece::Constant(text);
        }
        Template {
            regex: expression.finish(),
            ..spelled
        }
    }
}

/// A template as it is read, without its expression, and its pieces with masked parts.
fn spelled(template: &templates::Template, all: &[Member]) -> (Template, Vec<MaskedPiece>) {
    let members: Vec<&Member> = template.members.iter().map(|at| &all[*at]).collect();
    let first = members[0];
    let mut slots: Vec<BTreeMap<String, u64>> = vec![BTreeMap::new(); template.slot_count()];
    for (at, member) in members.iter().enumerate() {
        let fillers = template.fillers(at, member.tokens.len() as u32);
        for (slot, range) in slots.iter_mut().zip(fillers) {
            let filler = member.text(range.start as usize..range.end as usize);
            *slot.entry(filler).or_default() += u64::from(member.count);
        }
    }
    let mut slots = slots.into_iter().map(|fillers| {
        let mut fillers: Vec<(String, u64)> = fillers.into_iter().collect();
        fillers.sort_by_key(|(_, texts)| Reverse(*texts));
        Piece::Slot(fillers)
    });
    let (mut pieces, mut masked) = (Vec::new(), Vec::new());
    let tokens: Vec<&str> = first.tokens.iter().collect();
    let runs = template.runs();
    for run in &runs {
        if template.slots[run.start] {
            pieces.extend(slots.next());
        }
        let place = |at: usize| template.constants[at] as usize;
        let places = place(run.start)..place(run.end - 1) + 1;
        let whole = first.whole(places.clone());
        let (mut parts, mut end) = (Vec::new(), whole.start);
        for constant in run.clone() {
            let own = tokens[place(constant)];
            let Some(mask) = Mask::ALL.iter().find(|mask| mask.token() == own) else {
                continue;
            };
            let span = &first.tokens.spans[place(constant)];
            let start = span.start.max(end);
            parts.push((first.text[end..start].to_owned(), None));
            end = span.end.max(start);
            let mark = Masked {
                constant,
                token: mask.token(),
            };
            parts.push((first.text[start..end].to_owned(), Some(mark)));
        }
        if !parts.is_empty() {
            parts.push((first.text[end..whole.end.max(end)].to_owned(), None));
            masked.push(MaskedPiece {
                at: pieces.len(),
                parts,
            });
        }
        pieces.push(Piece::Constant(first.text(places)));
    }
    pieces.extend(slots.next());
    let spelled = Template {
        pieces,
        tokens: template.constants.len() as u32,
        units: members.iter().map(|member| member.unit).collect(),
        texts: members.iter().map(|member| u64::from(member.count)).sum(),
        regex: None,
    };
    (spelled, masked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bracket_is_torn_off() {
        let text = "to <EMAIL>, <DECIMAL> min (or more) [a";
        let of = |part: &str| {
            let start = text.find(part).unwrap();
            &text[with_brackets(text, start..start + part.len())]
        };
        assert_eq!(of("EMAIL"), "<EMAIL>");
        assert_eq!(of("to <EMAIL"), "to <EMAIL>");
        assert_eq!(of("DECIMAL> min"), "<DECIMAL> min");
        assert_eq!(of("EMAIL>, <DECIMAL"), "<EMAIL>, <DECIMAL>");
        assert_eq!(of("or more"), "(or more)");
        // A part of what is in brackets has none.
        assert_eq!((of("or"), of("more"), of("a")), ("or", "more", "a"));
    }
}
