//! Determines where the records of a run are written, and writes them.

use crate::cluster::Cluster;
use crate::describe;
use crate::host::Host;
use crate::search::Search;
use crate::spec::OutputSpec;
use std::path::{Path, PathBuf};
use tegula::context::Amount;
use tegula::error::{Error, Result};
use tegula::recipe::{Action, Stage};
use tegula::record::{Level, Source};
use tegula_io::collection::Collection;
use tegula_io::convert::{self, Conversion};
use tegula_io::edit::Edit;
use tegula_io::options::FormatName;
use tegula_io::outputs::{Outputs, Role};
use tegula_io::rewrite::{MarkPlace, MarkStyle, RewriteOptions, rewrite};
use tegula_io::target::Target;

/// The numbers of the records of a file.
pub(crate) type Numbers<'a> = &'a dyn Fn(u32) -> Vec<u64>;

/// Where records are written.
pub(crate) enum Destination {
    /// Unchanged, to files like the inputs.
    Same(Target),
    /// To one file of another format.
    Other(PathBuf, FormatName),
}

/// What records get in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marking {
    /// Nothing.
    Nothing,
    /// The figures of kept records.
    Figures,
    /// The marks of duplicates, and these figures.
    All,
}

/// What is written of a run.
#[derive(Clone, Copy)]
pub(crate) struct Writing<'a> {
    /// The environment.
    pub(crate) host: &'a Host,
    /// The outputs.
    pub(crate) outputs: &'a Outputs,
    /// The collection to write back.
    pub(crate) main: &'a Collection,
    /// Where it is written.
    pub(crate) spec: &'a OutputSpec,
    /// The option that says so.
    pub(crate) option: &'static str,
    /// What records get in the output.
    pub(crate) marks: Marking,
    /// Whether parts of texts are removed or marked.
    pub(crate) parts: bool,
    /// Whether these begin and end anywhere.
    pub(crate) passages: bool,
}

impl<'a> Writing<'a> {
    /// What a run with decisions writes.
    pub(crate) fn of(search: &'a Search) -> Self {
        let mut stages = search.stages().iter();
        let any = |asks: fn(&Stage) -> bool| stages.clone().any(asks);
        let marks = if any(|stage| stage.action == Action::Mark) {
            Marking::All
        } else if search.spec.output.added.is_empty() {
            Marking::Nothing
        } else {
            Marking::Figures
        };
        Self {
            host: search.opened.host,
            outputs: &search.opened.outputs,
            main: &search.opened.inputs.main,
            spec: &search.spec.output,
            option: "⟨output⟩",
            marks,
            parts: any(|stage| stage.recipe.unit != Level::Document),
            passages: stages.any(|stage| stage.recipe.unit == Level::Passage),
        }
    }

    /// Where marks are written: the requested place or, by default, a file next to the output if
    /// the files have no other place.
    fn place(&self) -> MarkPlace {
        let main = self.main;
        let mut formats = (0..main.files().len() as u32).filter_map(|file| main.format(file));
        let is_beside = |(format, _): (FormatName, _)| {
            format.facts().places.first() == Some(&MarkPlace::Standoff)
        };
        let asked = self.spec.mark_place;
        if asked == MarkPlace::default() && !main.files().is_empty() && formats.all(is_beside) {
            MarkPlace::Standoff
        } else {
            asked
        }
    }
}

/// Where the records of a run are written.
pub(crate) struct Targets {
    output: Option<Destination>,
    removed: Option<Destination>,
}

impl Targets {
    /// Determines where records are written, as far as the inputs' formats allow.
    ///
    /// # Errors
    /// If an output is incompatible with an input or with another output.
    pub(crate) fn resolve(writing: Writing) -> Result<Self> {
        let Writing {
            main,
            outputs,
            marks,
            parts,
            passages,
            ..
        } = writing;
        let OutputSpec {
            path,
            removed,
            added,
            mark_prefix,
            mark_place,
            ..
        } = writing.spec;
        if let (false, None) = (added.is_empty(), path) {
            return Err(Error::of("⟨add⟩")
                .expected("an output to add figures to")
                .found("none")
                .hint("name a file or folder with ⟨output⟩"));
        }
        if !added.is_empty() && ![MarkPlace::Attribute, MarkPlace::Standoff].contains(mark_place) {
            return Err(Error::of("⟨add⟩")
                .expected("⟨mark_place=attribute⟩ or ⟨mark_place=standoff⟩, which hold figures")
                .found(mark_place.name()));
        }
        let given = [
            ("⟨mark_prefix⟩", !mark_prefix.is_empty()),
            ("⟨mark_place⟩", *mark_place != MarkPlace::default()),
        ];
        let marks = marks != Marking::Nothing;
        let written = (marks && path.is_some()) || removed.is_some();
        if let (Some((option, _)), false) = (given.iter().find(|(_, given)| *given), written) {
            return Err(Error::of(option).expected("an output with marks").found("none")
                .hint("tegula mark ⟨output⟩ writes marks, and so do ⟨removed⟩ and recipes with a stage that marks"));
        }
        let place = writing.place();
        let resolve = |option: &str,
                       path: Option<&Path>,
                       marks: bool|
         -> Result<Option<Destination>> {
            let Some(path) = path else { return Ok(None) };
            if let Some(format) = convert::wanted(main, path)? {
                let facts = format.facts();
                if !facts.has_fields {
                    let name = facts.noun;
                    return Err(Error::of(option)
                        .problem(format!("{name} cannot hold the fields of other formats"))
                    .at(path)
                    .hint(
                        "use the extension .jsonl, .csv, .tsv or .parquet, or that of the input",
                    ));
                }
                outputs.claim(option, path, Role::File)?;
                return Ok(Some(Destination::Other(path.to_path_buf(), format)));
            }
            let target = Target::resolve(path, main)?;
            for (at, file) in (0..).zip(main.files()) {
                match main.format(at) {
                    Some((format, _)) if marks && !format.facts().places.contains(&place) => {
                        let known: Vec<&str> = format
                            .facts()
                            .places
                            .iter()
                            .map(|place| place.name())
                            .collect();
                        return Err(Error::of("⟨mark_place⟩")
                            .expected(format!(
                                "{} for {} files",
                                known.join(" or "),
                                describe::name(&format)
                            ))
                            .found(place.name())
                            .at(&file.path));
                    }
                    Some(_)
                        if marks && place == MarkPlace::Standoff && target == Target::Stdout =>
                    {
                        return Err(Error::of("⟨mark_place=standoff⟩")
                            .expected("an output file")
                            .found("standard output")
                            .hint("name an output file"));
                    }
                    Some((format, _)) if parts && format.facts().is_bytes => {
                        return Err(Error::of(option)
                            .problem(format!("parts of texts are neither removed nor marked inside {} files", describe::name(&format)))
                        .at(&file.path)
                        .hint("use an output with the extension .jsonl, .csv or .parquet, which then has the texts"));
                    }
                    // Sentences are annotated as a whole.
                    Some((format @ FormatName::Conllu, _))
                        if passages && !(marks && place == MarkPlace::Misc) =>
                    {
                        let name = describe::name(&format);
                        let (what, advice) = if marks {
                            (
                                "carry no marks",
                                "use ⟨mark_place=misc⟩, which marks tokens",
                            )
                        } else {
                            (
                                "are not removed",
                                "use ⟨unit=sentence⟩, or tegula mark with ⟨mark_place=misc⟩",
                            )
                        };
                        return Err(Error::of(option)
                            .problem(format!(
                                "in {name} files, passages that are not whole sentences {what}"
                            ))
                            .at(&file.path)
                            .hint(advice));
                    }
                    Some((FormatName::Text, _)) if marks => {
                        return Err(Error::of(option)
                            .problem("plain text cannot hold marks")
                            .at(&file.path)
                            .hint(
                            "use an output with the extension .jsonl, .csv or .parquet, or keep the verdicts with ⟨run=DIR⟩",
                        ));
                    }
                    Some((FormatName::Parquet, _)) if target == Target::Stdout => {
                        return Err(Error::of(format!("{option} -"))
                            .problem("Parquet is not written to standard output")
                            .hint("name an output file"));
                    }
                    _ => {}
                }
            }
            let standoff = marks && place == MarkPlace::Standoff;
            target.claim(outputs, option, main, standoff)?;
            if target != Target::Stdout {
                writing.host.observer().writes(path);
            }
            Ok(Some(Destination::Same(target)))
        };
        Ok(Self {
            output: resolve(writing.option, path.as_deref(), marks)?,
            removed: resolve("⟨removed⟩", removed.as_deref(), true)?,
        })
    }

    /// Writes the collection with the edits applied; `output` and `removed` say how each record, by
    /// file and number, is written to either; `cluster` writes files like the inputs, given the numbers
    /// of their records. Returns warnings about what could not be written.
    pub(crate) fn write(
        &self,
        writing: Writing,
        cluster: Option<(&Cluster, Numbers)>,
        output: &(dyn Fn(u32, u64) -> Edit + Sync),
        removed: &(dyn Fn(u32, u64) -> Edit + Sync),
    ) -> Result<Vec<String>> {
        let Writing {
            host,
            outputs,
            main,
            spec,
            marks,
            ..
        } = writing;
        let context = &host.context;
        let counts = (spec.added.iter())
            .map(|added| (added.column(), added.field().is_some()))
            .collect();
        let of_output = MarkStyle {
            prefix: spec.mark_prefix.clone(),
            spans: writing.parts,
            place: writing.place(),
            counts,
            only_counts: marks == Marking::Figures,
        };
        let of_removed = MarkStyle {
            counts: Vec::new(),
            only_counts: false,
            ..of_output.clone()
        };
        let total = main.files().iter().map(|file| file.bytes).sum();
        let mut warnings = Vec::new();
        let mut write = |stage: &str,
                         place: (&Option<Destination>, &Option<PathBuf>),
                         (marks, style): (bool, &MarkStyle),
                         edit: &(dyn Fn(u32, u64) -> Edit + Sync)| {
            let (Some(place), Some(path)) = place else {
                return Ok(());
            };
            context.check()?;
            context.progress.begin(stage, Some(total), Amount::Bytes);
            let options = RewriteOptions {
                threads: context.threads(),
                marks,
                style: style.clone(),
            };
            let progress = |bytes| {
                context.progress.advance(bytes);
                context.check()
            };
            let written = match place {
                Destination::Same(target) => match cluster.filter(|_| *target != Target::Stdout) {
                    Some((cluster, numbers)) => {
                        cluster.write(stage, (outputs, target), numbers, edit, &options)?
                    }
                    None => rewrite(main, (outputs, target), edit, &options, &progress)?,
                },
                Destination::Other(path, format) => {
                    let (written, conversions) = convert::convert(
                        main,
                        outputs,
                        (path, *format),
                        edit,
                        &options,
                        &progress,
                    )?;
                    for Conversion { column, from, to } in conversions {
                        host.warn(&format!(
                            "{}: column {column}: {from} became {to}",
                            path.display()
                        ));
                    }
                    written
                }
            };
            warnings.extend(written.nulls.told(path));
            context.progress.end();
            Ok(())
        };
        let marks = (marks != Marking::Nothing, &of_output);
        write("writing", (&self.output, &spec.path), marks, output)?;
        write(
            "writing removed",
            (&self.removed, &spec.removed),
            (true, &of_removed),
            removed,
        )?;
        Ok(warnings)
    }
}
