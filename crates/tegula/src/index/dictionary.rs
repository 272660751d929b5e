//! For each key, the ascending numbers that have it.
//!
//! A key is a hash of [`KEY_BITS`]: few enough that a key takes little room, and enough that two
//! features rarely share one. If they do, a look-up finds numbers of both; whoever asks must check what
//! it finds.
//!
//! Keys are divided by their upper bits into buckets of about [`IN_BUCKET`]. A bucket holds the lower
//! bits of its keys as a [list](super::list); for each key a bit, whether several numbers have it; the
//! numbers that alone have their key, packed; then the count, the length and the [list](super::list) of
//! each of the others. Where buckets begin is a table of [`OFFSET`] bytes for each.

use super::bits::{Bytes, pack, packed, put, unpack, word};
use super::list::{self, List};
use super::pages::{PageWriter, Pages};
use crate::error::Result;

/// Bits of a key.
pub(super) const KEY_BITS: u32 = 34;
/// Keys in a bucket, on average at least.
const IN_BUCKET: u64 = 64;
/// Bytes of the place of a bucket.
const OFFSET: usize = 5;
/// Bytes before the table of places: the number of keys, the bits that choose a bucket, and the limit
/// of numbers.
const HEAD: usize = 24;
/// Lists are read as a whole up to this length; of longer ones only the part that is asked for.
const SHORT: usize = 1 << 12;

/// The key of something with this hash.
#[inline]
pub(super) fn key_of(hash: u64) -> u64 {
    hash >> (u64::BITS - KEY_BITS)
}

/// The bits that choose a bucket, for at most so many keys.
fn bucket_bits(keys: u64) -> u32 {
    // So that the lower bits of a key fit in a number.
    let least = KEY_BITS - u32::BITS;
    (keys / IN_BUCKET).max(1).ilog2().clamp(least, 28)
}

/// Writes a dictionary in two sections: the buckets, and their places.
pub(super) struct DictionaryWriter {
    bucket_bits: u32,
    limit: u64,
    keys: u64,
    offsets: Vec<u8>,
    bucket: u64,
    low: Vec<u32>,
    singles: Vec<u32>,
    /// By key, whether several numbers have it.
    several: Vec<bool>,
    heads: Vec<u8>,
    lists: Vec<u8>,
    out: Vec<u8>,
}

impl DictionaryWriter {
    /// For at most so many keys, of numbers below the limit.
    pub(super) fn new(keys: u64, limit: u64) -> Self {
        Self {
            bucket_bits: bucket_bits(keys),
            limit: limit.max(1),
            keys: 0,
            offsets: Vec::new(),
            bucket: 0,
            low: Vec::new(),
            singles: Vec::new(),
            several: Vec::new(),
            heads: Vec::new(),
            lists: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Adds a key, which must be greater than those before it, with its numbers, ascending and at
    /// least one.
    pub(super) fn push(&mut self, file: &mut PageWriter, key: u64, numbers: &[u32]) -> Result<()> {
        let rest = KEY_BITS - self.bucket_bits;
        while self.bucket < key >> rest {
            self.end_bucket(file)?;
        }
        self.low.push((key & ((1 << rest) - 1)) as u32);
        self.several.push(numbers.len() > 1);
        if let [number] = numbers {
            self.singles.push(*number);
        } else {
            let from = self.lists.len();
            list::write(numbers, self.limit, &mut self.lists);
            put(numbers.len() as u64, &mut self.heads);
            put((self.lists.len() - from) as u64, &mut self.heads);
        }
        self.keys += 1;
        Ok(())
    }

    fn end_bucket(&mut self, file: &mut PageWriter) -> Result<()> {
        self.bucket += 1;
        let at = file.position().to_le_bytes();
        self.offsets.extend_from_slice(&at[..OFFSET]);
        if self.low.is_empty() {
            return Ok(());
        }
        let out = &mut self.out;
        out.clear();
        put(self.low.len() as u64, out);
        put(self.heads.len() as u64, out);
        list::write(&self.low, 1 << (KEY_BITS - self.bucket_bits), out);
        pack(
            self.several.iter().map(|several| u32::from(*several)),
            1,
            out,
        );
        pack(self.singles.drain(..), number_bits(self.limit), out);
        file.put(out)?;
        file.put(&self.heads)?;
        file.put(&self.lists)?;
        self.low.clear();
        self.several.clear();
        self.heads.clear();
        self.lists.clear();
        Ok(())
    }

    /// Ends both sections.
    pub(super) fn finish(mut self, file: &mut PageWriter) -> Result<()> {
        while self.bucket < 1 << self.bucket_bits {
            self.end_bucket(file)?;
        }
        let end = file.position().to_le_bytes();
        self.offsets.extend_from_slice(&end[..OFFSET]);
        file.end_section();
        for number in [self.keys, self.bucket_bits.into(), self.limit] {
            file.put(&number.to_le_bytes())?;
        }
        file.put(&self.offsets)?;
        file.end_section();
        Ok(())
    }
}

/// Bits of a number below the limit.
fn number_bits(limit: u64) -> u32 {
    (limit.max(1) - 1)
        .checked_ilog2()
        .map_or(0, |bits| bits + 1)
}

/// A dictionary in a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dictionary {
    /// The section of the buckets; that of their places follows.
    section: usize,
    bucket_bits: u32,
    limit: u64,
    /// The keys.
    pub(super) keys: u64,
}

/// The numbers that have a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Numbers<'a> {
    /// One.
    One(u32),
    /// Several.
    Several(List<'a>),
}

impl<'a> Numbers<'a> {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Several(list) => list.len(),
        }
    }

    /// Looks up numbers in ascending order.
    pub(super) fn seek(self) -> Seek<'a> {
        match self {
            Self::One(number) => Seek::One(number),
            Self::Several(list) => Seek::Several(list.seek()),
        }
    }

    /// Calls `take` with those from this one on, ascending, as long as it wants more. Faster than
    /// [`Numbers::from`], as nothing is asked of each what kind of list it comes from.
    #[inline]
    pub(super) fn each(self, least: u32, mut take: impl FnMut(u32) -> bool) {
        match self {
            Self::One(number) if number >= least => {
                take(number);
            }
            Self::One(_) => {}
            Self::Several(list) => {
                for (_, number) in list.from(least) {
                    if !take(number) {
                        break;
                    }
                }
            }
        }
    }

    /// Those from this one on, ascending.
    #[inline]
    pub(super) fn from(self, least: u32) -> impl Iterator<Item = u32> + use<'a> {
        let (one, several) = match self {
            Self::One(number) => (Some(number).filter(|number| *number >= least), None),
            Self::Several(list) => (None, Some(list)),
        };
        let several = several.map(|list| list.from(least).map(|(_, number)| number));
        one.into_iter().chain(several.into_iter().flatten())
    }
}

/// Looks up ascending numbers.
pub(super) enum Seek<'a> {
    One(u32),
    Several(list::Seek<'a>),
}

impl Seek<'_> {
    /// Whether a number is there, which must not be less than one that was asked about before.
    #[inline]
    pub(super) fn has(&mut self, number: u32) -> bool {
        match self {
            Self::One(one) => *one == number,
            Self::Several(list) => list.has(number),
        }
    }
}

/// A bucket, in bytes that hold all of it but its lists.
struct Bucket<'a> {
    low: List<'a>,
    several: &'a [u8],
    singles: &'a [u8],
    heads: Bytes<'a>,
    /// Where its lists begin in the section.
    lists: usize,
}

impl Dictionary {
    /// The dictionary in these sections.
    ///
    /// # Errors
    /// If they are damaged.
    pub(super) fn open(pages: &Pages, section: usize) -> Result<Self> {
        let head = pages.get(section + 1, 0..HEAD)?;
        let bucket_bits = word(head, 8);
        let fits = (u64::from(KEY_BITS - u32::BITS)..=28).contains(&bucket_bits)
            && pages.len(section + 1) == HEAD + OFFSET * ((1 << bucket_bits) + 1);
        if !fits {
            return Err(pages.damaged("a dictionary", "something else"));
        }
        Ok(Self {
            section,
            bucket_bits: bucket_bits as u32,
            limit: word(head, 16).clamp(1, 1 << 32),
            keys: word(head, 0),
        })
    }

    /// The numbers that have a key, or another with the same hash.
    ///
    /// # Errors
    /// If the file is damaged.
    #[inline]
    pub(super) fn get<'p>(&self, pages: &'p Pages, key: u64) -> Result<Option<Numbers<'p>>> {
        let rest = KEY_BITS - self.bucket_bits;
        let (from, to) = self.range(pages, (key >> rest) as usize)?;
        if from == to {
            return Ok(None);
        }
        let bucket = self.bucket(pages, from, to)?;
        match bucket.low.find((key & ((1 << rest) - 1)) as u32) {
            None => Ok(None),
            Some(at) => self.numbers(pages, &bucket, at).map(Some),
        }
    }

    /// The place of a bucket in its section.
    #[inline]
    fn range(&self, pages: &Pages, bucket: usize) -> Result<(usize, usize)> {
        let at = HEAD + OFFSET * bucket;
        let places = pages.get(self.section + 1, at..at + 2 * OFFSET)?;
        let place = |at: usize| (word(places, at) & ((1 << (8 * OFFSET)) - 1)) as usize;
        Ok((place(0), place(OFFSET)))
    }

    #[inline]
    fn bucket<'p>(&self, pages: &'p Pages, from: usize, to: usize) -> Result<Bucket<'p>> {
        let length = to.saturating_sub(from);
        // Long lists are not needed to find a key.
        let start = pages.get(self.section, from..from + length.min(SHORT))?;
        if let Some(bucket) = self.parse(start, from) {
            return Ok(bucket);
        }
        let whole = pages.get(self.section, from..to)?;
        let wrong = || pages.damaged("a bucket of keys", "something else");
        self.parse(whole, from).ok_or_else(wrong)
    }

    #[inline]
    fn parse<'p>(&self, start: &'p [u8], from: usize) -> Option<Bucket<'p>> {
        let mut bytes = Bytes(start);
        let (keys, heads) = (bytes.length()?, bytes.length()?);
        let low = List::new(bytes.0, keys, 1 << (KEY_BITS - self.bucket_bits))?;
        bytes.take(low.bytes())?;
        let several = bytes.take(keys.div_ceil(8))?;
        let lists: u32 = several.iter().map(|byte| byte.count_ones()).sum();
        let singles = keys.checked_sub(lists as usize)?;
        let singles = bytes.take(packed(singles, number_bits(self.limit))?)?;
        let heads = Bytes(bytes.take(heads)?);
        Some(Bucket {
            low,
            several,
            singles,
            heads,
            lists: from + (start.len() - bytes.0.len()),
        })
    }

    #[inline]
    fn numbers<'p>(&self, pages: &'p Pages, bucket: &Bucket, at: usize) -> Result<Numbers<'p>> {
        let mut before = 0;
        for byte in (0..at / 8 * 8).step_by(64) {
            let here = word(bucket.several, byte / 8);
            let bits = (at / 8 * 8 - byte).min(64) as u32;
            before += (here & u64::MAX.checked_shr(64 - bits).unwrap_or(0)).count_ones();
        }
        let last = word(bucket.several, at / 8);
        before += (last & ((1 << (at % 8)) - 1)).count_ones();
        if last >> (at % 8) & 1 == 0 {
            let at = at - before as usize;
            let bits = number_bits(self.limit);
            return Ok(Numbers::One(unpack(bucket.singles, at, bits)));
        }
        let (mut heads, mut from) = (bucket.heads, bucket.lists);
        let wrong = || pages.damaged("a list of numbers", "something else");
        for _ in 0..before {
            heads.number().ok_or_else(wrong)?;
            from = from.saturating_add(heads.length().ok_or_else(wrong)?);
        }
        let (count, length) = (heads.length(), heads.length());
        let (count, length) = count.zip(length).ok_or_else(wrong)?;
        let bytes = pages.get(self.section, from..from.saturating_add(length))?;
        let list = List::new(bytes, count, self.limit);
        list.map(Numbers::Several).ok_or_else(wrong)
    }

    /// All keys with their numbers, ascending by key.
    pub(super) fn entries<'p>(&self, pages: &'p Pages) -> Entries<'p> {
        Entries {
            dictionary: *self,
            pages,
            next: 0,
            kept: 0,
            base: 0,
            low: Vec::new(),
            at: 0,
            of: None,
        }
    }
}

/// Iterates over keys and their numbers.
pub(super) struct Entries<'p> {
    dictionary: Dictionary,
    pages: &'p Pages,
    /// The next bucket.
    next: usize,
    /// Where the pages that memory still holds begin.
    kept: usize,
    /// The upper bits of the keys of the current bucket.
    base: u64,
    /// Their lower bits.
    low: Vec<u32>,
    /// The next of them.
    at: usize,
    of: Option<Rest<'p>>,
}

/// What is left of a bucket.
struct Rest<'p> {
    bucket: Bucket<'p>,
    /// The number of the next single.
    single: usize,
    /// Where the next list begins.
    list: usize,
}

/// Pages are given back in pieces of so many bytes.
pub(super) const FORGOTTEN: usize = 1 << 22;

impl<'p> Entries<'p> {
    /// The next key, with its numbers.
    ///
    /// # Errors
    /// If the file is damaged.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<(u64, Numbers<'p>)>> {
        let Self {
            dictionary, pages, ..
        } = *self;
        loop {
            let (Some(low), Some(rest)) = (self.low.get(self.at), &mut self.of) else {
                if self.next >= 1 << dictionary.bucket_bits {
                    return Ok(None);
                }
                self.open()?;
                continue;
            };
            let (key, at) = (self.base | u64::from(*low), self.at);
            self.at += 1;
            let bucket = &mut rest.bucket;
            let is_single = bucket
                .several
                .get(at / 8)
                .is_none_or(|byte| byte >> (at % 8) & 1 == 0);
            if is_single {
                let number = unpack(bucket.singles, rest.single, number_bits(dictionary.limit));
                rest.single += 1;
                return Ok(Some((key, Numbers::One(number))));
            }
            let wrong = || pages.damaged("a list of numbers", "something else");
            let (count, length) = (bucket.heads.length(), bucket.heads.length());
            let (count, length) = count.zip(length).ok_or_else(wrong)?;
            let bytes = pages.get(
                dictionary.section,
                rest.list..rest.list.saturating_add(length),
            )?;
            rest.list += length;
            let list = List::new(bytes, count, dictionary.limit).ok_or_else(wrong)?;
            return Ok(Some((key, Numbers::Several(list))));
        }
    }

    /// Opens the next bucket.
    fn open(&mut self) -> Result<()> {
        let dictionary = self.dictionary;
        let (from, to) = dictionary.range(self.pages, self.next)?;
        if from >= self.kept + FORGOTTEN {
            self.pages.forget(dictionary.section, self.kept..from);
            self.kept = from;
        }
        self.base = (self.next as u64) << (KEY_BITS - dictionary.bucket_bits);
        self.next += 1;
        self.at = 0;
        self.low.clear();
        self.of = None;
        if from < to {
            let bucket = dictionary.bucket(self.pages, from, to)?;
            self.low.extend(bucket.low.iter());
            self.of = Some(Rest {
                single: 0,
                list: bucket.lists,
                bucket,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use std::collections::{BTreeMap, BTreeSet};

    /// Numbers by key: few keys have many.
    fn sample(keys: u64, limit: u32) -> BTreeMap<u64, Vec<u32>> {
        let mut all = BTreeMap::new();
        for key in 0..keys {
            let count = match mix(key) % 50 {
                0 => limit,
                1..9 => 2 + (mix(key ^ 7) % 6) as u32,
                _ => 1,
            };
            let numbers =
                (0..count).map(|at| (mix(key << 20 | u64::from(at)) % u64::from(limit)) as u32);
            let numbers: BTreeSet<u32> = numbers.collect();
            all.insert(key_of(mix(key ^ 0x63)), numbers.into_iter().collect());
        }
        all
    }

    #[test]
    fn keys_are_found_with_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for (keys, limit, spare) in [
            (0, 1, 0),
            (1, 1, 0),
            (1, 5000, 999),
            (20_000, 3000, 0),
            (20_000, 3000, 70_000),
        ] {
            let truth = sample(keys, limit);
            let path = folder.path().join(format!("{keys}-{limit}-{spare}"));
            let mut file = PageWriter::create(path.clone()).unwrap();
            let mut writer = DictionaryWriter::new(keys + spare, limit.into());
            for (key, numbers) in &truth {
                writer.push(&mut file, *key, numbers).unwrap();
            }
            writer.finish(&mut file).unwrap();
            let length = file.finish().unwrap();
            let pages = Pages::open(path, length, 2).unwrap();
            let dictionary = Dictionary::open(&pages, 0).unwrap();
            assert_eq!(dictionary.keys, truth.len() as u64);
            for (key, numbers) in &truth {
                let found = dictionary.get(&pages, *key).unwrap().unwrap();
                assert_eq!(found.from(0).collect::<Vec<_>>(), *numbers);
                assert_eq!(found.len(), numbers.len());
                let least = numbers[numbers.len() / 2];
                assert_eq!(found.from(least).next(), Some(least));
            }
            for other in 0..2000 {
                let key = key_of(mix(other ^ 0x3039));
                let found = dictionary.get(&pages, key).unwrap();
                assert_eq!(found.is_some(), truth.contains_key(&key));
            }
            let mut entries = dictionary.entries(&pages);
            let mut all = BTreeMap::new();
            while let Some((key, numbers)) = entries.next().unwrap() {
                all.insert(key, numbers.from(0).collect::<Vec<_>>());
            }
            assert_eq!(all, truth);
        }
    }
}
