//! Every command from a program: its options by name, its figures, its outputs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
#[cfg(feature = "serve")]
use std::sync::atomic::Ordering;
use tegula::context::Context;
use tegula::declare::{Holds, Kind, Options as _};
use tegula::scratch::Scratch;
use tegula_run::Host;
use tegula_run::command::Found;
use tegula_run::commands::{self, named};
use tegula_run::config::Config;
use tegula_run::options::MachineOptions;

const COPY: &str =
    "the harbour was closed at noon because of the storm said the port authority on monday";
const OTHER: &str =
    "two more ferries were cancelled in the evening by their owners and nobody complained about it";

fn host() -> Host {
    Host::new(Context::new(2, 1 << 30, Scratch::system()))
}

/// Four texts, of which three are copies; with sources and dates.
fn texts() -> String {
    let row = |id: &str, day: u32, text: &str| {
        format!(
            "{{\"id\":\"{id}\",\"source\":\"s{day}\",\"date\":\"2020-01-0{day}\",\"text\":\"{text}\"}}\n"
        )
    };
    [
        row("a", 1, COPY),
        row("b", 2, OTHER),
        row("c", 3, COPY),
        row("d", 4, &format!("{COPY} again")),
    ]
    .concat()
}

/// A folder with texts, in which commands are run.
struct Place {
    folder: tempfile::TempDir,
    asked: BTreeSet<String>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("texts.jsonl", &texts());
        write("a.txt", COPY);
        write("b.txt", &format!("{COPY} again"));
        write("gold.tsv", "id_a\tid_b\na\tc\na\td\nc\td\n");
        let line = |word: &str| format!("{word}\n");
        let words: String = COPY.split(' ').map(line).collect();
        write(
            "corpus.vert",
            &format!("<doc>\n<p>\n{words}</p>\n<p>\n{words}</p>\n</doc>\n"),
        );
        Self {
            folder,
            asked: BTreeSet::new(),
        }
    }

    /// Runs a command; values that begin with `@` are paths in the folder.
    fn ask(&mut self, name: &str, options: &[(&str, &str)]) -> Found {
        self.asked.insert(name.to_owned());
        let mut command = (named(name).unwrap().new)();
        for (option, value) in options {
            let value = match value.strip_prefix('@') {
                Some(path) => self.folder.path().join(path).into_os_string(),
                None => value.into(),
            };
            command
                .set(option, &value)
                .unwrap_or_else(|| panic!("{name} has no {option}"))
                .unwrap_or_else(|message| panic!("{name} {option}: {message}"));
        }
        command
            .run(&host(), 80)
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn has(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

#[test]
fn every_command_runs_from_a_program() {
    let mut here = Place::new();
    let texts = ("inputs", "@texts.jsonl");
    let all = ("evidence", "all");
    let found = here.ask(
        "dedup",
        &[texts, ("output", "@clean.jsonl"), ("run", "@run"), all],
    );
    assert_eq!(found.figures["balance"]["removed"]["units"], 2);
    assert_eq!(here.read("clean.jsonl").lines().count(), 2);
    here.ask(
        "dedup",
        &[texts, ("recipe", "exact"), ("run", "@exact"), all],
    );
    here.ask("mark", &[texts, ("output", "@marked.jsonl")]);
    assert!(here.read("marked.jsonl").contains("\"duplicate_of\":\"d\""));
    let found = here.ask(
        "pairs",
        &[texts, ("output", "@pairs.tsv"), ("expand", "true")],
    );
    assert!(found.text.is_none());
    assert!(here.read("pairs.tsv").lines().count() > 3);
    let found = here.ask("cluster", &[("pairs", "@run"), ("output", "@clusters.tsv")]);
    assert_eq!(found.figures["clusters"], 1);
    let found = here.ask("explain", &[("run", "@run"), ("id", "a")]);
    assert_eq!(found.figures["decision"]["verdict"], "removed");
    assert!(found.text.unwrap().contains("a was removed: d"));
    here.ask("report", &[("run", "@run"), ("output", "@report.html")]);
    assert!(here.read("report.html").contains("<svg"));
    let found = here.ask("diff", &[("first", "@run"), ("second", "@exact")]);
    assert_eq!(found.figures["caught"]["both"]["units"], 1);
    here.ask("judge", &[("run", "@run"), ("output", "@judge.html")]);
    assert!(here.has("judge.html"));
    let found = here.ask(
        "evaluate",
        &[("gold", "@gold.tsv"), ("results", "@pairs.tsv")],
    );
    assert!(found.figures.to_string().contains("recall"));
    let found = here.ask("passages", &[texts, ("output", "@passages.tsv")]);
    assert!(found.figures["passages"].as_u64().unwrap() > 0);
    let found = here.ask("phrases", &[texts, ("output", "@phrases.tsv")]);
    assert!(found.figures["phrases"].as_u64().unwrap() > 0);
    here.ask("templates", &[texts, ("output", "@templates.tsv")]);
    let by = [("date", "date"), ("by", "source"), ("min_tokens", "5")];
    let stories = [&[texts, ("output", "@stories.tsv")][..], &by].concat();
    assert_eq!(here.ask("stories", &stories).figures["stories"], 1);
    let found = here.ask("sweep", &[texts, ("ngrams", "3,5"), ("thresholds", "0.5")]);
    assert_eq!(found.figures["cells"].as_array().unwrap().len(), 2);
    let study = [("figures", "growth"), texts, ("steps", "2")];
    let found = here.ask("study", &study);
    assert_eq!(found.figures["tables"][0]["rows"][1][0], 4);
    let terms = ("recipe", "cosine");
    let found = here.ask("stats", &[texts, terms, ("output", "@terms.tsv")]);
    assert_eq!(found.figures["units"], 4);
    let found = here.ask("tokens", &[texts, ("output", "@tokens.txt")]);
    assert_eq!(found.figures["units"], 4);
    assert!(
        here.read("tokens.txt")
            .starts_with("the harbour was closed")
    );
    let found = here.ask("plan", &[texts]);
    assert!(found.figures.is_object());
    let found = here.ask(
        "find",
        &[
            ("inputs", "@a.txt"),
            ("inputs", "@b.txt"),
            ("output", "@copies.tsv"),
        ],
    );
    assert_eq!(found.figures["copies"], 1);
    let found = here.ask(
        "filter",
        &[("input", "@texts.jsonl"), ("output", "@kept.jsonl")],
    );
    assert_eq!(found.figures["hidden"], 2);
    let found = here.ask("index", &[("index", "@idx"), texts]);
    assert_eq!(found.figures["added"], 4);
    let answers = ("output", "@answers.jsonl");
    let found = here.ask("query", &[("index", "@idx"), texts, answers]);
    assert_eq!(found.figures["asked"], 4);
    assert!(here.read("answers.jsonl").contains("\"score\":1.0"));
    #[cfg(feature = "serve")]
    {
        // One that is stopped as soon as it has begun.
        let host = host();
        host.context.cancel.store(true, Ordering::Relaxed);
        let mut serve = (named("serve").unwrap().new)();
        let index = here.folder.path().join("idx");
        for (name, value) in [
            ("index", index.as_os_str()),
            ("address", OsStr::new("127.0.0.1:0")),
        ] {
            serve.set(name, value).unwrap().unwrap();
        }
        assert_eq!(serve.run(&host, 80).unwrap().figures["requests"], 0);
        here.asked.insert("serve".to_owned());
    }
    let found = here.ask("compare", &[("inputs", "@a.txt"), ("inputs", "@b.txt")]);
    assert!(found.figures["measures"]["ssr"].as_f64().unwrap() > 0.8);
    here.ask(
        "rerun",
        &[
            ("source", "@run"),
            ("output", "@again.jsonl"),
            ("run", "@again"),
        ],
    );
    assert_eq!(here.read("again.jsonl"), here.read("clean.jsonl"));
    let found = here.ask(
        "onion",
        &[("files", "@corpus.vert"), ("output", "@onion.vert")],
    );
    assert_eq!(found.figures["paragraphs"], 2);
    let found = here.ask("recipes", &[]);
    assert!(found.figures.as_array().unwrap().len() > 15);
    let names: BTreeSet<String> = commands::all().map(|entry| entry.name.to_owned()).collect();
    assert_eq!(here.asked, names, "each command has its line above");
}

/// A valid value of an option.
fn sample(option: &tegula::declare::Declared) -> &'static str {
    match (option.name, option.holds) {
        _ if option.kind == Kind::Switch => "true",
        (_, Holds::Choice) => option.choices[0].name,
        (_, Holds::Whole) => "5",
        (_, Holds::Path) => "some/path",
        ("threshold" | "thresholds" | "min_identity" | "min_constant", _) => "0.5",
        ("memory", _) => "1G",
        ("common", _) => "none",
        ("set", _) => "ngram=5",
        ("window" | "expire", _) => "date=3d",
        ("list", _) => "kept=ids.txt",
        ("add", _) => "copies",
        ("delimiter" | "quote" | "escape" | "comment", _) => ";",
        _ => "1",
    }
}

#[test]
fn every_option_of_every_command_is_given_once_it_is_set() {
    let mut tried = 0;
    for entry in commands::all() {
        let declared = (entry.options)();
        let names: BTreeSet<&str> = declared.iter().map(|option| option.name).collect();
        assert_eq!(names.len(), declared.len(), "{}: a name twice", entry.name);
        for option in &declared {
            let at = format!("{} {}", entry.name, option.name);
            assert!(!option.paragraphs().is_empty(), "{at}: no help");
            let mut command = (entry.new)();
            assert_eq!(command.given(), [""; 0], "{at}");
            let value = sample(option);
            match command.set(option.name, OsStr::new(value)) {
                Some(Ok(())) => assert_eq!(command.given(), [option.name], "{at}"),
                Some(Err(message)) => panic!("{at}: {value}: {message}"),
                None => panic!("{at}: declared, but not set"),
            }
            tried += 1;
        }
        assert!((entry.new)().set("no_such", OsStr::new("1")).is_none());
    }
    assert!(tried > 500, "{tried}");
    assert_eq!(MachineOptions::declared().len(), 3);
}

#[test]
fn what_a_program_asks_of_one_machine_goes_into_the_context() {
    let mut machine = MachineOptions::default();
    machine.set("memory", OsStr::new("256M")).unwrap().unwrap();
    machine.set("threads", OsStr::new("1")).unwrap().unwrap();
    assert_eq!(machine.context().unwrap().threads(), 1);
}

#[test]
fn every_option_of_every_command_may_be_in_a_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tegula.toml");
    let mut text = String::new();
    for entry in commands::all() {
        let _ = writeln!(text, "[{}]", entry.name);
        for option in (entry.options)()
            .iter()
            .filter(|option| !option.heading.is_empty())
        {
            let value = sample(option);
            let value = match (option.kind, option.holds) {
                (Kind::Switch, _) | (_, Holds::Whole) => value.to_owned(),
                (Kind::Many, _) => format!("[\"{value}\"]"),
                _ => format!("\"{value}\""),
            };
            let _ = writeln!(text, "{} = {value}", option.name.replace('_', "-"));
        }
    }
    fs::write(&path, text).unwrap();
    let config = Config::read(path, false).unwrap();
    for entry in commands::all() {
        let mut command = (entry.new)();
        let mut set = BTreeSet::new();
        for (option, texts) in config.values(entry, |_| false).unwrap() {
            for text in texts {
                command.set(option.name, text.as_ref()).unwrap().unwrap();
            }
            set.insert(option.name.to_owned());
        }
        let given: BTreeSet<String> = command.given().into_iter().map(str::to_owned).collect();
        assert_eq!(given, set, "{}", entry.name);
    }
}

#[test]
fn options_of_formats_are_refused_where_no_input_has_the_format() {
    let here = Place::new();
    let input = here.folder.path().join("texts.jsonl");
    let dedup = named("dedup").unwrap();
    let of_formats: Vec<_> = (dedup.options)()
        .into_iter()
        .filter(|option| {
            let heading = option.heading;
            heading.contains("files") || heading.starts_with("Web") || heading == "Mail"
        })
        .collect();
    assert!(of_formats.len() > 15, "{}", of_formats.len());
    let mut silent = Vec::new();
    for option in &of_formats {
        let mut command = (dedup.new)();
        for (name, value) in [
            ("inputs", input.as_os_str()),
            ("run", here.folder.path().join("r").as_os_str()),
        ] {
            command.set(name, value).unwrap().unwrap();
        }
        command
            .set(option.name, sample(option).as_ref())
            .unwrap()
            .unwrap();
        match command.run(&host(), 80) {
            Err(error) if error.to_string().contains(option.name) => {}
            Err(error) => silent.push(format!("{}: {error}", option.name)),
            Ok(_) => silent.push(option.name.to_owned()),
        }
    }
    assert_eq!(silent, [""; 0]);
}
