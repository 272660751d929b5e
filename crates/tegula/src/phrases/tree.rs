//! The phrases that begin with one sequence: nodes of the tree of its continuations.
//!
//! All occurrences of the sequence form a group. A group is extended by the tokens that follow all
//! of its members, which gives the longest sequence with these occurrences; then it is divided by
//! the next token, and so on with its parts. A group whose members are all preceded by the same
//! token is not pursued, nor are its parts: what they share begins earlier. So a passage that was
//! copied is read from its beginning only, not from each of its tokens.

use super::wanted::Wanted;
use crate::context::{Context, Reservation, make_room};
use crate::engine::taped::Taped;
use crate::error::Result;
use crate::tape::TapeReader;

/// Tokens that are read from the tape at a time.
const AHEAD: usize = 8;

/// An occurrence.
#[derive(Clone, Copy)]
pub(super) struct Member {
    /// Where it begins on the tape.
    pub(super) place: u64,
    /// Its text.
    pub(super) unit: u32,
    /// The tokens from its beginning to the end of the text.
    rest: u32,
    /// The token before it; none at the beginning of a text.
    before: Option<u32>,
    /// Some of its tokens: a block of [`AHEAD`].
    ahead: [u32; AHEAD],
}

impl Member {
    /// A token of the current block, counted from the first of the occurrence; none after the end
    /// of the text.
    fn token(&self, at: u32) -> Option<u32> {
        (at < self.rest).then(|| self.ahead[at as usize % AHEAD])
    }
}

/// A phrase.
pub(super) struct Node<'a> {
    /// Its occurrences, in input order.
    pub(super) members: &'a [Member],
    /// Its tokens.
    pub(super) length: u32,
    /// The texts that have it.
    pub(super) texts: u32,
}

/// A thread's buffers.
pub(super) struct Tree<'a> {
    context: &'a Context,
    taped: &'a Taped,
    wanted: &'a Wanted,
    reader: TapeReader<'a>,
    members: Vec<Member>,
    /// Groups to pursue: their members, and the number of tokens that these are known to share.
    groups: Vec<(usize, usize, u32)>,
    tokens: Vec<u32>,
    held: Option<Reservation>,
}

impl<'a> Tree<'a> {
    /// Empty buffers.
    pub(super) fn new(context: &'a Context, taped: &'a Taped, wanted: &'a Wanted) -> Self {
        Self {
            context,
            taped,
            wanted,
            reader: taped.tape.reader(),
            members: Vec::new(),
            groups: Vec::new(),
            tokens: Vec::new(),
            held: None,
        }
    }

    /// Calls `f` with each phrase that begins at some of these positions: all those of one
    /// sequence, or of several.
    ///
    /// # Errors
    /// Of `f`, of the memory ceiling or scratch; or cancellation.
    pub(super) fn each(
        &mut self,
        positions: &[u32],
        f: &mut dyn FnMut(&Node) -> Result<()>,
    ) -> Result<()> {
        if positions.len() < self.wanted.min_occurrences as usize {
            return Ok(());
        }
        self.fill(positions)?;
        let most = self.wanted.max_tokens.unwrap_or(u32::MAX);
        self.groups.push((0, self.members.len(), 0));
        while let Some((from, to, known)) = self.groups.pop() {
            let group = &mut self.members[from..to];
            let texts = texts(group);
            if group.len() < self.wanted.min_occurrences as usize
                || texts < self.wanted.min_texts
                || !is_diverse(group)
            {
                continue;
            }
            self.context.check()?;
            let mut length = known;
            let length = loop {
                if length > 0 && (length as usize).is_multiple_of(AHEAD) {
                    for member in group.iter_mut() {
                        read_ahead(&mut self.reader, member, length, &mut self.tokens)?;
                    }
                }
                let next = group[0].token(length);
                if next.is_none() || group.iter().any(|member| member.token(length) != next) {
                    break length;
                }
                length += 1;
            };
            if length > most {
                continue;
            }
            if length >= self.wanted.min_tokens {
                f(&Node {
                    members: group,
                    length,
                    texts,
                })?;
            }
            group.sort_unstable_by_key(|member| (member.token(length), member.place));
            let mut at = from;
            for part in group.chunk_by(|a, b| a.token(length) == b.token(length)) {
                // Ends of texts are all different.
                if part.len() > 1 && part[0].token(length).is_some() {
                    self.groups.push((at, at + part.len(), length + 1));
                }
                at += part.len();
            }
        }
        Ok(())
    }

    /// Collects the occurrences at these positions, in input order.
    fn fill(&mut self, positions: &[u32]) -> Result<()> {
        self.members.clear();
        if positions.len() > self.members.capacity() {
            let what = "the occurrences of a sequence";
            let more = positions.len() - self.members.capacity();
            let bytes = (more * size_of::<Member>()) as u64;
            match &mut self.held {
                Some(held) => held.grow(bytes, what)?,
                none => *none = Some(self.context.budget.reserve(bytes, what)?),
            }
            make_room(&mut self.members, positions.len(), what)?;
        }
        for position in positions {
            let at = self.taped.at(*position);
            let text = self.taped.range(at.unit);
            let place = text.start + u64::from(at.token);
            let rest = (text.end - place) as u32;
            // Of shorter texts the whole is at a position.
            if rest < self.wanted.min_tokens {
                continue;
            }
            let mut member = Member {
                place,
                unit: at.unit,
                rest,
                before: None,
                ahead: [0; AHEAD],
            };
            if at.token > 0 {
                member.before = Some(self.reader.token(place - 1)?);
            }
            read_ahead(&mut self.reader, &mut member, 0, &mut self.tokens)?;
            self.members.push(member);
        }
        self.members.sort_unstable_by_key(|member| member.place);
        Ok(())
    }
}

/// Reads the block of a member's tokens that begins with this one.
fn read_ahead(
    reader: &mut TapeReader,
    member: &mut Member,
    from: u32,
    tokens: &mut Vec<u32>,
) -> Result<()> {
    let length = (member.rest.saturating_sub(from) as usize).min(AHEAD);
    let start = member.place + u64::from(from);
    tokens.clear();
    reader.extend(start..start + length as u64, tokens)?;
    member.ahead[..length].copy_from_slice(tokens);
    Ok(())
}

/// The number of texts with occurrences in input order.
fn texts(group: &[Member]) -> u32 {
    group.chunk_by(|a, b| a.unit == b.unit).count() as u32
}

/// Whether occurrences are preceded by different tokens, or begin texts.
fn is_diverse(group: &[Member]) -> bool {
    group
        .iter()
        .any(|member| member.before.is_none() || member.before != group[0].before)
}
