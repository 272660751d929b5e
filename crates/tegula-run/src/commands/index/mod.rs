//! Makes an index of texts, and changes it.

mod indexed;

pub use indexed::{How, Indexed};

use crate::command::Command;
use crate::commands::statistics;
use crate::host::Host;
use crate::opened::{Opened, Opening, claims, single};
use crate::options::{InputOptions, PairOptions, RecipeOptions, Shown, Window};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tegula::date::DateFormat;
use tegula::declare::Options as _;
use tegula::error::{Error, ErrorKind, Result};
use tegula::field::{FieldNeed, Holds};
use tegula::index::{Changed, Counted, Description, Frequencies, IdTaken, Index, Making, Writer};
use tegula::recipe::Recipe;
use tegula::record::Source as _;
use tegula_report::form::plural;

tegula::options! {
    /// An index, and what is done to it.
    pub struct IndexSpec under "" {
        /// The folder of the index; created if it does not exist
        #[serde(with = "tegula_io::path")]
        pub index: PathBuf => "INDEX",
    } under "What is kept" {
        /// Keep this field of each record, and return it in answers; may be repeated
        pub fields: Vec<String> => "FIELD",

        /// Do not keep the texts: a smaller index, whose answers have no passages
        pub no_texts: bool => "",
    } under "Change" {
        /// If an id is already there, put the new text in place of the old one
        pub replace: bool => "",

        /// If an id is already there, skip the new text
        pub skip_known: bool => "",

        /// Remove the text with this id; may be repeated
        pub remove: Vec<String> => "ID",

        /// Remove the texts whose ids are in this file, one in each line; `-` is standard input
        #[serde(with = "tegula_io::path::option")]
        pub remove_list: Option<PathBuf> => "FILE",

        /// Remove texts whose date, in a kept field, is more than this many days or weeks ago
        pub expire: Option<Window> => "FIELD=30d",

        /// Say what would be added and removed, and change nothing
        pub dry_run: bool => "",

        /// Merge all segments: for the fastest answers, and to free the room of removed texts
        pub merge: bool => "",
    } under "Inspect" {
        /// Verify the checksum of every page
        pub check: bool => "",

        /// Describe the index
        pub info: bool => "",
    }
    blocks {
        /// What to add, and how to read it.
        pub input: InputOptions,
        /// How texts are compared.
        pub recipe: RecipeOptions,
    }
    besides {}
}

impl Command for IndexSpec {
    const NAME: &'static str = "index";
    const ABOUT: &'static str = "Create an index of texts to query, add to it, or remove from it";
    const EXAMPLES: &'static str = "Examples:
  tegula index ads.idx ads-2024.jsonl --recipe messages --fields date
  tegula index ads.idx new.jsonl.zst
  tegula index ads.idx --remove ad-17 --expire date=30d --dry-run
  tegula index ads.idx --info

An index is a folder. The recipe, the fields and whether texts are kept are those with which it was made:
what is added later follows them. An addition or removal takes effect as a whole, or not at all if it is
interrupted; what was added is on disk when the command ends. Only one process at a time can change an index;
others may query it meanwhile.";
    const SHOWN: Shown = Shown::running(&["json", "width"]);
    const RULES_OUT: &'static [(&'static str, &'static [&'static str])] =
        &[("replace", &["skip_known"]), ("dry_run", &["merge"])];
    type Answer = Indexed;

    fn run(&self, host: &Host) -> Result<Indexed> {
        let host = &self.recipe.read_by(host);
        let context = &host.context;
        let path = self.index.as_path();
        tegula_io::store::check_local("⟨index⟩", path)?;
        let is_there = Index::is_one(path);
        let asks = self.removes() || self.merge || self.check || self.info;
        if self.input.inputs.is_empty() && asks && !is_there {
            // Says that it is none.
            return Index::open(path, context).and_then(|index| self.change(host, &index));
        }
        // A recipe alone makes an empty one.
        let makes = !is_there && self.recipe.recipe.is_some();
        if self.input.inputs.is_empty() && !asks && !makes {
            return Err(ErrorKind::Usage
                .expected("files or folders to add")
                .found("none")
                .hint("name them after the index, or name what to do with it: ⟨remove⟩, ⟨expire⟩, ⟨merge⟩, ⟨check⟩ or ⟨info⟩"));
        }
        if self.replace && self.skip_known {
            return Err(Error::of("⟨replace⟩")
                .expected("no ⟨skip_known⟩")
                .found("both"));
        }
        if self.dry_run && (self.merge || self.input.inputs.is_empty() && !self.removes()) {
            return Err(Error::of("⟨dry_run⟩")
                .expected("texts to add or remove")
                .found(if self.merge { "⟨merge⟩" } else { "none" }));
        }
        if !is_there {
            let index = self.create(host)?;
            let done = self.change(host, &index);
            if done.is_err() || self.dry_run {
                index.discard()?;
            }
            return done.map(|done| Indexed {
                how: if self.dry_run {
                    How::DryRun
                } else {
                    How::Created
                },
                ..done
            });
        }
        let index = Index::open(path, context)?;
        self.check_fixed(host, &index)?;
        self.change(host, &index)
    }
}

/// Names that an answer has for itself.
const RESERVED: [&str; 5] = ["id", "score", "shared", "passages", "text"];

impl IndexSpec {
    /// Makes the index.
    fn create(&self, host: &Host) -> Result<Index> {
        let pairs = PairOptions::default();
        let advised = self.recipe.advised(host, &self.input, &pairs, false)?;
        let recipe = advised.recipe(host.recipes())?;
        if let Some(field) = self
            .fields
            .iter()
            .find(|field| RESERVED.contains(&field.as_str()))
        {
            return Err(Error::of("⟨fields⟩")
                .expected("field names that answers do not already use")
                .found(format!("'{field}'"))
                .hint("rename the field in the input"));
        }
        let content = statistics::content(&recipe, &host.context)?;
        let steps = statistics::steps(&recipe.normalise);
        let making = Making {
            recipe: &recipe,
            texts: !self.no_texts,
            fields: &self.fields,
            statistics: content.as_deref().map(|content| Frequencies {
                content,
                steps: &steps,
            }),
        };
        Index::create(&self.index, making, &host.context)
    }

    /// Does what is asked.
    fn change(&self, host: &Host, index: &Index) -> Result<Indexed> {
        let context = &host.context;
        let (adds, removes) = (!self.input.inputs.is_empty(), self.removes());
        let (mut unknown, mut bad) = (0, 0);
        let (mut changed, mut merged) = (Changed::default(), 0);
        if adds || removes {
            let mut writer = index.write(context)?;
            if removes {
                unknown = self.remove(host, &mut writer, index)?;
            }
            if adds {
                bad = self.add(host, &mut writer, index)?;
            }
            changed = if self.dry_run {
                writer.changed()
            } else {
                writer.commit()?
            };
        }
        if (adds || removes || self.merge) && !self.dry_run {
            merged = index.merge(context, self.merge)?;
        }
        if self.check {
            index.check(context)?;
        }
        Ok(Indexed {
            path: self.index.clone(),
            changed,
            unknown,
            bad,
            merged,
            checked: self.check,
            how: if self.dry_run {
                How::DryRun
            } else {
                How::Updated
            },
            description: index.description(),
            is_described: self.info,
        })
    }

    /// Whether texts are to be removed.
    fn removes(&self) -> bool {
        !self.remove.is_empty() || self.remove_list.is_some() || self.expire.is_some()
    }

    /// Refuses options that an index has since it was made, unless they say the same.
    fn check_fixed(&self, host: &Host, index: &Index) -> Result<()> {
        let description = index.description();
        let fixed = |option: &str, is: String| {
            Error::of(format!("⟨{option}⟩"))
                .expected("what the index was made with")
                .found(is)
                .at(index.path())
                .hint("leave it out, or make another index")
        };
        if !self.recipe.given().is_empty() {
            let recipe = Recipe {
                statistics: None,
                ..self.recipe.recipe(host.recipes())?
            };
            if recipe != description.recipe {
                return Err(fixed("recipe", "another recipe, or other settings".into()));
            }
            let given = self.recipe.recipe(host.recipes())?;
            if let (Some(content), Some(own)) = (
                statistics::content(&given, &host.context)?,
                &description.statistics,
            ) && Counted::new(&own.steps, &content) != *own
            {
                return Err(fixed("statistics", "other frequencies".into()));
            }
        }
        if !self.fields.is_empty() && self.fields != description.fields {
            return Err(fixed("fields", self.fields.join(", ")));
        }
        if self.no_texts && description.texts {
            return Err(fixed("no_texts", "it".into()));
        }
        Ok(())
    }

    /// Removes what is to be removed; returns how many ids are not there.
    fn remove(&self, host: &Host, writer: &mut Writer, index: &Index) -> Result<u64> {
        let mut unknown = 0;
        let mut remove = |writer: &mut Writer, id: &str| -> Result<()> {
            unknown += u64::from(!writer.remove(id)?);
            Ok(())
        };
        for id in &self.remove {
            remove(writer, id)?;
        }
        if let Some(path) = &self.remove_list {
            let content = if path.as_os_str() == "-" {
                let mut content = Vec::new();
                let read = std::io::stdin().read_to_end(&mut content);
                read.map_err(|error| Error::io("read", path, error))?;
                content
            } else {
                tegula_io::compress::read_whole(path, LIST, |_| "split the list".to_owned())?
            };
            let text = String::from_utf8(content)
                .map_err(|_| Error::data("expected ids in UTF-8").at(path))?;
            for id in text.lines().filter(|id| !id.is_empty()) {
                remove(writer, id)?;
            }
        }
        if let Some(window) = &self.expire {
            let name = &window.field.name;
            let fields = index.description().fields;
            let at = fields.iter().position(|field| field == name);
            let at = at.ok_or_else(|| {
                Error::of("⟨expire⟩")
                    .expected("a field that the index keeps")
                    .found(format!("'{name}'"))
                    .hint("make another index that keeps it: ⟨fields⟩")
            })?;
            let dates = DateFormat::default();
            let first = today() - i64::from(window.days);
            let mut undated = 0_u64;
            writer.remove_if(|values| {
                let value = values.get(at).copied().flatten();
                let moment = value.and_then(|value| dates.read(value).moment());
                undated += u64::from(moment.is_none());
                Ok(moment.is_some_and(|moment| moment.day() < first))
            })?;
            if undated > 0 {
                host.warn(&format!(
                    "{} in which '{name}' is not a date, or is ambiguous: not removed",
                    plural(undated, "text")
                ));
            }
        }
        Ok(unknown)
    }

    /// Adds the inputs; returns how many records were bad and skipped.
    fn add(&self, host: &Host, writer: &mut Writer, index: &Index) -> Result<u64> {
        let mut input = self
            .input
            .spec(&RecipeOptions::default(), &PairOptions::default())?;
        let staged = single(index.recipe());
        let outputs = claims::outputs(host, [], &[])?;
        outside(index.path(), &input.paths)?;
        let Description {
            fields, segments, ..
        } = index.description();
        let need = |name: &String| FieldNeed {
            name: name.clone(),
            holds: Holds::Anything,
        };
        // The first texts must have the fields; later ones may lack them.
        let mut needs: Vec<FieldNeed> = fields.iter().map(need).collect();
        if !segments.is_empty() {
            needs.clear();
            input.read.needs.fields = fields;
        }
        let opened = Opened::new(
            host,
            &outputs,
            Opening {
                fields: needs,
                compares_wholes: false,
                ..Opening::new(&input, &staged)
            },
        )?;
        opened.begin()?;
        let taken = match (self.replace, self.skip_known) {
            (true, _) => IdTaken::Replace,
            (_, true) => IdTaken::Skip,
            _ => IdTaken::Refuse,
        };
        let bytes = opened.inputs.files().iter().map(|file| file.bytes).sum();
        host.context
            .progress
            .begin("index", Some(bytes), tegula::context::Amount::Bytes);
        let ((), skipped) = opened.read(|bad| writer.add(&opened.inputs, taken, bad))?;
        host.context.progress.end();
        opened.publish()?;
        Ok(skipped.len() as u64)
    }
}

/// The most bytes of a list of ids.
const LIST: u64 = 1 << 30;

/// Refuses inputs in the folder of an index.
pub(crate) fn outside(index: &Path, inputs: &[PathBuf]) -> Result<()> {
    let Ok(folder) = index.canonicalize() else {
        return Ok(());
    };
    let is_inside = |path: &&PathBuf| {
        path.canonicalize()
            .is_ok_and(|path| path.starts_with(&folder))
    };
    match inputs.iter().find(is_inside) {
        Some(path) => Err(ErrorKind::Usage
            .expected("inputs outside of the index")
            .found("one of its files")
            .at(path)),
        None => Ok(()),
    }
}

/// Days since 1970.
fn today() -> i64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    (now.as_secs() / (24 * 60 * 60)) as i64
}
