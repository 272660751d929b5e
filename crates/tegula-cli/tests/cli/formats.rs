use crate::rig::{Rig, assert_shown};

const CSV: &str = "id,title,text\n1,\"a, b\",one two three four five six seven eight\n2,c,one two three four five six seven eight\n3,d,nothing like the others\n";

#[test]
fn csv_is_marked_in_columns_of_its_own() {
    let rig = Rig::new();
    rig.write("a.csv", CSV);
    assert_shown!("mark_csv", rig.run("mark a.csv -o - -q"));
    assert_shown!("dedup_csv", rig.run("dedup a.csv -o - -q"));
    assert_shown!(
        "mark_csv_prefix",
        rig.run("mark a.csv -o - -q --mark-prefix tegula_ --unit sentence")
    );
}

#[test]
fn jsonl_is_marked_in_fields_of_its_own() {
    let rig = Rig::new();
    rig.write(
        "a.jsonl",
        "{\"id\": \"a\", \"text\": \"Änne one two three four five six.\\n\\nAnother paragraph, not like it.\"}\n{\"id\": \"b\", \"n\": 1.50, \"text\": \"Änne one two three four five six.\"}\n",
    );
    assert_shown!("mark_jsonl", rig.run("mark a.jsonl -o - -q"));
    assert_shown!(
        "mark_jsonl_paragraphs",
        rig.run("mark a.jsonl -o - -q --unit paragraph")
    );
    assert_shown!(
        "dedup_jsonl_paragraphs",
        rig.run("dedup a.jsonl -o - -q --unit paragraph")
    );
    // A field that bears the name of a mark is no surprise to anyone.
    rig.ok("mark a.jsonl -o b.jsonl -q");
    assert_shown!("mark_twice", rig.run("mark b.jsonl -o c.jsonl -q"));
    rig.ok("mark b.jsonl -o c.jsonl -q --mark-prefix again_");
}

#[test]
fn vertical_files_are_marked_in_tags_or_columns() {
    let rig = Rig::new();
    let words = "one\ntwo\nthree\nfour\nfive\nsix\n";
    rig.write(
        "a.vert",
        format!("<doc id=\"a\">\n<p>\n{words}</p>\n</doc>\n<doc id=\"b\">\n<p>\n{words}</p>\n<p>\nseven\n</p>\n</doc>\n"),
    );
    assert_shown!(
        "mark_vertical",
        rig.run("mark a.vert -o - -q --unit paragraph")
    );
    assert_shown!(
        "mark_vertical_column",
        rig.run("mark a.vert -o - -q --unit paragraph --mark-place first-column")
    );
    assert_shown!(
        "dedup_vertical",
        rig.run("dedup a.vert -o - -q --unit paragraph")
    );
}

#[test]
fn conllu_is_marked_in_comments_or_in_its_last_column() {
    let rig = Rig::new();
    let sentence = |id: &str, words: &str| {
        let word =
            |(at, word): (usize, &str)| format!("{}\t{word}\t_\tX\t_\t_\t0\troot\t_\t_\n", at + 1);
        format!(
            "# sent_id = {id}\n{}\n",
            words
                .split(' ')
                .enumerate()
                .map(word)
                .collect::<Vec<_>>()
                .concat()
        )
    };
    let same = "one two three four five six";
    let (first, second, third) = (
        sentence("1", same),
        sentence("2", same),
        sentence("3", "seven"),
    );
    rig.write(
        "a.conllu",
        format!("# newdoc id = a\n# newpar\n{first}# newdoc id = b\n# newpar\n{second}{third}"),
    );
    assert_shown!(
        "mark_conllu",
        rig.run("mark a.conllu -o - -q --unit sentence")
    );
    assert_shown!(
        "mark_conllu_misc",
        rig.run("mark a.conllu -o - -q --unit sentence --mark-place misc")
    );
    assert_shown!(
        "mark_conllu_place",
        rig.run("mark a.conllu -o - -q --mark-place last-column")
    );
    assert_shown!(
        "dedup_conllu",
        rig.run("dedup a.conllu -o - -q --unit sentence")
    );
    rig.ok("dedup a.conllu -o a.jsonl -q --unit paragraph --recipe exact");
    assert_eq!(
        rig.text("a.jsonl").lines().next(),
        Some("{\"id\":\"a\",\"text\":\"one two three four five six\"}")
    );
}

#[test]
fn tei_is_marked_in_attributes_or_beside() {
    let rig = Rig::new();
    let same = "one <hi>two</hi> three\n four five six";
    rig.write(
        "a.xml",
        format!(
            "<?xml version=\"1.0\"?>\n<teiCorpus>\n<TEI xml:id=\"a\"><text><p>{same}</p></text></TEI>\n\
            <TEI xml:id=\"b\"><text><head>H</head><p xml:id='p1'>{same}</p><p>seven</p></text></TEI>\n</teiCorpus>\n"
        ),
    );
    assert_shown!("mark_tei", rig.run("mark a.xml -o - -q --unit paragraph"));
    assert_shown!("dedup_tei", rig.run("dedup a.xml -o - -q --unit paragraph"));
    assert_shown!(
        "mark_tei_stdout",
        rig.run("mark a.xml -o - -q --mark-place standoff")
    );
    rig.ok("mark a.xml -o b.xml -q --unit paragraph --mark-place standoff");
    assert_eq!(rig.text("a.xml"), rig.text("b.xml"));
    insta::assert_snapshot!("mark_tei_standoff", rig.text("b.xml.standoff"));
    rig.write("bad.xml", "<TEI>\n<p>one <hi>two</p></TEI>");
    assert_shown!("bad_tei", rig.run("dedup bad.xml -o - -q"));
    rig.write("bomb.xml", "<!DOCTYPE a [<!ENTITY b '&b;'>]>\n<a>&b;</a>");
    assert_shown!("bad_entity", rig.run("dedup bomb.xml -o - -q"));
}

#[test]
fn a_play_that_is_another_goes_with_its_file() {
    let rig = Rig::new();
    let play = |id: &str| {
        format!(
            "<TEI xml:id=\"{id}\"><text><p>one two three four five six seven</p></text></TEI>\n"
        )
    };
    rig.write("in/a.xml", play("a"))
        .write("in/b.xml", play("b"));
    rig.ok("dedup in -o out -q --run evidence");
    assert_eq!(rig.text("out/a.xml"), play("a"));
    assert!(!rig.path("out/b.xml").exists());
    let shown = rig.ok("explain evidence b");
    assert!(
        String::from_utf8(shown.stdout)
            .unwrap()
            .contains("one two three"),
        "the texts are found again"
    );
}

#[test]
fn plain_text_cannot_be_marked() {
    let rig = Rig::new();
    rig.write("in/a.txt", "a text").write("in/b.txt", "a text");
    assert_shown!("mark_text", rig.run("mark in -o out"));
    rig.ok("mark in -o out.jsonl -q");
    assert_eq!(rig.text("out.jsonl").lines().count(), 2);
}

#[test]
fn another_ending_is_another_format() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o same.jsonl -q");
    for ending in ["parquet", "csv", "tsv.gz"] {
        rig.ok(&format!("dedup peps.jsonl -o a.{ending} -q"));
        rig.ok(&format!("dedup a.{ending} -o back.jsonl -q"));
        let records = |name: &str| -> Vec<serde_json::Value> {
            rig.text(name)
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        };
        assert_eq!(records("back.jsonl"), records("same.jsonl"), "{ending}");
    }
    assert_shown!("to_vertical", rig.run("dedup peps.jsonl -o a.vert"));
}

#[test]
fn parquet_is_marked_and_cut() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o all.parquet --recipe exact -q");
    rig.ok("mark all.parquet -o marked.parquet --recipe sscr -q");
    rig.ok("mark peps.jsonl -o marked.jsonl --recipe sscr -q");
    rig.ok("dedup all.parquet --unit paragraph -o cut.parquet -q");
    rig.ok("dedup peps.jsonl --unit paragraph -o cut.jsonl -q");
    for name in ["marked", "cut"] {
        rig.ok(&format!(
            "dedup {name}.parquet -o {name}.back.jsonl --recipe exact --text-key id -q"
        ));
        let records = |name: &str| -> Vec<serde_json::Value> {
            let mut records: Vec<serde_json::Value> = rig
                .text(name)
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            // Text has four decimals of what Parquet has as a number.
            for record in &mut records {
                if let Some(score) = record["duplicate_score"].as_f64() {
                    record["duplicate_score"] = ((score * 1e4 + 1e-9).floor() / 1e4).into();
                }
            }
            records
        };
        assert_eq!(
            records(&format!("{name}.back.jsonl")),
            records(&format!("{name}.jsonl")),
            "{name}"
        );
    }
}

#[test]
fn sentences_that_a_tei_file_does_not_mark_are_marked_all_the_same() {
    let rig = Rig::new();
    let first =
        "<p>It is not the <hi>same &amp; old</hi> story here. Nobody knew of that before.</p>";
    let second =
        "<p>Something else comes first. It is not the <hi>same &amp; old</hi> story here.</p>";
    rig.write(
        "play.xml",
        format!("<TEI><teiHeader/><text><body>{first}{second}</body></text></TEI>"),
    );
    let ended = rig.ok("mark play.xml -o out.xml --recipe plain --unit sentence");
    assert!(
        ended
            .stderr
            .contains("sentences are found by the rules of UAX #29"),
        "{}",
        ended.stderr
    );
    let marks = |part: &str| {
        format!("<seg part=\"{part}\" duplicate_of=\"play.xml:1#s1\" duplicate_score=\"1\">")
    };
    let expected = format!(
        "{}It is not the </seg><hi>{}same &amp; old</seg></hi>{} story here.</seg></p>",
        marks("I"),
        marks("M"),
        marks("F")
    );
    assert!(
        rig.text("out.xml").contains(&expected),
        "{}",
        rig.text("out.xml")
    );
    // The text is what it was.
    assert_eq!(
        rig.ok("tokens -q out.xml").out(),
        rig.ok("tokens -q play.xml").out()
    );
    rig.ok("mark play.xml -o beside.xml --recipe plain --unit sentence --mark-place standoff");
    let notes = rig.text("beside.xml.standoff");
    let at = notes
        .split(" n=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    let (from, to) = at.split_once('-').unwrap();
    let cut = &rig.text("beside.xml")[from.parse::<usize>().unwrap()..to.parse::<usize>().unwrap()];
    assert_eq!(cut, "It is not the <hi>same &amp; old</hi> story here.");
}

/// A repository of the Hugging Face Hub, and the same saved to disk.
fn hub() -> Rig {
    let rig = Rig::new();
    let records = |from: usize| {
        (from..from + 3).fold(String::new(), |lines, number| {
            format!("{lines}{{\"id\":\"{number}\",\"text\":\"the same seven words in all of them, and {number}\",\"label\":{number}}}\n")
        })
    };
    rig.write("texts.jsonl", records(0) + &records(3))
        .write("hub/data/train.lock", "");
    rig.ok("dedup texts.jsonl --recipe exact -o hub/data/train-00000-of-00002.parquet -q");
    rig.ok("dedup texts.jsonl --recipe exact -o hub/data/train-00001-of-00002.parquet -q");
    rig.ok("dedup texts.jsonl --recipe exact -o hub/data/test-00000-of-00001.parquet -q");
    rig.write(
        "hub/README.md",
        "---\ndataset_info:\n  features: []\n---\n# A data set\n",
    );
    rig.write(
        "hub/dataset_infos.json",
        "{\n  \"default\": {\n    \"features\": {}\n  }\n}\n",
    );
    rig.write("hub/.gitattributes", "*.parquet filter=lfs\n")
        .write("hub/LICENSE", "MIT\n");
    rig
}

#[test]
fn the_folder_of_a_data_set_is_read_without_its_card() {
    let rig = hub();
    let ended = rig.ok("dedup hub -o clean --removed gone");
    for name in [
        "hub/README.md (describes the data)",
        "hub/dataset_infos.json (describes the data)",
        "hub/.gitattributes (hidden)",
    ] {
        assert!(ended.stderr.contains(name), "{name}: {}", ended.stderr);
    }
    let written: Vec<String> = rig
        .files()
        .into_iter()
        .filter(|name| name.starts_with("clean/"))
        .collect();
    let data = [
        "test-00000-of-00001",
        "train-00000-of-00002",
        "train-00001-of-00002",
    ];
    assert_eq!(
        written,
        data.map(|name| format!("clean/data/{name}.parquet"))
    );
    let json: serde_json::Value =
        serde_json::from_str(rig.ok("dedup hub --check --json --limit 1").out()).unwrap();
    assert_eq!(json["skipped"].as_array().unwrap().len(), 5, "{json}");
    // Saved to disk, the data are in a form that is not read.
    rig.write("saved/dataset_dict.json", "{\"splits\": [\"train\"]}")
        .write("saved/train/data-00000-of-00001.arrow", "ARROW1");
    rig.write("saved/train/dataset_info.json", "{\n}")
        .write("saved/train/state.json", "{\n}");
    rig.refuses("dedup saved -o out", &["Arrow files", "to_parquet"]);
}

#[test]
fn patterns_choose_among_the_files_of_a_folder() {
    let rig = hub();
    rig.ok("dedup hub -o one --include train-* --exclude *-00001-of-* -q");
    let written: Vec<String> = rig
        .files()
        .into_iter()
        .filter(|name| name.starts_with("one/"))
        .collect();
    assert_eq!(written, ["one/data/train-00000-of-00002.parquet"]);
    rig.ok("dedup texts.jsonl --against hub --include data/test-* --list kept=kept.txt -q");
    for (line, said) in [
        (
            "dedup hub -o two --include *.csv",
            "found none that --include and --exclude admit",
        ),
        (
            "dedup hub -o two --include train-* --exclude dev-*",
            "--exclude 'dev-*': expected a pattern that matches a file",
        ),
        (
            "dedup texts.jsonl -o two.jsonl --include *.jsonl",
            "--include: expected a folder among the inputs",
        ),
        (
            "dedup hub -o two --include [",
            "--include: expected a pattern",
        ),
    ] {
        rig.refuses(line, &[said]);
    }
    // A run says what it chose, and is decided again on the same files.
    rig.ok("pairs hub --include train-* --run run -q");
    rig.ok("dedup --from run -o again -q");
    let written: Vec<String> = rig
        .files()
        .into_iter()
        .filter(|name| name.starts_with("again/"))
        .collect();
    assert_eq!(written.len(), 2, "{written:?}");
}

#[test]
fn words_have_the_classes_of_their_tags() {
    let rig = Rig::new();
    let lines = [
        ("Nobody", "PRON"),
        ("can", "AUX"),
        ("jump", "VERB"),
        ("12", "NUM"),
        ("days", "NOUN"),
        (".", "PUNCT"),
    ];
    let vertical: String = lines
        .iter()
        .map(|(word, tag)| format!("{word}\t{tag}\n"))
        .collect::<Vec<_>>()
        .concat();
    rig.write(
        "a.vert",
        format!("<doc id=\"1\">\n{vertical}</doc>\n<doc id=\"2\">\n{vertical}</doc>\n"),
    );
    let words: String = (1..)
        .zip(lines)
        .map(|(id, (word, tag))| format!("{id}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n"))
        .collect::<Vec<_>>()
        .concat();
    rig.write(
        "a.conllu",
        format!("# newdoc id = 1\n{words}\n# newdoc id = 2\n{words}\n"),
    );
    let line = "nobody/pronoun can/connective jump/verb 12/numeral days/noun\n";
    for options in [
        "a.vert --columns word,tag",
        "a.vert --tag-column 2",
        "a.conllu",
    ] {
        let ended = rig.ok(&format!(
            "tokens -q --classes --normalize default {options}"
        ));
        assert_eq!(ended.out(), line.repeat(2), "{options}");
        let stats = rig.ok(&format!("stats --normalize default -q -o - {options}"));
        assert!(stats.out().contains("jump\t2\t2\tverb"), "{}", stats.out());
        rig.ok(&format!("pairs --recipe simfinder -q -o - {options}"));
    }
    // Without tags a word in no list is a noun.
    assert!(
        rig.ok("tokens -q --classes --normalize default a.vert")
            .out()
            .contains("jump/noun")
    );
    rig.refuses(
        "dedup a.vert -o out.vert --tag-column 2",
        &["--tag-column: it has no effect in the recipe copies"],
    );
    assert_eq!(rig.run("tokens --classes a.vert --tag-column 3").code, 2);
}

#[test]
fn units_have_the_ids_that_conllu_and_tei_give_them() {
    let rig = Rig::new();
    let sentence = |id: &str, words: &[&str]| {
        let lines = (1..).zip(words).fold(String::new(), |lines, (n, word)| {
            format!("{lines}{n}\t{word}{}\n", "\t_".repeat(8))
        });
        format!("{id}{lines}\n")
    };
    let words = ["Das", "ist", "das", "Haus", "vom", "Nikolaus"];
    rig.write(
        "a.conllu",
        [
            sentence(
                "# newdoc id = d1\n# newpar id = d1-p1\n# sent_id = d1-s1\n",
                &words,
            ),
            sentence("# sent_id = d1-s2\n", &words),
            sentence("# newdoc id = d2\n# newpar\n", &words),
            sentence("# sent_id = twice\n", &words),
            sentence("# sent_id = twice\n", &words),
        ]
        .concat(),
    );
    let removed = |line: &str| {
        rig.ok(&format!("dedup {line} --recipe exact --list removed -q"))
            .out()
            .to_owned()
    };
    assert_eq!(
        removed("a.conllu --unit sentence"),
        "d1-s2\nd2#s1\nd2#s2\nd2#s3\n"
    );
    rig.ok("dedup a.conllu --recipe exact --unit sentence --keep last --list kept=kept.txt --run run --evidence all -q");
    assert_eq!(rig.text("kept.txt"), "d2#s3\n");
    assert_eq!(
        rig.ok("dedup --from run --list removed -q").out(),
        "d1-s2\nd2#s1\nd2#s2\nd2#s3\n"
    );
    assert!(rig.ok("explain run d1-s2").out().contains("d1-s2"));
    rig.ok("mark a.conllu --recipe exact --unit paragraph -o marked.conllu -q --keep last");
    rig.write("b.xml", "<TEI xml:id=\"T\"><text><body><p xml:id=\"p.1\">Das ist das Haus.</p><p>Das ist das Haus.</p><p xml:id=\"p.3\">Das ist das Haus.</p></body></text></TEI>");
    assert_eq!(removed("b.xml --unit paragraph"), "T#p2\np.3\n");
    assert_eq!(removed("b.xml --unit paragraph --keep last"), "p.1\nT#p2\n");
    let tokens = rig.ok("tokens a.conllu --unit sentence --id d1-s2 -q");
    assert_eq!(tokens.out(), "das ist das haus vom nikolaus\n");
}

/// Two documents of the same words, the second with other tags.
fn annotated() -> String {
    // More than Onion takes for a stub.
    let words = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey twelve".split(' ');
    let document = |id: &str, tag: &str| {
        let lines: String = words
            .clone()
            .map(|word| [word, "\t", word, "\t", tag, word, "\n"].concat())
            .collect();
        format!("<doc id=\"{id}\">\n<p>\n{lines}</p>\n</doc>\n")
    };
    document("a", "N") + &document("b", "V")
}

#[test]
fn a_named_column_is_what_onion_compares() {
    let rig = Rig::new();
    rig.write("a.vert", annotated());
    for recipe in ["onion --unit document", "benko"] {
        for (options, columns, removed) in [
            ("", "whole lines of 3 columns", false),
            ("--word-column 1", "column 1 of 3", true),
            ("--word-column 3", "column 3 of 3", false),
            (
                "--word-column lemma --columns word,lemma,tag",
                "column 2 of 3 (lemma)",
                true,
            ),
        ] {
            let line = format!("dedup a.vert -o out.vert --recipe {recipe} {options}");
            let ended = rig.ok(&line);
            assert!(ended.stderr.contains(columns), "{line}\n{}", ended.stderr);
            assert_eq!(
                rig.text("out.vert").contains("twelve\ttwelve\tVtwelve"),
                !removed,
                "{line}"
            );
            let json = rig.ok(&format!("{line} --json"));
            assert!(
                json.out().contains(&format!("\"columns\":\"{columns}\""))
                    || json.out().contains(&format!("\"columns\": \"{columns}\"")),
                "{}",
                json.out()
            );
        }
    }
    rig.write("one.vert", "<doc>\none\ntwo\n</doc>\n");
    let ended = rig.ok("dedup one.vert -o out.vert");
    assert!(!ended.stderr.contains("compares  "), "{}", ended.stderr);
    rig.write("a.jsonl", "{\"text\":\"a\"}\n");
    rig.refuses(
        "dedup a.jsonl -o out.jsonl --word-column 1",
        &["--word-column: expected a file in a format that has it (vertical), found none"],
    );
}

#[test]
fn indented_documents_differ_where_their_words_do() {
    let rig = Rig::new();
    let document = |id: u32, words: &str| {
        let lines: String = words
            .split(' ')
            .map(|word| ["\t\t\t", word, "\t", word, "\n"].concat())
            .collect();
        format!("<doc id=\"{id}\">\n\t<p>\n\t\t<s>\n{lines}\t\t</s>\n\t</p>\n</doc>\n")
    };
    let (first, second) = (
        document(1, "the keeper of the lamp wrote down the hour and the wind"),
        document(
            2,
            "a cake of plums needs flour butter sugar and some patience",
        ),
    );
    rig.write("a.vert", format!("{first}{second}{first}"));
    rig.ok("dedup a.vert -o out.vert -q");
    assert_eq!(rig.text("out.vert"), format!("{first}{second}"));
    rig.ok("dedup a.vert -o out.vert --recipe onion --set onion.smooth=false -q");
    assert!(rig.text("out.vert").contains(&second));
}
