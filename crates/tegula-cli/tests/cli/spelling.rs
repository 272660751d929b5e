//! Options in messages: the libraries mark them, and the command line writes them as its own.

use crate::rig::Rig;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const OPEN: char = '⟨';

#[test]
fn libraries_name_no_flags_and_only_options_that_there_are() {
    let (options, mut marks, mut wrong) = (options(), BTreeSet::new(), String::new());
    assert!(
        options.len() > 50 && options.contains("output"),
        "{options:?}"
    );
    for (file, literals) in libraries() {
        let file = file.display();
        for text in &literals {
            // Examples are lines to type.
            let is_example = text.contains("Examples:\n");
            for flag in flags(text).into_iter().filter(|_| !is_example) {
                let _ = writeln!(
                    wrong,
                    "{file}: expected a mark such as ⟨id_key⟩, found {flag}: {text}"
                );
            }
            // The names of declared options are put in by the program.
            let is_put_in = |name: &&str| name.starts_with('{') || name.is_empty();
            for name in names(text).filter(|name| !is_put_in(name) && !options.contains(*name)) {
                let _ = writeln!(
                    wrong,
                    "{file}: expected an option of the command line, found ⟨{name}⟩: {text}"
                );
            }
            marks.extend(names(text).map(str::to_owned));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(marks.len() > 40, "{marks:?}");
}

#[test]
fn flags_are_told_from_what_merely_looks_like_them() {
    assert_eq!(
        flags("name it with --id-key, or -o; (--by) \"--set\""),
        ["--id-key", "-o", "--by", "--set"]
    );
    for other in [
        "<!-- note -->",
        "<!--note-->",
        "color: var(--ink)",
        "a--b",
        "near-o",
        "-- what",
        "-1",
        "x - y",
        "ulimit -u",
        "---x",
    ] {
        assert_eq!(flags(other), Vec::<&str>::new(), "{other}");
    }
}

#[test]
fn only_texts_that_users_see_are_looked_at() {
    let source = "// \"comment\"\nlet a = \"one \\\"--x\\\" \\\n     two\"; /* \"no\" */ let b: &'a str = r#\"thr\"ee\"#; let c = ['\"', '\\''];
        #[cfg(test)]\n#[allow(unused)]\nmod tests { fn f() { \"test\"; } }\n#[cfg(feature = \"x\")] fn g() { b\"four\" }";
    assert_eq!(
        literals(Path::new("a.rs"), source).0,
        ["one \"--x\" two", "thr\"ee", "x", "four"]
    );
    let modules = "#[cfg(test)]\nmod tests;\n#[cfg(test)]\n#[path = \"b_tests.rs\"]\nmod more;";
    let named = |name: &str| vec![PathBuf::from(name)];
    assert_eq!(
        literals(Path::new("src/a.rs"), modules).1,
        [named("src/a/tests"), named("src/b_tests")].concat()
    );
    assert_eq!(
        literals(Path::new("src/mod.rs"), modules).1,
        [named("src/tests"), named("src/b_tests")].concat()
    );
}

/// A text of a user is no option, whatever it has in it.
#[test]
fn brackets_of_users_are_shown_as_they_are() {
    let rig = Rig::with("peps.jsonl");
    for name in ["⟨no_such⟩", "⟨", "⟩⟨", "⟨a=⟨b⟩"] {
        rig.refuses(
            &format!("pairs peps.jsonl -o pairs.tsv --within {name}"),
            &[&format!("'{name}'")],
        );
    }
    assert_eq!(
        rig.run("pairs peps.jsonl -o pairs.tsv --within ⟨id_key⟩")
            .code,
        2
    );
}

/// What warnings say is the same on the terminal, as JSON, in the run's folder and on its page.
#[test]
fn no_mark_is_left_in_what_a_run_writes() {
    let rig = Rig::new();
    let lines: Vec<String> = (0..40)
        .map(|number| {
            format!(
                "{{\"id\":\"{number}\",\"text\":\"heading {}\"}}\n",
                number / 2
            )
        })
        .collect();
    rig.write("in.jsonl", lines.concat());
    let ended = rig.ok("dedup in.jsonl -o out.jsonl --recipe exact --run run --json");
    for shown in [&ended.stderr, ended.out(), &rig.text("run/run.json")] {
        assert!(
            shown.contains("--min-tokens 5 leaves units that short alone") && !shown.contains(OPEN),
            "{shown}"
        );
    }
    rig.ok("report run -o page.html --tables tables -q");
    assert!(rig.text("page.html").contains("--min-tokens 5"));
    for name in rig
        .files()
        .iter()
        .filter(|name| !name.ends_with(".parquet"))
    {
        assert!(!rig.text(name).contains(OPEN), "{name}");
    }
}

/// The long options of all commands, in snake case.
fn options() -> BTreeSet<String> {
    fn add(rig: &Rig, command: &str, options: &mut BTreeSet<String>) {
        let help = rig.ok(&format!("{command} --help"));
        let mut is_command = false;
        for line in help.out().lines() {
            if !line.starts_with(' ') {
                // Commands stand in groups.
                is_command = command.is_empty() && line.ends_with(':') && line != "Options:";
            } else if is_command && line.starts_with("  ") && !line.starts_with("   ") {
                let name = line.split_whitespace().next().unwrap();
                if name == "help" {
                    continue;
                }
                add(rig, &format!("{command} {name}"), options);
            } else if line.trim_start().starts_with('-') {
                let long = line
                    .split([' ', ',', '='])
                    .find_map(|word| word.strip_prefix("--"));
                options.extend(long.map(|long| long.replace('-', "_")));
            }
        }
    }
    let mut options = BTreeSet::new();
    add(&Rig::new(), "", &mut options);
    // The first screen does not list it.
    add(&Rig::new(), "study", &mut options);
    options
}

/// The files of the libraries that are no tests, with their string literals.
fn libraries() -> Vec<(PathBuf, Vec<String>)> {
    let (mut files, mut tests) = (Vec::new(), Vec::new());
    for library in ["tegula", "tegula-io", "tegula-report", "tegula-run"] {
        let mut open = vec![
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .parent()
                .unwrap()
                .join(library)
                .join("src"),
        ];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let (literals, modules) = literals(&path, &fs::read_to_string(&path).unwrap());
                    files.push((path, literals));
                    tests.extend(modules);
                }
            }
        }
    }
    assert!(files.len() > 200);
    files.retain(|(path, _)| {
        !tests
            .iter()
            .any(|test| path.with_extension("").starts_with(test))
    });
    files
}

/// The flags that a text names. No flags are comments of HTML, `var(--x)` of CSS, and the options
/// of the shell's `ulimit`.
fn flags(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices('-') {
        let (before, rest) = (&text[..start], &text[start..]);
        let dashes = rest.len() - rest.trim_start_matches('-').len();
        let end = rest[dashes..]
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .map_or(rest.len(), |end| dashes + end);
        let name = &rest[dashes..end];
        let is_flag = match dashes {
            1 => {
                name.len() == 1
                    && name.starts_with(|c: char| c.is_ascii_alphabetic())
                    && !before.ends_with("ulimit ")
            }
            2 => name.starts_with(|c: char| c.is_ascii_lowercase()) && !before.ends_with("var("),
            _ => false,
        };
        if is_flag && !before.ends_with(|c: char| c.is_alphanumeric() || "-!_".contains(c)) {
            found.push(rest[..end].trim_end_matches('-'));
        }
    }
    found
}

/// The options that a text marks.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let name = |rest: &'_ str| {
        rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len())
    };
    text.match_indices(OPEN)
        .map(move |(start, open)| &text[start + open.len()..])
        .map(move |rest| &rest[..name(rest)])
}

/// A piece of source code, as far as it matters here.
#[derive(PartialEq)]
enum Token {
    Literal(String),
    Word(String),
    Sign(char),
}

/// The string literals of a source file outside of comments and tests, and the modules that are
/// tests and stand in files of their own: their paths without an ending.
fn literals(path: &Path, source: &str) -> (Vec<String>, Vec<PathBuf>) {
    let folder = path.parent().unwrap();
    let stem = path.file_stem().unwrap();
    let inner = if stem == "mod" || stem == "lib" {
        folder.to_path_buf()
    } else {
        folder.join(stem)
    };
    let (tokens, mut at) = (tokens(source), 0);
    let (mut literals, mut modules) = (Vec::new(), Vec::new());
    let is_word =
        |token: &Token, wanted: &str| matches!(token, Token::Word(word) if word == wanted);
    while at < tokens.len() {
        let attribute = attribute(&tokens[at..]);
        if attribute.iter().any(|token| is_word(token, "cfg"))
            && attribute.iter().any(|token| is_word(token, "test"))
        {
            let mut named = None;
            while let attribute @ [_, ..] = self::attribute(&tokens[at..]) {
                if let [.., kind, Token::Sign('='), Token::Literal(file), _] = attribute
                    && is_word(kind, "path")
                {
                    named = Some(folder.join(file).with_extension(""));
                }
                at += attribute.len();
            }
            let item = item(&tokens[at..]);
            if let [.., kind, Token::Word(name), Token::Sign(';')] = item
                && is_word(kind, "mod")
            {
                modules.push(named.unwrap_or_else(|| inner.join(name)));
            }
            at += item.len();
            continue;
        }
        if let Token::Literal(text) = &tokens[at] {
            literals.push(text.clone());
        }
        at += 1;
    }
    (literals, modules)
}

/// The attribute at the beginning.
fn attribute(tokens: &[Token]) -> &[Token] {
    match tokens {
        [Token::Sign('#'), Token::Sign('['), ..] => &tokens[..=group(tokens, ']')],
        _ => &[],
    }
}

/// The item at the beginning: up to its semicolon, or to the end of its body.
fn item(tokens: &[Token]) -> &[Token] {
    let mut at = 0;
    while at < tokens.len() && tokens[at] != Token::Sign(';') {
        match tokens[at] {
            Token::Sign('{') => return &tokens[..=at + group(&tokens[at..], '}')],
            Token::Sign('(') => at += group(&tokens[at..], ')'),
            Token::Sign('[') => at += group(&tokens[at..], ']'),
            _ => {}
        }
        at += 1;
    }
    &tokens[..(at + 1).min(tokens.len())]
}

/// Where the first group of brackets that are closed in this way ends.
fn group(tokens: &[Token], close: char) -> usize {
    let open = match close {
        ']' => '[',
        ')' => '(',
        _ => '{',
    };
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        if *token == Token::Sign(open) {
            depth += 1;
        } else if *token == Token::Sign(close) {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    panic!("brackets that are never closed");
}

/// The tokens of Rust, without comments, characters and lifetimes.
fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let is = |at: usize, text: &str| {
        text.chars()
            .enumerate()
            .all(|(place, c)| chars.get(at + place) == Some(&c))
    };
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let c = chars[at];
        if is(at, "//") {
            at += chars[at..].iter().take_while(|c| **c != '\n').count();
        } else if is(at, "/*") {
            at += 2
                + (at + 2..chars.len())
                    .take_while(|at| !is(*at, "*/"))
                    .count()
                + 2;
        } else if c == '"' {
            let (mut text, mut escaped) = (String::new(), false);
            at += 1;
            while escaped || chars[at] != '"' {
                if escaped && chars[at] == '\n' {
                    at += chars[at..].iter().take_while(|c| c.is_whitespace()).count() - 1;
                } else if escaped && !"\"'\\".contains(chars[at]) {
                    // A line end, or any other character that has no letter.
                    text.push(' ');
                } else if escaped || chars[at] != '\\' {
                    text.push(chars[at]);
                }
                escaped = !escaped && chars[at] == '\\';
                at += 1;
            }
            at += 1;
            tokens.push(Token::Literal(text));
        } else if c == '\'' {
            // A character, or a lifetime.
            at += match (chars.get(at + 1), chars.get(at + 2)) {
                (Some('\\'), _) => 4 + chars[at + 3..].iter().take_while(|c| **c != '\'').count(),
                (_, Some('\'')) => 3,
                _ => 1,
            };
        } else if c.is_alphanumeric() || c == '_' {
            let word: String = chars[at..]
                .iter()
                .take_while(|c| c.is_alphanumeric() || **c == '_')
                .collect();
            at += word.chars().count();
            let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
            if ["r", "br"].contains(&word.as_str()) && chars.get(at + hashes) == Some(&'"') {
                let end = format!("\"{}", "#".repeat(hashes));
                at += hashes + 1;
                let text: String = (at..chars.len())
                    .take_while(|at| !is(*at, &end))
                    .map(|at| chars[at])
                    .collect();
                at += text.chars().count() + end.len();
                tokens.push(Token::Literal(text));
            } else if chars.get(at) != Some(&'"') || word != "b" {
                tokens.push(Token::Word(word));
            }
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Sign(c));
            }
            at += 1;
        }
    }
    tokens
}
