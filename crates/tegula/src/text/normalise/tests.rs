use super::*;
use crate::text::masks::Mask;
use crate::text::timestamps::Timestamps;
use crate::text::words::Fast;
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

fn normaliser(preset: &str) -> Normaliser {
    Normaliser::new(&Normalisation::preset(preset).unwrap()).unwrap()
}

fn tokens(normaliser: &Normaliser, text: &str) -> Tokens {
    let mut tokens = Tokens::default();
    normaliser.tokens(text, &mut tokens);
    tokens
}

fn listed(preset: &str, text: &str) -> Vec<String> {
    collected(&normaliser(preset), text)
}

fn collected(normaliser: &Normaliser, text: &str) -> Vec<String> {
    let tokens = tokens(normaliser, text);
    tokens.iter().map(str::to_owned).collect()
}

const A: &str = "Dieter Rulff ist freier Journalist in Berlin. Nach langen Jahren bei der taz war er zuletzt leitender \
    Redakteur der Wochenzeitung „Die Woche“. Sein Interesse gilt seit langem der Entwicklung der deutschen Innen- und \
    Parteipolitik.";
const B: &str = "Dieter Rulff ist freier Journalist in Berlin. Nach vielen Jahren bei der taz war er zuletzt leitender \
    Redakteur der Zeitung „Die Woche“. Sein Interesse gilt seit langem der Entwicklung der deutschen Innen- und \
    Parteipolitik.";

/// Kupietz 2005, example 1a; the paper prints WOCHEN for the text's WOCHE.
#[test]
fn the_papers_example() {
    let a = "DIETER RULFF FREIER JOURNALIST BERLIN LANGEN JAHREN TAZ ZULETZT LEITENDER REDAKTEUR WOCHENZEITUNG WOCHE \
        INTERESSE GILT SEIT LANGEM ENTWICKLUNG DEUTSCHEN INNEN PARTEIPOLITIK";
    let b = "DIETER RULFF FREIER JOURNALIST BERLIN VIELEN JAHREN TAZ ZULETZT LEITENDER REDAKTEUR ZEITUNG WOCHE \
        INTERESSE GILT SEIT LANGEM ENTWICKLUNG DEUTSCHEN INNEN PARTEIPOLITIK";
    assert_eq!(listed("kupietz", A).join(" "), a);
    assert_eq!(listed("kupietz", B).join(" "), b);
    assert_eq!(listed("kupietz", A).len(), 21);
}

/// Kupietz 2005, example 1b: the listed shingles have UND.
#[test]
fn the_papers_example_with_und() {
    let steps = Normalisation {
        keep_words: vec!["und".to_owned()],
        ..Normalisation::preset("kupietz").unwrap()
    };
    let normaliser = Normaliser::new(&steps).unwrap();
    for text in [A, B] {
        let tokens = tokens(&normaliser, text);
        assert_eq!(tokens.len(), 22);
        assert_eq!(tokens.iter().nth(20), Some("UND"));
    }
}

#[test]
fn kupietz_deletes_what_is_not_ascii_after_the_stop_words() {
    assert_eq!(
        listed(
            "kupietz",
            "<p>Für Köln: 19.30 &Uuml;BER S&amp;P_500 – Maß, Привет</p>"
        ),
        ["KLN", "#", "#", "S", "P", "#", "MA"]
    );
}

/// Benko 2013 §2.
#[test]
fn plain_ignores_digits_punctuation_and_symbols() {
    let expected = ["noviny", "stv"];
    assert_eq!(listed("plain", "19.30 Noviny STV"), expected);
    assert_eq!(listed("plain", "23.45 Noviny_STV 👍 €"), expected);
}

#[test]
fn as_is_takes_lines() {
    assert_eq!(
        listed("as-is", "Der\r\n19.30\n\n <g/>"),
        ["Der", "19.30", " <g/>"]
    );
    let steps = Normalisation {
        digits: Digits::Number,
        ..Normalisation::preset("as-is").unwrap()
    };
    let tokens = tokens(&Normaliser::new(&steps).unwrap(), "19.30\nx1");
    assert_eq!(tokens.iter().collect::<Vec<_>>(), ["#.#", "x#"]);
}

#[test]
fn the_default_lowers_and_composes() {
    assert_eq!(
        listed("default", "STRASSE Straße İx ΣΑΣ e\u{301}É 東A 👍🏽\u{0}9"),
        ["strasse", "straße", "ix", "σασ", "éé", "東", "a", "👍🏽", "9"]
    );
    assert!(listed("default", "").is_empty());
    assert!(listed("default", "\u{0} …").is_empty());
}

#[test]
fn spans_go_back_to_the_text_given() {
    let steps = Normalisation {
        markup: Markup::Remove,
        form: Form::Nfkc,
        ..Normalisation::default()
    };
    let text = "<b>a&ouml;u\u{308}</b>½";
    let tokens = tokens(&Normaliser::new(&steps).unwrap(), text);
    let spans: Vec<_> = tokens
        .spans
        .iter()
        .map(|span| &text[span.clone()])
        .collect();
    assert_eq!(tokens.iter().collect::<Vec<_>>(), ["aöü", "1", "2"]);
    assert_eq!(spans, ["a&ouml;u\u{308}", "½", "½"]);
}

#[test]
fn presets_are_known_by_name() {
    for (name, _) in Normalisation::PRESETS {
        let steps = Normalisation::preset(name).unwrap();
        assert_eq!(steps.preset_name(), Some(name));
        let written = toml::to_string(&steps).unwrap();
        assert_eq!(
            toml::from_str::<Normalisation>(&written).unwrap(),
            steps,
            "{written}"
        );
    }
    assert_eq!(normaliser("default").fast(), Some(Fast::Words));
    assert_eq!(normaliser("plain").fast(), Some(Fast::Letters));
    assert_eq!(normaliser("kupietz").fast(), None);
    assert!(
        Normalisation::preset("kupietz")
            .unwrap()
            .has_kupietz_alphabet()
    );
    assert!(
        Normalisation::preset("other")
            .unwrap_err()
            .advice()
            .unwrap()
            .contains("as-is")
    );
}

#[test]
fn wrong_steps_are_refused_by_field() {
    let wrong = |toml: &str| {
        let steps: Normalisation = toml::from_str(toml).unwrap();
        Normaliser::new(&steps).unwrap_err().to_string()
    };
    assert_eq!(wrong("stop_words = 'xx'"), "stop_words: no list for `xx`");
    assert!(
        wrong("stop_words = ['bei der']").starts_with("stop_words: `bei der` is not one token")
    );
    assert!(wrong("stop_words = ['']").starts_with("stop_words: `` is not one token"));
    assert_eq!(wrong("stem = 'xx'"), "stem: no stemmer for `xx`");
    assert!(wrong("stem = 'en'\ncase = 'keep'").starts_with("stem: expected it with case"));
    assert!(wrong("stem = 'en'\nboundaries = 'characters'").starts_with("stem: expected words"));
    assert!(
        wrong("boundaries = 'characters'\nstop_words = 'en'")
            .starts_with("stop_words: `the` is not one token")
    );
    assert!(wrong("keep_words = ['und']").starts_with("keep_words: `und` is not one of"));
    assert!(toml::from_str::<Normalisation>("colour = 'red'").is_err());
    assert!(toml::from_str::<Normalisation>("case = 'title'").is_err());
    let message = toml::from_str::<Normalisation>("stop_words = 7").unwrap_err();
    assert!(message.to_string().contains("a list of words"), "{message}");
}

#[test]
fn listed_words_match_in_any_case_and_form() {
    let steps: Normalisation = toml::from_str("stop_words = ['FU\u{308}R', 'the']").unwrap();
    let tokens = tokens(&Normaliser::new(&steps).unwrap(), "The Für für fur");
    assert_eq!(tokens.iter().collect::<Vec<_>>(), ["fur"]);
    let steps: Normalisation = toml::from_str("form = 'none'\nstop_words = ['k']").unwrap();
    assert!(collected(&Normaliser::new(&steps).unwrap(), "k K \u{212A}").is_empty());
}

/// The steps of `messages`, but with words as tokens.
fn undisguised() -> Normaliser {
    let words = Normalisation::preset("message-words").unwrap();
    Normaliser::new(&Normalisation {
        boundaries: words.boundaries,
        ..Normalisation::preset("messages").unwrap()
    })
    .unwrap()
}

#[test]
fn messages_see_through_disguises() {
    let plain = collected(
        &undisguised(),
        "Free money! Call 13800 now, pay at www.example.com or ask @bob ❤",
    );
    assert_eq!(
        plain,
        [
            "free",
            "money",
            "call",
            "13800",
            "now",
            "pay",
            "at",
            "‹url›",
            "or",
            "ask",
            "‹name›",
            "❤"
        ]
    );
    for disguised in [
        "Ｆｒｅｅ ｍｏｎｅｙ！ Call 1 3 8 0 0 now, pay at www.example.com or ask @bob ❤\u{FE0F}",
        "Fr\u{200B}ee mоnеу! Сall 一三八零零 now, РАУ at http://example.org/x?y=1 or ask @alice ❤",
        "ꜰʀᴇᴇ 🅼🅾🅽🅴🆈! call ❶❸❽⓿⓿ now, pay at t.cn/A6x or ask @张三 ❤",
        "f.r.e.e m0n3y! C@ll 13800 n0w, p@y at www.example.com or a$k @bob ❤",
        "F R E E money! C-a-l-l 13800 n-o-w, 𝐩𝐚𝐲 at www.example.com or ask @bob ❤",
    ] {
        assert_eq!(collected(&undisguised(), disguised), plain, "{disguised}");
    }
}

#[test]
fn masks_are_one_token_and_can_be_left_out() {
    let text = "Код 4711, tel. +49 171 1234567, ab@c.de";
    let steps = Normalisation::preset("messages").unwrap();
    let masked = collected(&Normaliser::new(&steps).unwrap(), text);
    assert_eq!(masked.join(""), "код4711,tel.‹phone›,‹email›");
    assert_eq!(
        masked.iter().filter(|token| token.starts_with('‹')).count(),
        2
    );
    let unmasked = collected(&Normaliser::new(&steps.unmasked()).unwrap(), text);
    assert_eq!(unmasked.join(""), "код4711,tel.+491711234567,ab@c.de");
    assert_eq!(steps.unmasked().unmasked(), steps.unmasked());
    // Later steps leave them alone.
    let steps: Normalisation = toml::from_str(
        "masks = ['url']\ncase = 'upper'\nnon_ascii = 'delete'\nstop_words = ['url']",
    )
    .unwrap();
    assert_eq!(
        collected(
            &Normaliser::new(&steps).unwrap(),
            "see www.x.de, url ‹url› ‹urls›"
        ),
        ["SEE", "‹url›", "‹url›", "URLS"]
    );
}

#[test]
fn stems_come_after_case() {
    let steps: Normalisation = toml::from_str("stem = 'de'\nstop_words = ['die']").unwrap();
    let normaliser = Normaliser::new(&steps).unwrap();
    assert_eq!(
        collected(&normaliser, "Die Häuser DER Zeitungen"),
        ["haus", "der", "zeitung"]
    );
    let tokens = tokens(&normaliser, "Die Häuser");
    assert_eq!(tokens.spans.first(), Some(&(4..11)));
}

#[test]
fn spans_of_rewritten_messages_lead_back() {
    let text = "\u{200B}РАУ 1 3 8 0 0 １３ www.x.cn☎ f.r.3.е.e-s0oooo";
    let tokens = tokens(&undisguised(), text);
    let spans: Vec<_> = tokens
        .spans
        .iter()
        .map(|span| &text[span.clone()])
        .collect();
    assert_eq!(
        tokens.iter().collect::<Vec<_>>(),
        ["pay", "13800", "13", "‹url›", "☎", "free", "soo"]
    );
    assert_eq!(
        spans,
        [
            "РАУ",
            "1 3 8 0 0",
            "１３",
            "www.x.cn",
            "☎",
            "f.r.3.е.e",
            "s0oooo"
        ]
    );
}

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
