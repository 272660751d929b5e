//! `--fingerprints`: the digest of each unit with its id, sorted like the output of `md5sum` by `sort`,
//! with asterisks where several units have one; and unified, as by `uniq` (Benko 2013 §2).

use std::io::{BufWriter, Write};
use std::path::Path;
use tegula::context::Context;
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::text::digest::{Digest, Digested};
use tegula_io::outputs::Outputs;
use tegula_io::tables::listed;

/// Writes the digests of all units except references: by digest, equal ones in input order, or only
/// the first of them if they are `unified`. Holds eight bytes per unit.
///
/// # Errors
/// If the file cannot be written, or memory does not suffice.
pub(super) fn write(
    context: &Context,
    found: &Findings,
    (digest, unified): (Digest, bool),
    (outputs, path): (&Outputs, &Path),
) -> Result<()> {
    let units = &found.units;
    let _held = context
        .budget
        .reserve(8 * units.len() as u64, "the order of the fingerprints")?;
    let digested = |unit: u32| Digested {
        head: units.digest[unit as usize],
        tail: units
            .digest_tails
            .get(unit as usize)
            .copied()
            .unwrap_or_default(),
    };
    let mut order: Vec<u32> = (0..units.len() as u32)
        .filter(|unit| !found.allowed.is_reference(units.record_of(*unit)))
        .collect();
    order.sort_unstable_by_key(|unit| (digested(*unit), *unit));
    let failed = |error| Error::io("write", path, error);
    let mut out = BufWriter::with_capacity(1 << 20, outputs.create_or_stdout(path)?);
    for equal in order.chunk_by(|a, b| digested(*a) == digested(*b)) {
        let mark = if equal.len() > 1 { "\t*" } else { "" };
        for unit in &equal[..if unified { 1 } else { equal.len() }] {
            // One line per unit, whatever its id.
            let mut id = String::new();
            listed(&units.id(*unit), &mut id);
            let digest = digest.hex(digested(*unit));
            writeln!(out, "{digest}  {id}{mark}").map_err(failed)?;
        }
    }
    out.into_inner()
        .map_err(|error| failed(error.into_error()))?
        .finish()
}
