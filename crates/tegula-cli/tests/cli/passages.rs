//! `tegula passages`.

use crate::rig::{Rig, assert_shown};
use std::collections::BTreeMap;

const QUOTE: &str =
    "there is no end of the making of many books and much study is a weariness of the flesh";

/// A letter quotes a sermon, a diary the letter, with slips; an equal diary; a text without either.
fn letters(rig: &Rig) {
    let line = |id: &str, date: &str, text: &str| {
        serde_json::json!({ "id": id, "date": date, "text": text }).to_string() + "\n"
    };
    let slips = QUOTE
        .replace("end of", "end to")
        .replace("a weariness", "weariness");
    let diary = format!("Märchen\u{1f600}, one reads: {slips}. Nothing else happened on that day");
    rig.write(
        "letters.jsonl",
        line(
            "letter",
            "1890-05-01",
            &format!("He said once more, \u{201c}{QUOTE}\u{201d}, and went"),
        ) + &line("diary", "1891-02-03", &diary)
            + &line("copy", "1891-02-04", &diary)
            + &line(
                "other",
                "1892",
                "a text that has nothing in common with any of them at all",
            ),
    );
    rig.write(
        "sermon.jsonl",
        line(
            "sermon",
            "1850-01-01",
            &format!("And further, by these, be admonished: {QUOTE}."),
        ),
    );
}

#[test]
fn places_are_shown_in_their_context() {
    let rig = Rig::new();
    letters(&rig);
    assert_shown!(
        "passages_context",
        rig.run("passages sermon.jsonl letters.jsonl --date date --context 4 --width 100")
    );
    let json = "passages sermon.jsonl letters.jsonl --context 4 -o p.tsv";
    let said = rig.run(json);
    assert!(
        said.stderr.contains("--context: it is about the listing"),
        "{}",
        said.stderr
    );
}

#[test]
fn passages_are_listed_from_the_earliest_on() {
    let rig = Rig::new();
    letters(&rig);
    assert_shown!(
        "passages_listing",
        rig.run("passages sermon.jsonl letters.jsonl --date date")
    );
    assert_shown!(
        "passages_exact",
        rig.run("passages sermon.jsonl letters.jsonl --max-gap 0 --top 1")
    );
    assert_shown!(
        "passages_in",
        rig.run("passages letters.jsonl --in sermon.jsonl -o - --texts")
    );
}

#[test]
fn passages_with_other_texts_are_with_these_alone() {
    let rig = Rig::new();
    letters(&rig);
    let out = |line: &str| String::from_utf8(rig.ok(line).stdout).unwrap();
    let both = out("passages letters.jsonl sermon.jsonl -o -");
    let across = out("passages letters.jsonl --in sermon.jsonl -o -");
    let sermons = |table: &str| {
        let rows = table
            .lines()
            .filter(|row| row.split('\t').nth(3) == Some("sermon"));
        rows.map(|row| row.split('\t').take(8).collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    assert_eq!(sermons(&both).len(), 2);
    assert_eq!(sermons(&across), sermons(&both));
    assert_eq!(across.lines().count(), 3);
    // A text that equals one of these shares the whole of it.
    rig.write(
        "same.jsonl",
        rig.text("sermon.jsonl").replace("sermon", "same"),
    );
    let same = out("passages same.jsonl --in sermon.jsonl -o -");
    assert!(same.contains("same\t0\t"), "{}", same);
}

#[test]
fn tables_are_the_same_whatever_threads_and_memory() {
    let rig = Rig::new();
    letters(&rig);
    for name in ["p.tsv", "p.jsonl", "p.parquet"] {
        rig.ok(&format!(
            "passages sermon.jsonl letters.jsonl -o {name} --threads 1 -q"
        ));
        let first = rig.read(name);
        rig.ok(&format!(
            "passages sermon.jsonl letters.jsonl -o {name} --threads 7 --memory 64M -q"
        ));
        assert!(rig.read(name) == first, "{name}");
    }
    let row: serde_json::Value =
        serde_json::from_str(rig.text("p.jsonl").lines().nth(1).unwrap()).unwrap();
    let text = "Märchen\u{1f600}, one reads: there";
    assert_eq!(row["id_b"], "diary");
    assert_eq!(row["start_b"], text.chars().count() - 5);
    assert_eq!(row["byte_start_b"], text.len() - 5);
    assert_eq!(row["equal_b"], 2);
}

#[test]
fn passages_are_marked_where_they_are_repeated() {
    let rig = Rig::new();
    letters(&rig);
    let spans = |line: &str, to: &str| -> Vec<String> {
        rig.ok(&format!("{line} --marked {to} -q"));
        let lines = rig.text(to);
        let of = |line: &str| {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            let text: Vec<char> = record["text"].as_str().unwrap().chars().collect();
            let shown = record["duplicate_spans"]
                .as_array()
                .unwrap()
                .iter()
                .map(|span| {
                    let at = |key: &str| span[key].as_u64().unwrap() as usize;
                    let (start, end) = (at("start"), at("end"));
                    let ends: String = text[start..start + 5]
                        .iter()
                        .chain(&text[end - 5..end])
                        .collect();
                    format!("{} {ends} {}", span["duplicate_of"], span["score"])
                });
            format!("{}: {}", record["id"], shown.collect::<Vec<_>>().join(", "))
        };
        lines.lines().map(of).collect()
    };
    let whole = "\"copy\": \"diary\" Märch day 1";
    let diary = "\"diary\": \"letter\" thereflesh 0.8";
    let all = spans("passages letters.jsonl", "own.jsonl");
    assert_eq!(
        (all[0].as_str(), all[3].as_str()),
        ("\"letter\": ", "\"other\": ")
    );
    assert!(all[1].starts_with(diary), "{}", all[1]);
    assert!(
        all[2].starts_with(whole.trim_end_matches(" day 1")),
        "{}",
        all[2]
    );
    // With other texts only what stands in them is marked, in every copy.
    let across = spans("passages letters.jsonl --in sermon.jsonl", "across.jsonl");
    assert_eq!(across[0], "\"letter\": \"sermon\" thereflesh 1");
    assert_eq!(
        across[1].split_once(':').unwrap().1,
        across[2].split_once(':').unwrap().1
    );
    // By dates the letter, in 1890, is earlier than what comes before it in the input.
    rig.write(
        "later.jsonl",
        rig.text("sermon.jsonl").replace("1850", "1950"),
    );
    rig.ok("passages later.jsonl letters.jsonl --date date --marked out -q");
    assert!(
        rig.text("out/later.jsonl")
            .contains("\"duplicate_of\":\"letter\"")
    );
    assert!(
        !rig.text("out/letters.jsonl")
            .contains("\"duplicate_of\":\"sermon\"")
    );
}

#[test]
fn frequent_words_make_a_passage_of_few_bits() {
    let rig = Rig::new();
    letters(&rig);
    let rows = |options: &str| -> Vec<f64> {
        let out = rig
            .ok(&format!(
                "passages letters.jsonl sermon.jsonl -o - {options}"
            ))
            .stdout;
        let out = String::from_utf8(out).unwrap();
        let rarity = out
            .lines()
            .next()
            .unwrap()
            .split('\t')
            .position(|name| name == "rarity");
        out.lines()
            .skip(1)
            .map(|row| {
                row.split('\t')
                    .nth(rarity.unwrap())
                    .unwrap()
                    .parse()
                    .unwrap()
            })
            .collect()
    };
    let all = rows("");
    assert!(all.iter().all(|bits| *bits > 0.0), "{all:?}");
    let most = all.iter().copied().fold(0.0, f64::max);
    let some = rows(&format!("--min-rarity {}", most as u32));
    assert!(!some.is_empty() && some.len() <= all.len());
    assert!(rows("--min-rarity 1000").is_empty());
}

#[test]
fn the_page_has_passages_timeline_matrix_and_texts() {
    let rig = Rig::new();
    letters(&rig);
    rig.ok("passages sermon.jsonl letters.jsonl -o p.tsv --date date --report p.html -q");
    let page = rig.text("p.html");
    for part in [
        "id=\"families\"",
        "id=\"timeline\"",
        "id=\"matrix\"",
        "class=\"shared\"",
        "<circle",
    ] {
        assert!(page.contains(part), "{part}");
    }
    rig.write(
        "one.jsonl",
        "{\"text\": \"one text shares nothing with others\"}\n",
    );
    rig.ok("passages one.jsonl --report one.html -q");
    assert!(rig.text("one.html").contains("No two texts share"));
}

/// Tokens in a union of ranges of code points, by white space in a text of ASCII without punctuation.
fn covered(text: &str, spans: &[(usize, usize)]) -> usize {
    let mut at = 0;
    let tokens = text.split(' ').filter(|token| {
        let start = at;
        at += token.len() + 1;
        spans
            .iter()
            .any(|(from, to)| *from <= start && start + token.len() <= *to)
    });
    tokens.count()
}

#[test]
fn the_table_of_shares_is_what_the_passages_come_to() {
    let rig = Rig::new();
    let words = |from: usize, to: usize| -> String {
        let words: Vec<String> = (from..to).map(|at| format!("w{at}")).collect();
        words.join(" ")
    };
    // Passages that overlap in one text, as the other repeats a part of it.
    let texts = [
        words(0, 40),
        [
            words(5, 25),
            "x y".into(),
            words(15, 35),
            "z".into(),
            words(5, 12),
        ]
        .join(" "),
        [words(100, 130), words(20, 40)].join(" "),
    ];
    let lines = texts.iter().enumerate().map(|(at, text)| {
        serde_json::json!({"id": at.to_string(), "text": text}).to_string() + "\n"
    });
    rig.write("in.jsonl", lines.collect::<String>());
    rig.ok("passages in.jsonl --min-tokens 6 -o passages.tsv --shares shares.tsv --report page.html -q");
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = rig.text(name);
        let lines = text.lines().skip(1);
        lines
            .map(|line| line.split('\t').map(str::to_owned).collect())
            .collect()
    };
    let mut expected: BTreeMap<(usize, usize), (Vec<_>, Vec<_>, u32)> = BTreeMap::new();
    for row in rows("passages.tsv") {
        let number = |at: usize| row[at].parse::<usize>().unwrap();
        let pair = expected.entry((number(0), number(3))).or_default();
        pair.0.push((number(1), number(2)));
        pair.1.push((number(4), number(5)));
        pair.2 = pair.2.max(row[6].parse().unwrap());
    }
    assert_eq!(expected.len(), 3);
    let shares = rows("shares.tsv");
    assert_eq!(shares.len(), expected.len());
    for (row, ((a, b), (in_a, in_b, longest))) in shares.iter().zip(expected) {
        let of = |text: &str, spans: &[(usize, usize)]| {
            let tokens = covered(text, spans);
            let share = tokens as f64 / text.split(' ').count() as f64;
            (tokens.to_string(), format!("{share:.6}"))
        };
        let (of_a, of_b) = (of(&texts[a], &in_a), of(&texts[b], &in_b));
        let found = [
            a.to_string(),
            b.to_string(),
            in_a.len().to_string(),
            longest.to_string(),
            of_a.0,
            of_b.0,
        ];
        assert_eq!(row[..6], found);
        for (shown, share) in [(&row[6], of_a.1), (&row[7], of_b.1)] {
            let difference = shown.parse::<f64>().unwrap() - share.parse::<f64>().unwrap();
            assert!(difference.abs() < 2e-6, "{shown} {share}");
        }
    }
    assert!(rig.text("page.html").contains("id=\"pairs\""));
}

#[test]
fn wrong_options_are_named() {
    let rig = Rig::new();
    letters(&rig);
    let all = rig.refused(
        "passages",
        &[
            "",
            "letters.jsonl --ngram 0",
            "letters.jsonl --min-tokens 3",
            "letters.jsonl --max-gap 65",
            "letters.jsonl --min-identity 2",
            "letters.jsonl --common 1",
            "letters.jsonl --common few",
            "letters.jsonl --date day",
            "letters.jsonl -o letters.jsonl",
            "letters.jsonl -o p.xml",
            "letters.jsonl -o p.tsv --report p.tsv",
            "letters.jsonl --in letters.jsonl --across author",
            "letters.jsonl --in sermon.jsonl --inside",
            "letters.jsonl --unit passage",
            "letters.jsonl --mark-place standoff",
            "letters.jsonl --marked letters.jsonl",
            "letters.jsonl --marked out.txt --mark-place standoff",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("passages_options", all);
    });
}

/// An article, a compilation that has a passage of it in the middle of a paragraph, and a copy.
fn compiled(rig: &Rig) {
    let article = format!("An article begins here. {QUOTE}. It ends there.");
    let compilation = format!(
        "A compilation of many texts, the longest of all, says on its first page: \u{201c}{}\u{201d} \u{2014} and goes on, and on.",
        QUOTE.to_uppercase()
    );
    let line = |id: &str, text: &str| {
        serde_json::json!({ "id": id, "n": 1.50, "text": text }).to_string() + "\n"
    };
    rig.write(
        "texts.jsonl",
        line("article", &article) + &line("compilation", &compilation) + &line("copy", QUOTE),
    );
    let vert = [("a", article.as_str()), ("b", &compilation), ("c", QUOTE)].map(|(id, text)| {
        let words = text.split(' ').map(|word| format!("{word}\tX\n"));
        let words = words.collect::<String>();
        format!("<doc id=\"{id}\">\n<p>\n{words}</p>\n</doc>\n")
    });
    rig.write("texts.vert", vert.concat());
    let paragraph = |id: &str, text: &str| {
        format!("<TEI xml:id=\"{id}\"><text><body><p>{text}</p></body></text></TEI>")
    };
    rig.write(
        "texts.xml",
        format!(
            "<teiCorpus xmlns=\"http://www.tei-c.org/ns/1.0\">{}{}</teiCorpus>\n",
            paragraph("a", &article),
            paragraph(
                "b",
                &compilation
                    .replace(" many", " <hi>many</hi>")
                    .replace("END OF", "END <hi>OF")
                    .replace("BOOKS", "BOOKS</hi>")
            )
        ),
    );
}

#[test]
fn repeated_passages_are_cut_in_every_format() {
    let rig = Rig::new();
    compiled(&rig);
    assert_shown!(
        "passages_cut",
        rig.run("dedup --unit passage --ngram 12 texts.jsonl -o - --run run")
    );
    assert_shown!(
        "passages_marked",
        rig.run("mark --unit passage --ngram 12 --keep first texts.jsonl -o -")
    );
    assert_shown!("passages_explained", rig.run("explain run article#q2"));
    for (name, options) in [
        ("vert", ""),
        ("xml", ""),
        ("vert", "--mark-place first-column"),
        ("xml", "--mark-place standoff"),
    ] {
        let verb = if options.is_empty() { "dedup" } else { "mark" };
        rig.ok(&format!(
            "{verb} --unit passage --ngram 12 texts.{name} -o {verb}.{name} {options} -q"
        ));
    }
    let shown = ["dedup.vert", "mark.vert", "dedup.xml", "mark.xml.standoff"]
        .map(|name| format!("== {name}\n{}", rig.text(name)));
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("passages_formats", shown.concat());
    });
    // Only the passages are removed: another field keeps its spelling.
    assert!(rig.text("texts.jsonl").contains("\"n\":1.5"));
    rig.ok("dedup --unit passage --ngram 12 texts.jsonl -o p.parquet -q");
    rig.ok("dedup --unit passage --ngram 12 p.parquet -o q.parquet -q");
    rig.ok("report run -o report.html");
    assert!(rig.text("report.html").contains("Random sample"));
}

#[test]
fn what_is_cut_is_the_same_whatever_threads_and_memory() {
    let rig = Rig::new();
    compiled(&rig);
    let run = |to: &str, options: &str| {
        rig.ok(&format!(
            "dedup --recipe passages --ngram 6 texts.jsonl texts.vert -o {to} --run r{to} {options} -q"
        ));
        let tables =
            ["units", "spans", "verdicts"].map(|table| rig.read(&format!("r{to}/{table}.parquet")));
        (
            rig.read(&format!("{to}/texts.jsonl")),
            rig.read(&format!("{to}/texts.vert")),
            tables,
        )
    };
    let first = run("x", "--threads 1");
    assert!(run("y", "--threads 7 --memory 64M") == first);
}

#[test]
fn options_without_effect_on_passages_are_named() {
    let rig = Rig::new();
    compiled(&rig);
    rig.write("t.conllu", "# text = a b\n1\ta\n2\tb\n\n");
    let all = rig.refused(
        "dedup",
        &[
            "--unit passage --recipe ssr texts.jsonl -o -",
            "--unit document --recipe passages texts.jsonl -o -",
            "--unit passage --threshold 0.5 texts.jsonl -o -",
            "--unit passage --across n texts.jsonl -o -",
            "--unit passage --window n=3d texts.jsonl -o -",
            "--unit passage --keep-per n texts.jsonl -o -",
            "--unit passage --check-recall 3 texts.jsonl -o -",
            "--unit passage --ngram 65 texts.jsonl -o -",
            "--unit passage t.conllu -o out.conllu",
            "--unit passage --from run -o -",
        ],
    ) + &rig.refused("mark", &["--unit passage t.conllu -o out.conllu"])
        + &rig.refused("pairs", &["--recipe passages texts.jsonl -o -"])
        + &rig.refused("sweep", &["--recipe passages texts.jsonl"]);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("passages_unit_options", all);
    });
}

#[test]
fn what_training_data_has_of_each_item_of_a_benchmark() {
    let rig = Rig::new();
    let line = json_line;
    let (first, second) = (
        "which of the following gases is most abundant in the air that we breathe every day",
        "a train leaves the station at noon and travels for three hours at eighty miles an hour",
    );
    rig.write(
        "bench.jsonl",
        line("q1", first) + &line("q2", second) + &line("q3", "nothing of this is anywhere else"),
    );
    let half = "which of the following gases is most abundant in the sea";
    rig.write(
        "train.jsonl",
        line("t1", &format!("An exam. {first}? Nitrogen."))
            + &line("t2", &format!("An exam. {first}? Nitrogen."))
            + &line("t3", &format!("{half} and {second}"))
            + &line("t4", "text that has none of them"),
    );
    let line = "passages train.jsonl --min-tokens 6 --max-gap 0 -q";
    rig.ok(&format!("{line} --in bench.jsonl --items items.tsv"));
    let items = rig.text("items.tsv");
    // Items keep the ids of their benchmark, even if the training data has the same.
    rig.write("same.jsonl", rig.text("bench.jsonl").replace("\"q", "\"t"));
    rig.ok(&format!(
        "{line} --in same.jsonl -o pairs.tsv --items same.tsv"
    ));
    assert_eq!(rig.text("same.tsv"), items.replace("\nq", "\nt"));
    assert!(!rig.text("pairs.tsv").contains('~'));
    assert_eq!(
        items,
        "id\ttokens\ttexts\thalf\tmost\tshare\tof\tequal\n\
         q1\t16\t3\t3\t16\t1\tt1\t1\n\
         q2\t17\t1\t1\t17\t1\tt3\t1\n"
    );
    let said = rig.run("passages train.jsonl --items items.tsv");
    assert!(
        said.stderr.contains("--items: it needs --in"),
        "{}",
        said.stderr
    );
}

fn json_line(id: &str, text: &str) -> String {
    serde_json::json!({ "id": id, "text": text }).to_string() + "\n"
}
