//! Messages that are more than their text.
//!
//! Two messages are compared only if they have the same attachments; and a reply of which too little
//! is left without quoted text, only with messages that are equal as a whole. The reader puts both
//! into a field of each message ([`ReadOptions::MAIL_APART`]), which is a constraint on pairs like
//! those of users: under any recipe and for any unit, in a run folder, and when a run is decided on
//! again.

use tegula::constraint::Constraints;
use tegula::field::{FieldKey, FieldNeed};
use tegula_io::collection::Collection;
use tegula_io::options::ReadOptions;

/// Adds the constraint, if a collection has mail.
pub fn keep_apart(collection: &mut Collection, constraints: &mut Constraints) {
    if collection.parts_mail() {
        collection.read_field(ReadOptions::MAIL_APART);
        if !is_kept_apart(constraints) {
            let own = FieldKey::whole(ReadOptions::MAIL_APART);
            constraints.within.push(own);
        }
    }
}

/// Whether there is the constraint.
pub(crate) fn is_kept_apart(constraints: &Constraints) -> bool {
    constraints.within.iter().any(is_own)
}

/// Removes the constraint, as of a run that is repeated on other inputs.
pub(crate) fn forget(constraints: &mut Constraints) {
    constraints.within.retain(|key| !is_own(key));
}

/// The fields that constraints of users need.
pub(crate) fn needed(constraints: &Constraints) -> impl Iterator<Item = FieldNeed> {
    let needed = constraints.needed_fields();
    // Each record has this one.
    needed.filter(|need| need.name != ReadOptions::MAIL_APART)
}

fn is_own(key: &FieldKey) -> bool {
    key.name == ReadOptions::MAIL_APART
}

/// Why messages with these values of the field are not compared, in words; none if they are.
pub fn why_apart(a: &str, b: &str) -> Option<&'static str> {
    fn attachments(value: &str) -> Option<&str> {
        value
            .split(' ')
            .find(|part| part.starts_with("attachments="))
    }
    match (attachments(a), attachments(b)) {
        _ if a == b => None,
        (own, other) if own != other => Some("their attachments differ"),
        _ => Some("too few words remain without quoted text, and the whole messages differ"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_told() {
        assert_eq!(why_apart("", ""), None);
        assert_eq!(why_apart("attachments=1", "attachments=1"), None);
        assert_eq!(
            why_apart("attachments=1", ""),
            Some("their attachments differ")
        );
        assert!(
            why_apart("attachments=1 reply=2", "attachments=1")
                .is_some_and(|why| why.contains("words"))
        );
    }
}
