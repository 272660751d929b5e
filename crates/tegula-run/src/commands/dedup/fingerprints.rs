//! `--fingerprints`: the digest of each unit with its id, sorted, like the output of `md5sum` and
//! `sort` (Benko 2013 §2).

use std::io::{BufWriter, Write};
use std::path::Path;
use tegula::context::Context;
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::text::digest::{Digest, Digested};
use tegula_io::outputs::Outputs;
use tegula_io::tables::listed;

/// Writes the digests of all units except references: by digest, equal ones in input order. Holds
/// eight bytes per unit.
///
/// # Errors
/// If the file cannot be written, or memory does not suffice.
pub(super) fn write(
    context: &Context,
    found: &Findings,
    digest: Digest,
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
    for unit in order {
        // One line per unit, whatever its id.
        let mut id = String::new();
        listed(&units.id(unit), &mut id);
        writeln!(out, "{}  {id}", digest.hex(digested(unit))).map_err(failed)?;
    }
    out.into_inner()
        .map_err(|error| failed(error.into_error()))?
        .finish()
}
