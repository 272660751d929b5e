mod properties;

use super::*;
use crate::text::masks::Mask;
use crate::text::timestamps::Timestamps;
use crate::text::words::Fast;
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
