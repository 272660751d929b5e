//! `tegula templates`.

use crate::rig::{Rig, assert_shown};
use regex::Regex;

/// Weather reports of one form, one of them twice, league results of another, and other texts.
fn forms(rig: &Rig) {
    let texts = [
        "Weather in Bonn today: sunny with 20 degrees and a light wind from the west.",
        "Weather in Bad Ems today: rain with 9 degrees and a light wind from the east.",
        "Weather in Jena today: cloudy with 12 degrees and a light wind from the west.",
        "Weather in Jena today: cloudy with 12 degrees and a light wind from the west.",
        "WEATHER in Kiel today: storm with 7 degrees and a strong wind from the north, take care!",
        "The team of Bonn won its match at home by 3 to 1 goals.",
        "The team of Jena won its match at home by 2 to 0 goals.",
        "The team of Kiel lost its match at home by 0 to 4 goals.",
        "A text that is like none of the others, and of no form at all.",
    ];
    let lines = (1..).zip(texts).map(|(id, text)| {
        serde_json::json!({ "id": format!("t{id}"), "text": text }).to_string() + "\n"
    });
    rig.write("forms.jsonl", lines.collect::<String>());
}

/// The number of a record whose id is its file and number.
fn number_of(id: &serde_json::Value) -> usize {
    let (_, number) = id.as_str().unwrap().rsplit_once(':').unwrap();
    number.parse().unwrap()
}

#[test]
fn templates_have_slots_with_fillers() {
    let rig = Rig::new();
    forms(&rig);
    assert_shown!("templates", rig.run("templates forms.jsonl"));
    assert_shown!(
        "templates_table",
        rig.run("templates forms.jsonl -o - --min-texts 4")
    );
    assert_shown!(
        "templates_none",
        rig.run("templates forms.jsonl --min-texts 9")
    );
}

#[test]
fn expressions_match_the_texts_of_their_templates_alone() {
    let rig = Rig::new();
    forms(&rig);
    rig.ok("templates forms.jsonl -o t.jsonl --report t.html -q");
    let rows: Vec<serde_json::Value> = rig
        .text("t.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|row: &serde_json::Value| row["regex"].is_string())
        .collect();
    assert_eq!(rows.len(), 2);
    for row in rows {
        let regex = Regex::new(row["regex"].as_str().unwrap()).unwrap();
        for line in rig.text("forms.jsonl").lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            let is_of_it = row["ids"].as_array().unwrap().contains(&record["id"]);
            let matches = regex.is_match(record["text"].as_str().unwrap());
            assert_eq!(matches, is_of_it, "{record}");
        }
    }
    let page = rig.text("t.html");
    for part in [
        "id=\"template-1\"",
        "id=\"template-2\"",
        "class=\"slot\"",
        "Bad Ems",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn templates_can_be_filtered_out() {
    let rig = Rig::new();
    forms(&rig);
    for table in ["t.tsv", "t.jsonl", "t.parquet"] {
        rig.ok(&format!("templates forms.jsonl -o {table} -q"));
        let ended = rig.ok(&format!("filter forms.jsonl --drop-template {table}"));
        let out = String::from_utf8(ended.stdout).unwrap();
        assert_eq!(out.lines().count(), 1, "{out}");
        assert!(out.contains("\"t9\""), "{out}");
        assert!(
            ended
                .stderr
                .starts_with("9 hits: 1 kept, 0 hidden, 8 dropped as templates"),
            "{}",
            ended.stderr
        );
    }
    rig.write("own.tsv", "regex\n(?i)team of\n")
        .write("bad.tsv", "regex\n(\n")
        .write("none.tsv", "pattern\nx\n");
    let out = rig
        .ok("filter forms.jsonl --drop-template own.tsv -q")
        .stdout;
    assert_eq!(String::from_utf8(out).unwrap().lines().count(), 5);
    let all = rig.refused(
        "filter forms.jsonl",
        &[
            "--drop-template bad.tsv",
            "--drop-template none.tsv",
            "--drop-template no.tsv",
            "--drop-template t.tsv -o t.tsv",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("templates_bad", all);
    });
}

#[test]
fn tables_are_the_same_whatever_threads_and_memory() {
    let rig = Rig::new();
    forms(&rig);
    for name in ["t.tsv", "t.jsonl", "t.parquet"] {
        rig.ok(&format!("templates forms.jsonl -o {name} --threads 1 -q"));
        let first = rig.read(name);
        rig.ok(&format!(
            "templates forms.jsonl -o {name} --threads 7 --memory 64M -q"
        ));
        assert!(rig.read(name) == first, "{name}");
    }
}

#[test]
fn wrong_options_are_named() {
    let rig = Rig::new();
    forms(&rig);
    let all = rig.refused(
        "templates",
        &[
            "",
            "forms.jsonl --min-texts 1",
            "forms.jsonl --min-tokens 0",
            "forms.jsonl --min-constant 2",
            "forms.jsonl --recipe onion",
            "forms.jsonl --recipe benko",
            "forms.jsonl -o forms.jsonl",
            "forms.jsonl -o t.xml",
            "forms.jsonl -o t.tsv --report t.tsv",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("templates_options", all);
    });
}

/// Whether an expression matches a text under another engine: none if the engine is not installed.
fn matches_elsewhere(engine: &str, regex: &str, text: &str) -> Option<bool> {
    let (program, code) = match engine {
        "python" => (
            "python3",
            "import re, sys; sys.exit(0 if re.search(sys.argv[1], sys.argv[2]) else 3)",
        ),
        _ => (
            "perl",
            "use utf8; use Encode; my ($r, $t) = map { decode('UTF-8', $_) } @ARGV; exit($t =~ /$r/ ? 0 : 3)",
        ),
    };
    let option = if program == "perl" { "-e" } else { "-c" };
    let ended = std::process::Command::new(program)
        .args([option, code, regex, text])
        .env("PYTHONUTF8", "1")
        .output()
        .ok()?;
    match ended.status.code() {
        Some(0) => Some(true),
        Some(3) => Some(false),
        other => panic!(
            "{engine} ended with {other:?} on {regex}: {}",
            String::from_utf8_lossy(&ended.stderr)
        ),
    }
}

#[test]
fn expressions_match_every_text_under_every_engine() {
    let collections: [&[&str]; 9] = [
        // Quotation marks, a dash and a no-break space in one of two texts with equal tokens.
        &[
            "ferry to Jena sails at noon today",
            "ferry to Bonn sails at noon today",
            "«ferry to Bonn sails at noon today»",
            "ferry to Bonn — sails at\u{a0}noon today…",
        ],
        // Another spelling, in another case, of which only one is the first of equal texts.
        &[
            "Straße Nr. one is closed for works",
            "Straße Nr. two is closed for works",
            "STRASSE Nr. two is closed for works",
            "stra\u{17f}se Nr. two is closed for works",
            "straße Nr. two is CLOSED for works",
        ],
        // Composed and decomposed.
        &[
            "the café at Bonn is open till ten",
            "the cafe\u{301} at Jena is open till ten",
            "the CAFE\u{301} at Jena is open till ten",
        ],
        // Characters that mean something in expressions.
        &[
            "[a] costs $5 (c++) \\ {b} ^ | ~ # a.b & c-d in all",
            "[a] costs $6 (c++) \\ {b} ^ | ~ # a.b & c-d in all",
            "[a] costs $6 [c] ` {b} ' \" ~ # a?b * c-d in all",
        ],
        // Scripts without spaces.
        &[
            "今天北京的天气很好大家都很高兴",
            "今天上海的天气很好大家都很高兴",
            "今天上海的天气，很好。大家都很高兴！",
        ],
        // Line ends, tabs, controls, and separators of lines beyond ASCII.
        &[
            "one two three four five six\n",
            "one two three four\tfive six seven",
            "one\u{2028}two\r\nthree\u{1}four\u{85}five six seven\n",
            "\u{feff}one two three four five six seven\u{200b}",
        ],
        // Emoji, signs beside words, and words in no letters.
        &[
            "free 🎁 for you my friend, call now ☎",
            "free 🎁 for you my sister, call now ☎",
            "free 🎁 for you my sister!!! call… now ☎ ©",
        ],
        // The text ends or begins in a slot.
        &[
            "code for the door of the house is Bonn",
            "new code for the door of the house is",
            "new «code for the door of the house is»",
        ],
        // Capitals whose lower case is of another length, and signs that have a case.
        &[
            "İzmir and Ⓐ and Ǆ and K meet in Bonn",
            "İzmir and Ⓐ and Ǆ and K meet in Jena",
            "i̇zmir and ⓐ and ǆ and k meet in Jena",
            "İZMİR and Ⓐ and ǅ and k meet in Jena",
        ],
    ];
    let rig = Rig::new();
    for texts in collections {
        let lines = texts
            .iter()
            .map(|text| serde_json::json!({ "text": text }).to_string() + "\n");
        rig.write("t.jsonl", lines.collect::<String>());
        rig.ok("templates t.jsonl -o t.out.jsonl --min-texts 2 --min-tokens 2 --threshold 0.1 --ngram 1 -q");
        let rows: Vec<serde_json::Value> = rig
            .text("t.out.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(!rows.is_empty(), "{texts:?}");
        for row in rows {
            let regex = row["regex"].as_str().unwrap_or_else(|| panic!("{row}"));
            let compiled = Regex::new(regex).unwrap();
            for id in row["ids"].as_array().unwrap() {
                let number = number_of(id);
                let text = texts[number - 1];
                assert!(compiled.is_match(text), "{regex} on {text:?}");
                for engine in ["python", "perl"] {
                    let matches = matches_elsewhere(engine, regex, text);
                    assert_ne!(matches, Some(false), "{engine}: {regex} on {text:?}");
                }
            }
        }
    }
}

#[test]
fn tokens_that_normalisation_drops_or_joins_have_expressions() {
    let rig = Rig::new();
    let lines = [
        "Order 17 of <b>Ann Lee</b> has been sent to Bonn on Monday",
        "Order 18 of <i>Ann Lee</i> has been sent to Jena on Monday",
        "order 4 of Ann   Lee has been sent to Jena, on MONDAY",
    ]
    .map(|text| serde_json::json!({ "text": text }).to_string() + "\n");
    rig.write("t.jsonl", lines.concat());
    for steps in [
        "--normalize plain",
        "--normalize kupietz",
        "--normalize message-words",
        "--set normalise.markup=remove --set normalise.digits=number",
        "--set normalise.stop_words=en --set normalise.stem=en",
    ] {
        rig.ok(&format!("templates t.jsonl -o out.jsonl --min-texts 2 --min-tokens 3 --ngram 1 --threshold 0.1 {steps} -q"));
        let table = rig.text("out.jsonl");
        assert!(!table.is_empty(), "{steps}");
        for row in table.lines() {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            let regex = Regex::new(row["regex"].as_str().unwrap()).unwrap();
            for id in row["ids"].as_array().unwrap() {
                let number = number_of(id);
                let record: serde_json::Value = serde_json::from_str(&lines[number - 1]).unwrap();
                let text = record["text"].as_str().unwrap();
                assert!(regex.is_match(text), "{steps}: {regex} on {text:?}");
            }
        }
    }
}

#[test]
fn masked_parts_that_differ_have_the_name_of_their_mask() {
    let rig = Rig::new();
    let lines = [("a1", "55512345"), ("b2", "55567890"), ("c3", "55598765")]
        .map(|(path, phone)| {
            format!("Your parcel waits: pay 2 EUR at https://post.example/{path} or call +44{phone}, see https://post.example/help please")
        })
        .map(|text| serde_json::json!({ "text": text }).to_string() + "\n");
    rig.write("t.jsonl", lines.concat());
    rig.ok("templates t.jsonl -o out.jsonl --recipe messages --min-texts 2 --report page.html -q");
    let row: serde_json::Value = serde_json::from_str(rig.text("out.jsonl").trim()).unwrap();
    let template = row["pattern"].as_str().unwrap();
    assert_eq!(
        template,
        "Your parcel waits: pay 2 EUR at ‹url› or call ‹phone›, see https://post.example/help please"
    );
    let page = rig.text("page.html");
    assert!(page.contains("‹url›") && !page.contains("post.example/a1"));
}
