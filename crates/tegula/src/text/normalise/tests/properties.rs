//! Properties that hold for all texts, and any steps of normalisation.

use super::*;
use proptest::prelude::*;

fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "B",
        "Der",
        "und",
        "für",
        "1",
        "42",
        "²",
        "_",
        " ",
        "\n",
        "\r\n",
        "-",
        ".",
        "ß",
        "Ö",
        "o\u{308}",
        "\u{301}",
        "\u{323}",
        "é",
        "東",
        "か",
        "\u{3099}",
        "ก",
        "\u{e49}",
        "👍",
        "🏽",
        "\u{200D}",
        "\u{FE0F}",
        "❤",
        "🇩",
        "©",
        "\u{20E3}",
        "Ж",
        "щ",
        "Й",
        "Σ",
        "K",
        "Ⅳ",
        "½",
        "ﬁ",
        "“",
        "…",
        "<b>",
        "</b",
        ">",
        "&amp;",
        "&ouml;",
        "<!--",
        "-->",
        "\0",
        "𠀀",
        "𐐀",
        "ᄀ",
        "ᅡ",
        "가",
        "\u{E0067}",
        "\u{85}",
        "\u{A0}",
        "ǅ",
        "\u{378}",
        "\u{200B}",
        "а",
        "РАУ",
        "ᴀ",
        "🅰",
        "一二三",
        "٣",
        "❹",
        "1 2 3 4 5",
        "13800138000",
        "f.r.e.e",
        "v1agra",
        "ca$h",
        "sooo",
        "$",
        "@",
        "www.x.de",
        "a@b.com",
        "@Der",
        "‹url›",
        "‹",
        "›",
        "北京大学",
        "häuser",
    ]);
    prop_oneof![
        3 => prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

fn steps() -> impl Strategy<Value = Normalisation> {
    let boundaries = prop::sample::select(vec![
        Boundaries::Words,
        Boundaries::Alphanumeric,
        Boundaries::Lines,
        Boundaries::Characters,
        Boundaries::Letters,
        Boundaries::Sentences,
        #[cfg(feature = "chinese")]
        Boundaries::Chinese,
    ]);
    let rewriting = (
        prop_oneof![Just(Markup::Keep), Just(Markup::Remove)],
        prop_oneof![Just(Hyphens::Keep), Just(Hyphens::Join)],
        prop_oneof![Just(Invisible::Keep), Just(Invisible::Remove)],
        prop_oneof![Just(Form::None), Just(Form::Nfc), Just(Form::Nfkc)],
        prop_oneof![Just(Confusables::Keep), Just(Confusables::Fold)],
        (
            prop_oneof![Just(Numerals::Keep), Just(Numerals::Ascii)],
            prop_oneof![Just(Timestamps::Keep), Just(Timestamps::Remove)],
            prop_oneof![Just(Spacing::Keep), Just(Spacing::Join)],
            prop_oneof![Just(Signs::Keep), Just(Signs::Letters)],
            prop_oneof![Just(Repeats::Keep), Just(Repeats::Two), Just(Repeats::One)],
        ),
        prop_oneof![
            Just(Masks::NONE),
            Just(Masks::all()),
            Just(Masks::new(vec![Mask::Phone]))
        ],
    );
    let tokenising = (
        (
            boundaries,
            prop_oneof![Just(Dense::Once), Just(Dense::Twice)],
        ),
        prop_oneof![Just(Digits::Keep), Just(Digits::Drop), Just(Digits::Number)],
        prop_oneof![
            Just(StopWords::None),
            Just(StopWords::Language("de".to_owned()))
        ],
        prop_oneof![Just(Case::Keep), Just(Case::Lower), Just(Case::Upper)],
        prop_oneof![Just(Stem::None), Just(Stem::Language("de".to_owned()))],
        prop_oneof![Just(NonAscii::Keep), Just(NonAscii::Delete)],
    );
    (rewriting, tokenising).prop_map(
        |(rewriting, ((boundaries, dense), digits, stop_words, case, stem, non_ascii))| {
            let (markup, hyphens, invisible, form, confusables, disguises, masks) = rewriting;
            let (numerals, timestamps, spacing, signs, repeats) = disguises;
            // Incompatible steps are refused: words of several letters among characters, stems of
            // capitals.
            let words = boundaries != Boundaries::Lines && !boundaries.are_characters();
            Normalisation {
                markup,
                hyphens,
                invisible,
                form,
                confusables,
                numerals,
                timestamps,
                spacing,
                signs,
                repeats,
                masks,
                boundaries,
                dense: if boundaries.are_characters() {
                    dense
                } else {
                    Dense::Once
                },
                digits,
                stop_words: if boundaries.are_characters() {
                    StopWords::None
                } else {
                    stop_words
                },
                keep_words: Vec::new(),
                case,
                stem: if words && case == Case::Lower {
                    stem
                } else {
                    Stem::None
                },
                non_ascii,
            }
        },
    )
}

fn streamed(normaliser: &Normaliser, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    normaliser.for_each(text, |token| out.push(token.to_owned()));
    out
}

/// The share of distinct sequences of `n` that two lists have in common, over all.
fn resemblance(n: usize, a: &[String], b: &[String]) -> (usize, usize) {
    let set = |list: &[String]| -> std::collections::BTreeSet<Vec<String>> {
        list.windows(n).map(<[String]>::to_vec).collect()
    };
    let (a, b) = (set(a), set(b));
    (a.intersection(&b).count(), a.union(&b).count())
}

proptest! {
    #[test]
    fn three_tokens_of_a_dense_text_are_pairs_of_characters(
        a in "[新增例病a1 ]{2,12}新增",
        b in "[新增例病a1 ]{2,12}新增",
    ) {
        let of = |dense, text: &str| {
            let steps = Normalisation { boundaries: Boundaries::Characters, dense, ..Normalisation::default() };
            let mut tokens = Tokens::default();
            let normaliser = Normaliser::new(&steps).unwrap();
            normaliser.tokens(text, &mut tokens);
            let all: Vec<String> = tokens.iter().map(str::to_owned).collect();
            let mut each = Vec::new();
            normaliser.for_each(text, |token| each.push(token.to_owned()));
            assert_eq!(all, each);
            all
        };
        let is_dense = |text: &str| crate::text::dense::is_dense_text(text);
        prop_assume!(is_dense(&a) && is_dense(&b));
        let pairs = resemblance(2, &of(Dense::Once, &a), &of(Dense::Once, &b));
        let triples = resemblance(3, &of(Dense::Twice, &a), &of(Dense::Twice, &b));
        prop_assert_eq!((2 * pairs.0, 2 * pairs.1), triples);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn for_each_equals_tokens_without_digits(text in texts()) {
        let plain = normaliser("plain");
        let mut tokens = Tokens::default();
        plain.tokens(&text, &mut tokens);
        prop_assert_eq!(streamed(&plain, &text), tokens.iter().map(str::to_owned).collect::<Vec<_>>());
    }

    #[test]
    fn for_each_equals_tokens_of_characters(text in texts(), form in prop_oneof![Just(Form::Nfc), Just(Form::None)]) {
        for boundaries in [Boundaries::Characters, Boundaries::Letters] {
            let steps = Normalisation { form, boundaries, ..Normalisation::default() };
            let characters = Normaliser::new(&steps).unwrap();
            prop_assert_eq!(streamed(&characters, &text), collected(&characters, &text));
        }
    }

    #[test]
    fn gaps_are_between_words_whatever_separates_them(text in texts()) {
        let letters = Normalisation { boundaries: Boundaries::Letters, ..Normalisation::default() };
        let spelled = collected(&Normaliser::new(&letters).unwrap(), &text).concat();
        prop_assert!(!spelled.starts_with('_') && !spelled.ends_with('_') && !spelled.contains("__"));
        // Words are separated by gaps, or not at all where scripts have no spaces.
        let words = collected(&Normaliser::new(&Normalisation::default()).unwrap(), &text);
        prop_assert_eq!(spelled.replace('_', ""), words.concat().replace('_', ""));
    }

    #[test]
    fn for_each_equals_tokens(text in texts(), steps in steps()) {
        let default = normaliser("default");
        prop_assert_eq!(streamed(&default, &text), collected(&default, &text));
        let any = Normaliser::new(&steps).unwrap();
        prop_assert_eq!(streamed(&any, &text), collected(&any, &text));
    }

    #[test]
    fn masks_are_inside_one_sentence(steps in steps()) {
        let steps = Normalisation { masks: Masks::all(), boundaries: Boundaries::Sentences, ..steps };
        let found = tokens(&Normaliser::new(&steps).unwrap(), "a?@\u{10860} b.");
        for pair in found.spans.windows(2) {
            prop_assert!(pair[0].end <= pair[1].start, "{:?}", found.spans);
        }
    }

    #[test]
    fn spans_ascend_inside_the_text(text in texts(), steps in steps()) {
        let tokens = tokens(&Normaliser::new(&steps).unwrap(), &text);
        prop_assert_eq!(tokens.spans.len(), tokens.len());
        let mut last = 0..0;
        for (span, token) in tokens.spans.iter().zip(tokens.iter()) {
            prop_assert!(!token.is_empty());
            prop_assert!(text.get(span.clone()).is_some_and(|source| !source.is_empty()));
            prop_assert!(last.start <= span.start && last.end <= span.end);
            if steps.form == Form::None {
                let is_again = token.ends_with(crate::text::dense::AGAIN) && last == *span;
                prop_assert!(is_again || last.end <= span.start);
            }
            last = span.clone();
        }
    }

    #[test]
    fn tokens_are_their_own_tokens(text in texts(), preset in prop::sample::select(vec!["default", "plain"])) {
        let once = listed(preset, &text);
        prop_assert_eq!(listed(preset, &once.join(" ")), once);
    }

    #[test]
    fn composed_and_decomposed_texts_are_equal(text in texts()) {
        let composed: String = text.nfc().collect();
        let decomposed: String = text.nfd().collect();
        prop_assert_eq!(listed("default", &composed), listed("default", &decomposed));
        prop_assert_eq!(listed("default", &composed), listed("default", &text));
    }

    #[test]
    fn presets_for_messages_stream_what_they_define(text in texts(), preset in prop::sample::select(vec!["messages", "message-words"])) {
        let steps = Normalisation::preset(preset).unwrap();
        for steps in [steps.unmasked(), steps] {
            let normaliser = Normaliser::new(&steps).unwrap();
            prop_assert_eq!(streamed(&normaliser, &text), collected(&normaliser, &text));
        }
    }

    #[test]
    fn kupietz_has_its_alphabet(text in texts()) {
        for token in listed("kupietz", &text) {
            prop_assert!(token == NUMBER_TOKEN || token.bytes().all(|byte| byte.is_ascii_uppercase()), "{}", token);
        }
    }
}
