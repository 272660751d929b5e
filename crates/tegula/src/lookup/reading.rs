//! The features of a text, as it is looked up.

use super::method::{Method, Overlap, Rest, Size};
use crate::hash::Fingerprint;
use crate::shingle::Shingler;
use std::ops::Range;

/// The features of a text.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// How large it is.
    pub(crate) size: Size,
    /// All features, each with its position, or the times its weight counts; equal ones together.
    pub(super) all: Vec<(Fingerprint, u32)>,
    /// The distinct ones among them.
    pub(super) distinct: Vec<Range<u32>>,
    /// The weight of each distinct one, if they are weighted.
    pub(super) weights: Vec<u64>,
    /// The signature, if the measure compares these: none of a text that only equals others.
    pub(crate) signature: Option<u64>,
    /// Marks of tokens, reused.
    marks: Vec<bool>,
}

impl Reading {
    /// The distinct features.
    pub(crate) fn distinct(&self) -> impl ExactSizeIterator<Item = Fingerprint> {
        (self.distinct.iter()).map(|at| self.all[at.start as usize].0)
    }

    /// The weight of a distinct feature; 0 if they are not weighted.
    pub(crate) fn weight(&self, feature: u32) -> u64 {
        self.weights.get(feature as usize).copied().unwrap_or(0)
    }

    /// The features with their positions; equal ones together.
    pub(crate) fn occurrences(&self) -> &[(Fingerprint, u32)] {
        &self.all
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.distinct.clear();
        self.weights.clear();
        self.signature = None;
        self.size = Size::default();
    }

    /// Sorts the features, and finds those that are distinct.
    pub(super) fn sort(&mut self, tokens: usize) {
        self.all.sort_unstable();
        let mut start = 0;
        for equal in self.all.chunk_by(|a, b| a.0 == b.0) {
            let end = start + equal.len() as u32;
            self.distinct.push(start..end);
            start = end;
        }
        self.size = Size {
            shingles: self.distinct.len() as u32,
            tokens: tokens as u32,
            repeats: (self.all.len() - self.distinct.len()) as u32,
            weight: 0,
        };
    }

    /// What a text and this one, which is asked about, share. Cost: linear in their features.
    pub(crate) fn overlap(
        &mut self,
        other: &mut Self,
        method: Method,
        shingler: &Shingler,
    ) -> Overlap {
        let mut overlap = Overlap::default();
        let covers = method.covers();
        if covers {
            for side in [&mut *self, &mut *other] {
                side.marks.clear();
                side.marks.resize(side.size.tokens as usize, false);
            }
        }
        let (mut i, mut j) = (0, 0);
        while let (Some(a), Some(b)) = (other.distinct.get(i), self.distinct.get(j)) {
            let order = other.all[a.start as usize]
                .0
                .cmp(&self.all[b.start as usize].0);
            if order.is_eq() {
                overlap.shingles += 1;
                if method.weighs() {
                    overlap.weight += self.weights[j];
                }
                if covers {
                    overlap.covered.0 += mark(&other.all, a, &mut other.marks, shingler);
                    overlap.covered.1 += mark(&self.all, b, &mut self.marks, shingler);
                }
            }
            (i, j) = (
                i + usize::from(order.is_le()),
                j + usize::from(order.is_ge()),
            );
        }
        overlap
    }

    /// For each of these distinct features, what it and those after it contribute.
    pub(crate) fn rests(
        &mut self,
        features: &[u32],
        method: Method,
        shingler: &Shingler,
    ) -> Vec<Rest> {
        let mut rests = vec![Rest::default(); features.len()];
        let mut rest = Rest::default();
        self.marks.clear();
        self.marks.resize(self.size.tokens as usize, false);
        for (feature, out) in features.iter().zip(&mut rests).rev() {
            let feature = *feature as usize;
            rest.shingles += 1;
            if method.covers() {
                rest.covered += mark(
                    &self.all,
                    &self.distinct[feature],
                    &mut self.marks,
                    shingler,
                );
            }
            if method.weighs() {
                rest.weight += self.weights[feature];
            }
            *out = rest;
        }
        rests
    }
}

/// Marks the tokens that these occurrences of a shingle cover; returns how many were not marked.
fn mark(
    all: &[(Fingerprint, u32)],
    occurrences: &Range<u32>,
    marks: &mut [bool],
    shingler: &Shingler,
) -> u32 {
    let cover = shingler.cover(marks.len());
    let mut fresh = 0;
    for (_, at) in &all[occurrences.start as usize..occurrences.end as usize] {
        for mark in marks.iter_mut().skip(*at as usize).take(cover) {
            fresh += u32::from(!std::mem::replace(mark, true));
        }
    }
    fresh
}
