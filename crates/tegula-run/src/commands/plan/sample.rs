//! The sample for a plan: chunks spread over some of the files, within their first GiB of text in
//! total, or 128 MiB if it is compressed.

use tegula::context::Context;
use tegula::error::Result;
use tegula::plan::{Sample, Sampler};
use tegula::recipe::Recipe;
use tegula::record::Source;
use tegula_io::collection::Collection;
use tegula_io::compress::Compression;
use tegula_io::options::{FormatName, ReadOptions};

/// The amount of text to read for the sample.
const SAMPLE_BYTES: u64 = 8 << 20;
/// The amount of text to skim.
const SKIM_BYTES: u64 = 128 << 20;
/// The amount of text to pass over, at most, if this costs no more than reading the file.
const WALK_BYTES: u64 = 1 << 30;
/// Memory of Parquet columns during reading and writing.
const PARQUET_BYTES: u64 = 20 << 20;
/// The approximate amount of text in a chunk.
const CHUNK_BYTES: u64 = 1 << 20;
/// The maximum number of files in the sample.
const SAMPLE_FILES: usize = 16;

/// Of how many chunks between them one is skimmed if tokens are found slowly.
const SLOWLY: usize = 8;

/// Reads chunks at equal distances, and skims those between them for what repeats.
pub(super) fn take(
    collection: &Collection,
    recipe: &Recipe,
    options: &ReadOptions,
    context: &Context,
) -> Result<Sample> {
    let skims = collection.text_bytes() > SAMPLE_BYTES;
    let mut sampler = Sampler::new(recipe, skims)?;
    let files: Vec<u32> = (0..)
        .zip(collection.files())
        .filter(|(_, file)| file.bytes > 0)
        .map(|(at, _)| at)
        .collect();
    let step = files.len().div_ceil(SAMPLE_FILES).max(1);
    let chosen: Vec<u32> = files.into_iter().step_by(step).collect();
    for (at, file) in chosen.iter().enumerate() {
        let single;
        let part: &Collection = if collection.files().len() == 1 {
            collection
        } else {
            let alone = collection.alone(*file, options, &context.scratch)?;
            single = alone.within(context);
            &single
        };
        let most = |bytes: u64| {
            usize::try_from(bytes / chosen.len() as u64 / CHUNK_BYTES)
                .unwrap_or(usize::MAX)
                .max(1)
        };
        let kind = part.format(0);
        let is_compressed = kind.is_some_and(|(_, compression)| compression != Compression::None);
        let walk = most(if is_compressed {
            SKIM_BYTES
        } else {
            WALK_BYTES
        });
        // The chunks of a file, the interval between chunks to read and between those to skim, and
        // the number before the first one.
        let walked = usize::try_from(part.text_bytes() / CHUNK_BYTES)
            .unwrap_or(usize::MAX)
            .clamp(1, walk);
        let gap = walked.div_ceil(most(SAMPLE_BYTES));
        let skims = walked.div_ceil(most(SKIM_BYTES));
        let first = at * gap / chosen.len();
        let (mut chunks, mut read, mut disk, mut disk_read) = (0_usize, 0_u64, 0_u64, 0_u64);
        for chunk in part.chunks()?.take(walk) {
            let chunk = chunk?;
            disk += chunk.disk_bytes();
            chunks += 1;
            if (chunks - 1) % gap != first {
                let slowly = if sampler.is_fast() { 1 } else { SLOWLY };
                if chunks % (skims * slowly) == 0 {
                    sampler.skim(&*chunk);
                } else {
                    sampler.pass(&*chunk);
                }
                continue;
            }
            sampler.read(&*chunk);
            read += 1;
            disk_read += chunk.disk_bytes();
            // A file that compresses better than usual has more chunks than expected.
            if read == 2 * most(SAMPLE_BYTES) as u64 {
                break;
            }
        }
        // If a decoder reads ahead, the disk bytes of a chunk say little; but then all chunks have
        // about as much text.
        sampler.stands_for(if is_compressed {
            disk * read / chunks.max(1) as u64
        } else {
            disk_read
        });
        let is_decoded = !collection.is_in_memory();
        if is_decoded && kind.is_some_and(|(format, _)| format == FormatName::Parquet) {
            sampler.buffers(PARQUET_BYTES);
        }
    }
    Ok(sampler.finish())
}
