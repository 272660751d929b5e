//! The rows of a table of pairs, in order, held in windows that fit in memory.

use crate::evidence::measures;
use crate::table_output::TableOutput;
use std::ops::Range;
use tegula::context::Context;
use tegula::error::Result;
use tegula::evidence::{Findings, ScoredPairs};
use tegula::pair::Pair;
use tegula_io::tables::{PairRow, Pairs};

/// Findings, and their pairs.
type Found<'a> = (&'a Findings, &'a ScoredPairs);

/// A row for a pair of units, the earlier one first, with the number of equal units that each
/// represents; `measured` is the pair of their groups in the same order.
fn row(
    found: &Findings,
    table: &mut TableOutput<Pairs>,
    (a, b): (u32, u32),
    equal: [usize; 2],
    measured: &Pair,
) -> Result<()> {
    let (id_a, id_b) = (found.units.id(a), found.units.id(b));
    let [equal_a, equal_b] = equal.map(|count| u32::try_from(count).ok());
    let measured = measures(found, measured);
    table.push(&PairRow {
        unit_a: Some(a.into()),
        unit_b: Some(b.into()),
        id_a: &id_a,
        id_b: &id_b,
        equal_a,
        equal_b,
        ..measured
    })
}

/// One pair for every two groups of equal units, and for each unit of a group with the first of it,
/// sorted by (a, b): readers can derive all clusters, and from the number of pairs that each row
/// represents all counts. A row inside a group represents the pairs with all earlier members. If
/// members of all groups are pairs of each other, rows are already in this order.
pub(super) fn representatives(
    context: &Context,
    (found, pairs): Found,
    table: &mut TableOutput<Pairs>,
) -> Result<()> {
    let groups = &found.groups;
    let first = |group: u32| groups.first[group as usize];
    let size = |group: u32| groups.members(group).len();
    let alike = (0..groups.len() as u32).filter(|group| groups.are_alike(*group));
    let mut inside = alike
        .flat_map(|group| (1..size(group)).map(move |before| (group, before)))
        .peekable();
    let mut until = |table: &mut TableOutput<Pairs>, end: Option<(u32, u32)>| -> Result<()> {
        let units = |(group, before): (u32, usize)| (first(group), groups.members(group)[before]);
        while let Some((group, before)) =
            inside.next_if(|one| end.is_none_or(|end| units(*one) < end))
        {
            let equal = pairs.equal(group);
            row(found, table, units((group, before)), [before, 1], &equal)?;
        }
        Ok(())
    };
    pairs.for_each(|pair| {
        context.check()?;
        let units = (first(pair.a), first(pair.b));
        until(table, Some(units))?;
        row(found, table, units, [size(pair.a), size(pair.b)], &pair)
    })?;
    until(table, None)
}

/// A row to write: two units, the earlier first, how many equal ones each represents, and the pair
/// of their groups in the same order.
type Row = ((u32, u32), [usize; 2], Pair);

/// All rows, sorted by (a, b): every pair of units, or those of [`links`].
///
/// Pairs of groups come in the order of the groups, not of their members, and there may be more
/// pairs of units than fit in memory. So units are processed in windows whose pairs fit, with one
/// pass over the pairs of groups for each window.
pub(super) fn sorted(
    context: &Context,
    (found, pairs): Found,
    every: bool,
    table: &mut TableOutput<Pairs>,
) -> Result<()> {
    const FEW: u64 = 1 << 18;
    let size = size_of::<Row>() as u64;
    let _counts = context
        .budget
        .reserve(8 * found.units.len() as u64, "the counts of pairs by unit")?;
    let room = (context.budget.free() / 2 / size).max(FEW);
    let _held = context.budget.try_reserve(room * size);
    let each = |window: Range<u32>, f: &mut dyn FnMut(Row)| {
        if every {
            return found.each_pair(context, window, &mut |(units, pair)| {
                f((units, [1, 1], pair));
            });
        }
        links(context, (found, pairs), window, f)
    };
    let mut counts = vec![0_u64; found.units.len()];
    each(0..found.units.len() as u32, &mut |((a, _), _, _)| {
        counts[a as usize] += 1;
    })?;
    let mut rows: Vec<Row> = Vec::new();
    let mut from = 0;
    while from < found.units.len() {
        let mut to = from;
        let mut sum = 0;
        while to < found.units.len() && (to == from || sum + counts[to] <= room) {
            sum += counts[to];
            to += 1;
        }
        if sum > 0 {
            rows.clear();
            each(from as u32..to as u32, &mut |one| rows.push(one))?;
            rows.sort_unstable_by_key(|(units, _, _)| *units);
            for (units, equal, pair) in &rows {
                row(found, table, *units, *equal, pair)?;
            }
        }
        from = to;
    }
    Ok(())
}

/// Calls `f` with enough pairs to link all units, those whose earlier unit is in `window`, in no
/// particular order. Members of a group that are not pairs of each other (references, and under
/// `--across`) are linked through their partners: the first of one group with all of the other, and
/// the first of the other with all of the one.
fn links(
    context: &Context,
    (found, pairs): Found,
    window: Range<u32>,
    f: &mut dyn FnMut(Row),
) -> Result<()> {
    let groups = &found.groups;
    for group in (0..groups.len() as u32).filter(|group| groups.are_alike(*group)) {
        let members = groups.members(group);
        if window.contains(&members[0]) {
            let pair = pairs.equal(group);
            (1..members.len())
                .for_each(|before| f(((members[0], members[before]), [before, 1], pair)));
        }
    }
    // The listed units of a group, and how many each represents.
    let named = |group: u32| {
        let members = groups.members(group);
        if groups.are_alike(group) {
            (&members[..1], members.len())
        } else {
            (members, 1)
        }
    };
    pairs.for_each(|pair| {
        context.check()?;
        let turned = pairs.scoring().turned(&pair);
        let ((of_a, each_a), (of_b, each_b)) = (named(pair.a), named(pair.b));
        let mut link = |a: u32, b: u32, [equal_a, equal_b]: [usize; 2]| {
            let row = if a < b {
                ((a, b), [equal_a, equal_b], pair)
            } else {
                ((b, a), [equal_b, equal_a], turned)
            };
            if window.contains(&row.0.0) {
                f(row);
            }
        };
        for a in of_a {
            link(*a, of_b[0], [each_a, each_b]);
        }
        for b in &of_b[1..] {
            link(of_a[0], *b, [of_a.len() * each_a, each_b]);
        }
        Ok(())
    })
}
