//! Classes from the tags of taggers and treebanks.

use super::Class;

impl Class {
    /// The class of a tag, from its first letters: Universal Dependencies (`PROPN`), Penn (`NNS`),
    /// STTS (`VVFIN`), the Slovak National Corpus (`SSfs1`), or ICTCLAS and jieba (`nr`). Ambiguous
    /// tags are read in this order, so that `NN` is a noun and `NNfs1` a numeral; any other tag is
    /// [`Class::Other`].
    ///
    /// Auxiliary verbs count as connectives if the tag set distinguishes them, as they are in every
    /// text; so do articles.
    pub fn from_tag(tag: &str) -> Self {
        let tag = tag.trim();
        if tag.starts_with(|c: char| c.is_ascii_lowercase()) {
            return of_ictclas(tag);
        }
        // In `PIAT|*|…` and `N.Reg` details follow the main tag; not so in `PRP$`.
        let main = tag.split(['.', '|', ':', '-', '_']).next().unwrap_or(tag);
        if main.chars().all(|c| c.is_ascii_uppercase() || c == '$')
            && main.len() > 1
            && let Some(class) = universal(main).or_else(|| of_penn_or_stts(main))
        {
            return class;
        }
        of_slovak(tag)
    }
}

fn universal(tag: &str) -> Option<Class> {
    Some(match tag {
        "NOUN" | "PROPN" => Class::Noun,
        "VERB" => Class::Verb,
        "ADJ" => Class::Adjective,
        "ADV" => Class::Adverb,
        "PRON" => Class::Pronoun,
        "NUM" => Class::Numeral,
        "AUX" | "DET" | "ADP" | "CCONJ" | "SCONJ" | "CONJ" | "PART" | "PRT" => Class::Connective,
        "INTJ" | "PUNCT" | "SYM" => Class::Other,
        _ => return None,
    })
}

/// The first entry that is a prefix of the tag decides.
const PENN_AND_STTS: [(&str, Class); 45] = [
    // Both
    ("NN", Class::Noun),
    ("NE", Class::Noun),
    // STTS
    ("VA", Class::Connective),
    ("VM", Class::Connective),
    ("VV", Class::Verb),
    ("ADJ", Class::Adjective),
    ("ADV", Class::Adverb),
    ("PROAV", Class::Adverb),
    ("PAV", Class::Adverb),
    ("PWAV", Class::Adverb),
    ("PPER", Class::Pronoun),
    ("PPOS", Class::Pronoun),
    ("PD", Class::Pronoun),
    ("PI", Class::Pronoun),
    ("PREL", Class::Pronoun),
    ("PRF", Class::Pronoun),
    ("PW", Class::Pronoun),
    ("PTK", Class::Connective),
    ("CARD", Class::Numeral),
    ("KO", Class::Connective),
    ("AP", Class::Connective),
    ("ART", Class::Connective),
    ("ITJ", Class::Other),
    ("TRUNC", Class::Noun),
    ("FM", Class::Noun),
    ("XY", Class::Other),
    // Penn
    ("MD", Class::Connective),
    ("VB", Class::Verb),
    ("VH", Class::Connective),
    ("JJ", Class::Adjective),
    ("RB", Class::Adverb),
    ("WRB", Class::Adverb),
    ("RP", Class::Connective),
    ("PRP", Class::Pronoun),
    ("WP", Class::Pronoun),
    ("EX", Class::Pronoun),
    ("CD", Class::Numeral),
    ("CC", Class::Connective),
    ("DT", Class::Connective),
    ("IN", Class::Connective),
    ("TO", Class::Connective),
    ("PDT", Class::Connective),
    ("WDT", Class::Connective),
    ("UH", Class::Other),
    ("SYM", Class::Other),
];

fn of_penn_or_stts(tag: &str) -> Option<Class> {
    // The longest match: `PDT` is a Penn tag, `PDS` of STTS.
    let begins = PENN_AND_STTS
        .iter()
        .filter(|(prefix, _)| tag.starts_with(prefix));
    begins
        .max_by_key(|(prefix, _)| prefix.len())
        .map(|&(_, class)| class)
}

/// The Slovak National Corpus: the first letter is the part of speech.
fn of_slovak(tag: &str) -> Class {
    match tag.as_bytes().first() {
        // Including abbreviations and foreign words.
        Some(b'S' | b'W' | b'%') => Class::Noun,
        Some(b'V' | b'G') => Class::Verb,
        Some(b'A') => Class::Adjective,
        Some(b'D') => Class::Adverb,
        Some(b'P' | b'R') => Class::Pronoun,
        Some(b'N' | b'0') => Class::Numeral,
        Some(b'E' | b'O' | b'T' | b'Y') => Class::Connective,
        _ => Class::Other,
    }
}

/// ICTCLAS, as in jieba.
fn of_ictclas(tag: &str) -> Class {
    match tag {
        // Adverbial adjectives; nominal verbs and adjectives; Latin words.
        "ad" => return Class::Adverb,
        "vn" | "an" | "eng" => return Class::Noun,
        _ => {}
    }
    match tag.as_bytes().first() {
        // Nouns; idioms, phrases and abbreviations; places and times.
        Some(b'n' | b'i' | b'l' | b'j' | b's' | b't' | b'g') => Class::Noun,
        Some(b'v') => Class::Verb,
        Some(b'a' | b'b' | b'z') => Class::Adjective,
        Some(b'd') => Class::Adverb,
        Some(b'r') => Class::Pronoun,
        // Measure words belong to their numerals.
        Some(b'm' | b'q') => Class::Numeral,
        Some(b'c' | b'p' | b'u' | b'y' | b'f' | b'k' | b'h') => Class::Connective,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_five_sets_are_known() {
        for (class, tags) in [
            (
                Class::Noun,
                "NOUN PROPN NN NNS NNP NNPS NE SSfs1 SSis2:r n nr ns nz vn an l i j t",
            ),
            (
                Class::Verb,
                "VERB VB VBD VBZ VBG VVFIN VVINF VVPP VLescm+ VKepc+ Gtfs1x v vd",
            ),
            (Class::Adjective, "ADJ JJ JJR ADJA ADJD AAfs2x AFms1y a b z"),
            (Class::Adverb, "ADV RB RBR WRB PAV PROAV PWAV Dx Dz D d ad"),
            (
                Class::Pronoun,
                "PRON PRP PRP$ WP WP$ EX PPER PDS PIAT PIS PRELS PRF PWS PPOSAT PFms1 PD R r",
            ),
            (Class::Numeral, "NUM CD CARD NNfs1 NAip4 ND 0 m q mq"),
            (
                Class::Connective,
                "AUX DET ADP CCONJ SCONJ PART CC IN TO DT PDT WDT MD RP KON KOUS APPR APPRART ART PTKNEG VAFIN VMINF Eu2 O OY T Y c p u ul uj f",
            ),
            (
                Class::Other,
                "INTJ PUNCT SYM X . , $. $, UH ITJ XY Z ZIP J Q # x w e o",
            ),
        ] {
            for tag in tags.split(' ') {
                assert_eq!(Class::from_tag(tag), class, "{tag}");
            }
        }
        assert_eq!(Class::from_tag(""), Class::Other);
        assert_eq!(Class::from_tag("тег"), Class::Other);
    }
}
