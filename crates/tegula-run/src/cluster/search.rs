//! The tasks of a search: the steps over the messages of one key.

use super::at::{At, by_start, of, of_text, rest_of, texts};
use super::job::Task;
use super::message::{Kind, Received, Sent};
use super::verify::verify;
use super::write::write;
use super::{references, sections};
use tegula::Result;
use tegula::steps::{
    self, Batch, Candidate, Count, Feature, Lighter, Listed, Occurrence, Posting, Ranked, Search,
    Text, Whole,
};

/// Parts of the work on terms, and on pairs that met.
const PARTS: u64 = 1 << 12;
/// Pairs of texts that share a feature and are looked at together, unless one feature has more.
const PAIRS: usize = 4 << 20;
/// Numbers of a list that are kept together.
const LIST: usize = 1 << 16;

/// A number that spreads those near each other.
pub(super) fn spread(of: (u64, u64)) -> u64 {
    (of.0 ^ of.1.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

impl At<'_> {
    pub(super) fn run(
        &self,
        task: &Task,
        key: u64,
        received: &Received,
        sent: &mut Sent,
    ) -> Result<()> {
        match task {
            Task::Sections => return sections::look(self.worker, key, received, sent),
            Task::Ask => return references::ask(self.worker, key, sent),
            Task::Survey => return self.survey(key, sent),
            Task::Count => return add_up(key, received, sent),
            Task::Write(writing) => {
                return write(self.worker, writing, key, received, sent);
            }
            _ => {}
        }
        let search = Search::new(self.method, self.agreed.extent, self.agreed.bits)?;
        match task {
            Task::Features => self.features(&search, key, received, sent)?,
            Task::Share => {
                let shared = search.share(&received.shingles()?, &self.agreed.starts);
                for ((split, stretch), rows) in shared {
                    sent.rows(Kind::Shared, split.into(), stretch, &rows);
                }
            }
            Task::Chains => {
                let texts = texts(received)?;
                let shared = received.parts(Kind::Shared)?;
                let chains = search.chains(self.start(key), &texts, &shared)?;
                for (partition, chains) in chains {
                    sent.rows(Kind::Chains, partition.into(), 0, &chains);
                }
                keep(key, &texts, sent)?;
            }
            Task::Split(torn) => {
                let chains = received.rows::<Feature>(Kind::Chains)?;
                for (partition, chains) in search.split(key as u32, &chains, torn) {
                    sent.rows(Kind::Chains, partition.into(), 0, &chains);
                }
            }
            Task::Lists => match search.lists(key as u32, &received.rows(Kind::Chains)?) {
                Listed::Chains(list, _) => lists(&search, key, &list, sent)?,
                Listed::Torn(torn) => sent.value(Kind::Torn, key, &torn)?,
            },
            Task::Listed => {
                let rows = received.rows::<Occurrence>(Kind::Occurrences)?;
                let (list, _, lighter) = search.listed(&rows);
                lists(&search, key, &list, sent)?;
                sent.route(Kind::Lighter, lighter, |row| self.split(&search, row.start));
            }
            Task::Weigh => {
                let mut texts = texts(received)?;
                search.weigh(&mut texts, &received.rows::<Lighter>(Kind::Lighter)?);
                keep(key, &texts, sent)?;
            }
            Task::Meet => {
                let met = search.meet(&received.rows(Kind::Occurrences)?);
                sent.route(Kind::Met, met, |pair| {
                    spread((pair.larger.into(), pair.smaller.into())) % PARTS
                });
            }
            Task::Agree => {
                let pairs = search.candidates_by_keys(received.rows(Kind::Met)?);
                self.to_smaller(&search, pairs, sent);
            }
            Task::Ranked(firsts) => {
                for (list, rows) in received.lists()? {
                    let first = firsts.get(&(key, list)).cloned().unwrap_or_default();
                    let ranked = search.ranked(&rows, &first)?;
                    sent.route(Kind::Ranked, ranked, |row| self.split(&search, row.start()));
                }
            }
            Task::Postings(common, keys) => {
                let (texts, ranked) = (texts(received)?, received.rows::<Ranked>(Kind::Ranked)?);
                let postings = search.postings(*common, &texts, &ranked);
                sent.route(Kind::Postings, postings, |row| keys.key(row.rank));
                if self.needs_features(&search) {
                    sent.rows(Kind::Ranked, key, 0, &ranked);
                }
            }
            Task::Candidates => {
                let mut postings = received.rows::<Posting>(Kind::Postings)?;
                postings.sort_unstable_by_key(|posting| posting.rank);
                let budget = &self.worker.host.context.budget;
                for some in of_few_pairs(&postings) {
                    let pairs = search.candidates(some);
                    let bytes = sent.bytes() + 3 * size_of_val(&pairs[..]) as u64;
                    drop(budget.reserve(bytes, "the candidates of a task")?);
                    self.to_smaller(&search, pairs, sent);
                }
            }
            Task::Send => self.send(&search, key, received, sent)?,
            Task::Verify => verify(self, &search, key, received, sent)?,
            Task::Sections | Task::Ask | Task::Survey | Task::Count | Task::Write(_) => {}
        }
        Ok(())
    }

    /// Reads the records of a split.
    fn survey(&self, split: u64, sent: &mut Sent) -> Result<()> {
        let inputs = self.worker.inputs()?;
        let (part, _) = self.worker.split(split)?;
        let rest = self.rest(inputs);
        let chunks = rest_of(rest.as_ref(), inputs.chunks_of(part)?);
        // In the order of the input, whatever becomes of the messages.
        let keys = split << 32..;
        let mut keys = keys.into_iter();
        let (counted, counts) = self.method.survey(inputs, chunks, &mut |surveyed| {
            sent.value(Kind::Surveyed, keys.next().unwrap_or_default(), &surveyed)
        })?;
        sent.value(Kind::Counted, split, &counted)?;
        for file in part.files.clone() {
            if let Some(tally) = inputs.tally(file) {
                sent.value(Kind::Tallies, file.into(), &tally)?;
            }
        }
        sent.route(Kind::Counts, counts, |count: &Count| {
            spread((count.term(), 0)) % PARTS
        });
        Ok(())
    }

    /// The features of the texts of a split.
    fn features(
        &self,
        search: &Search,
        split: u64,
        received: &Received,
        sent: &mut Sent,
    ) -> Result<()> {
        let tokens: Vec<u32> = received.values::<Vec<u32>>(Kind::Firsts)?.concat();
        let first = self.first_unit(split);
        let mut all: Vec<(Whole, String)> = Vec::new();
        let is_first = |unit: u32| tokens.get(unit as usize).is_some_and(|tokens| *tokens > 0);
        self.read(split, &is_first, &mut |unit| {
            let id = first + u64::from(unit.number);
            let whole = Whole::of(id, unit.origin, tokens[unit.number as usize]);
            all.push((whole, unit.text.to_owned()));
            Ok(())
        })?;
        let given = all.iter().map(|(whole, text)| (*whole, &text[..]));
        let Batch {
            texts,
            rows,
            occurrences,
            ..
        } = search.features(self.start(split), given)?;
        for (partition, rows) in &rows {
            sent.shingles((*partition).into(), rows);
        }
        for (partition, rows) in &occurrences {
            sent.rows(Kind::Occurrences, (*partition).into(), 0, rows);
        }
        sent.rows(Kind::Texts, split, 0, &texts);
        Ok(())
    }

    /// Sends the smaller text of each candidate to the larger, once to each split.
    fn send(
        &self,
        search: &Search,
        split: u64,
        received: &Received,
        sent: &mut Sent,
    ) -> Result<()> {
        let mut pairs = received.rows::<Candidate>(Kind::Candidates)?;
        let ranked = received.rows::<Ranked>(Kind::Ranked)?;
        sent.rows(Kind::Ranked, split, 0, &ranked);
        if pairs.is_empty() {
            return Ok(());
        }
        // By larger text, so by its split.
        pairs.sort_unstable();
        pairs.dedup();
        let to = |pair: &Candidate| self.split(search, pair.larger);
        let by_split: Vec<(u64, &[Candidate], Vec<u32>)> = pairs
            .chunk_by(|a, b| a.larger == b.larger || to(a) == to(b))
            .map(|pairs| {
                let mut smaller: Vec<u32> = pairs.iter().map(|pair| pair.smaller).collect();
                smaller.sort_unstable();
                smaller.dedup();
                (to(&pairs[0]), pairs, smaller)
            })
            .collect();
        let (texts, ranked) = (texts(received)?, by_start(ranked));
        let elsewhere = by_split.iter().filter(|(to, ..)| *to != split);
        let mut wanted: Vec<u32> = elsewhere.flat_map(|(.., of)| of).copied().collect();
        wanted.sort_unstable();
        wanted.dedup();
        let bodies = self.bodies(split, &texts, &wanted)?;
        for (to, some, smaller) in by_split {
            sent.rows(Kind::Candidates, to, 0, some);
            if to == split {
                continue;
            }
            let own: Vec<Text> = smaller.iter().map(|start| *of(&texts, *start)).collect();
            sent.rows(Kind::Sent, to, 0, &own);
            for start in &smaller {
                if let Some(body) = bodies.get(start) {
                    sent.value(Kind::Bodies, to, &(*start, body))?;
                }
            }
            if self.needs_features(search) {
                let rows = smaller.iter().flat_map(|start| of_text(&ranked, *start));
                sent.rows(Kind::SentRanked, to, 0, &rows.copied().collect::<Vec<_>>());
            }
        }
        Ok(())
    }

    /// Sends candidates to the splits of their smaller texts.
    fn to_smaller(&self, search: &Search, pairs: Vec<Candidate>, sent: &mut Sent) {
        sent.route(Kind::Candidates, pairs, |pair| {
            self.split(search, pair.smaller)
        });
    }
}

/// Postings in order of their ranks, in pieces of whole ranks that few pairs of texts share.
fn of_few_pairs(postings: &[Posting]) -> impl Iterator<Item = &[Posting]> {
    let mut rest = postings;
    std::iter::from_fn(move || {
        let (mut length, mut pairs) = (0, 0);
        for of_rank in rest.chunk_by(|a, b| a.rank == b.rank) {
            pairs += of_rank.len() * of_rank.len() / 2;
            if length > 0 && pairs > PAIRS {
                break;
            }
            length += of_rank.len();
        }
        let (some, others) = rest.split_at(length);
        rest = others;
        (length > 0).then_some(some)
    })
}

/// Sends the texts of a split, and how many distinct features they have.
fn keep(split: u64, texts: &[Text], sent: &mut Sent) -> Result<()> {
    sent.rows(Kind::Texts, split, 0, texts);
    let sets: Vec<(u64, u32)> = texts.iter().map(|text| (text.id(), text.set)).collect();
    sent.value(Kind::Sets, split, &sets)
}

/// Sends the features that several texts have, in lists of bounded length.
fn lists(search: &Search, partition: u64, list: &[u32], sent: &mut Sent) -> Result<()> {
    for (number, (list, histogram)) in (0..).zip(search.parts_of_list(list, LIST)) {
        sent.list(partition, number, &list);
        sent.value(Kind::Histograms, partition, &(number, histogram))?;
    }
    Ok(())
}

fn add_up(key: u64, received: &Received, sent: &mut Sent) -> Result<()> {
    let all = received.rows::<Count>(Kind::Counts)?;
    sent.rows(Kind::Counts, key, 0, &steps::added(&all));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_postings_have_whole_ranks() {
        let rows = [(0, 3), (1, 2), (2, 4000), (3, 1), (4, 1)];
        let ranks = rows.iter().flat_map(|(rank, count)| vec![*rank; *count]);
        let numbers: Vec<u32> = ranks.flat_map(|rank| [rank, 0, 0, 0, 0]).collect();
        let postings: Vec<Posting> = steps::from_numbers(&numbers).unwrap();
        let pieces: Vec<usize> = of_few_pairs(&postings).map(<[Posting]>::len).collect();
        assert_eq!(pieces, [5, 4000, 2]);
        assert_eq!(of_few_pairs(&[]).count(), 0);
    }
}
