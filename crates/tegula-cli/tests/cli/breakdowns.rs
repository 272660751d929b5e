//! What a score is made of, in explanations and comparisons.

use crate::corpus;
use crate::rig::Rig;

#[test]
fn an_explanation_says_what_the_score_was_made_of() {
    let texts = r#"{"id":"a","text":"the rose in the garden of the blue house by the river and the station"}
{"id":"b","text":"the rose in the garden of the blue house by the river and the window"}
{"id":"c","text":"nothing of what is said there is here, whoever may look for it and however long"}
"#;
    let said = |recipe: &str| {
        let rig = Rig::new();
        rig.write("in.jsonl", texts);
        rig.ok(&format!(
            "dedup in.jsonl --recipe {recipe} --run run -o out.jsonl -q"
        ));
        rig.ok("explain run b --width 100").out().to_owned()
    };
    assert!(said("simhash --threshold 0.6").contains("of 64 bits agree"));
    assert!(said("i-match").contains("of 11 slots agree"));
    assert!(
        said("cosine --threshold 0.3").contains("their weights are those of the whole collection")
    );
    assert!(said("simfinder --threshold 0.3").contains("simfinder above 0.3"));
    let estimated = said("sketch --ngram 2 --threshold 0.5 --estimate");
    assert!(
        estimated.contains("an estimated score") && estimated.contains("slots agree"),
        "{estimated}"
    );
    assert!(!said("copies").contains("did not compare"));
    let chained = said("simfinder --threshold 0.3 --set transitive=true");
    assert!(chained.contains("simfinder above 0.3"), "{chained}");
}

#[test]
fn what_a_score_is_made_of_makes_the_score_of_the_run() {
    let rig = Rig::with("peps.jsonl");
    for (recipe, of) in [
        ("cosine", "shared"),
        ("simfinder", "shared"),
        ("revisions", "shared"),
        ("simhash", "simhash_a"),
        ("i-match", "agree"),
    ] {
        let level = if recipe == "simhash" {
            ""
        } else {
            "--threshold 0.5"
        };
        rig.ok(&format!(
            "dedup peps.jsonl -o {recipe}.jsonl --recipe {recipe} {level} --run {recipe} --list removed=removed.txt --overwrite -q"
        ));
        let removed = rig.text("removed.txt");
        let id = removed.lines().next().unwrap().split('\t').next().unwrap();
        let json = rig
            .ok(&format!("explain {recipe} {id} --json"))
            .out()
            .to_owned();
        let shown: serde_json::Value = serde_json::from_str(&json).unwrap();
        let made = &shown["comparison"]["score"];
        assert_eq!(
            made["score"], shown["decision"]["score"],
            "{recipe}: {made}"
        );
        assert!(made["of"].get(of).is_some(), "{recipe}: {made}");
        let prose = rig.ok(&format!("explain {recipe} {id}")).out().to_owned();
        assert!(
            prose.contains("The score of the two is"),
            "{recipe}: {prose}"
        );
    }
}

#[test]
fn two_texts_are_compared_by_terms_and_signatures() {
    let rig = Rig::with("peps.jsonl");
    rig.write("a.txt", "one two three four five six seven eight nine ten");
    rig.write(
        "b.txt",
        "one two three four five six seven eight nine eleven",
    );
    let json = rig
        .ok("compare a.txt b.txt --recipe simhash --json")
        .out()
        .to_owned();
    let shown: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(shown["score"]["whole"], 64, "{json}");
    // Nine of ten terms of either.
    let json = rig
        .ok("compare a.txt b.txt --recipe cosine --set weights.type=equal --json")
        .out()
        .to_owned();
    let shown: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(shown["score"]["score"], 0.9, "{json}");
    let refused = rig.run("compare a.txt b.txt --recipe cosine").stderr;
    assert!(refused.contains("--statistics"), "{refused}");
    rig.ok("stats peps.jsonl -o df.tsv --recipe cosine -q");
    let shown = rig
        .ok("compare a.txt b.txt --recipe cosine --statistics df.tsv")
        .out()
        .to_owned();
    assert!(shown.contains("The score of the two is"), "{shown}");
    let refused = rig.run("compare peps.jsonl --recipe simhash").stderr;
    assert!(refused.contains("name two files"), "{refused}");
}

#[test]
fn what_a_score_loses_for_missing_numbers_is_explained() {
    let rig = Rig::new();
    let law = |year: u32, amount: u32| {
        let words: Vec<String> = (0..120_u8)
            .map(|at| {
                "w".to_owned()
                    + &char::from(b'a' + at % 23)
                        .to_string()
                        .repeat(1 + usize::from(at) / 23)
            })
            .collect();
        format!(
            "ordinance of 3 may {year} on amounts: the amount is {amount} euros. {}",
            words.join(" ")
        )
    };
    let texts = [law(2014, 80), law(2015, 95), law(2014, 80) + " at last"];
    let others = corpus::texts(60, 80);
    rig.write("laws.jsonl", corpus::jsonl(&[&texts[..], &others].concat()));
    rig.ok("pairs laws.jsonl --recipe revisions -o pairs.tsv --run run");
    rig.ok("pairs laws.jsonl --recipe revisions --set missing_numbers=none -o alone.tsv");
    let score = |file: &str, a: &str, b: &str| -> Option<f64> {
        let table = rig.text(file);
        let mut lines = table
            .lines()
            .map(|line| line.split('\t').collect::<Vec<_>>());
        let head = lines.next().unwrap();
        let at = |name| head.iter().position(|column| *column == name).unwrap();
        let found = lines.find(|row| row[at("id_a")] == a && row[at("id_b")] == b);
        found.map(|row| row[at("score")].parse().unwrap())
    };
    let ids = ["t0", "t1", "t2"];
    let [both, alone] = ["pairs.tsv", "alone.tsv"].map(|file| score(file, ids[0], ids[1]));
    // Two of three among the first 30 tokens, and two in 132 tokens.
    let lost = 0.3 * 2.0 / 3.0 + 0.16 * 100.0 * 2.0 / 132.0;
    let left = alone.unwrap() - lost;
    assert!(
        (both.map_or(0.0, |score| score) - left).abs() < 1e-5 || (both.is_none() && left < 0.2),
        "{both:?} {left}"
    );
    assert_eq!(
        score("pairs.tsv", ids[0], ids[2]),
        score("alone.tsv", ids[0], ids[2])
    );
    let said = rig.ok(&format!("explain run {} {}", ids[0], ids[1]));
    assert!(
        said.out()
            .contains("2 of 3 among the first 30 tokens and 2 of 3 in all (2014, 80)"),
        "{}",
        said.out()
    );
    let said = rig.ok(&format!("explain run {} {} --json", ids[0], ids[1]));
    let found: serde_json::Value = serde_json::from_str(said.out()).unwrap();
    let of = &found["comparison"]["score"]["lost"];
    assert_eq!(of["numbers"], serde_json::json!(["2014", "80"]));
    assert!((of["score"].as_f64().unwrap() - lost).abs() < 1e-8, "{of}");
}
