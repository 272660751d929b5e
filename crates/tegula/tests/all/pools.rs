//! Work runs on the threads of its context only: never more than were asked for, and none that
//! outlive a run, which a forked process would wait for.

use tegula::{Dedup, recipes};

#[test]
fn no_recipe_starts_the_pool_of_the_process() {
    let texts: Vec<String> = (0..60)
        .map(|number: u32| {
            let words = (0..30).map(|word| format!("w{}", number / 3 * 40 + word + number % 3));
            words.collect::<Vec<_>>().join(" ")
        })
        .collect();
    let texts = || texts.iter().map(String::as_str);
    for about in recipes() {
        let Ok(dedup) = Dedup::recipe(&about.name) else {
            continue;
        };
        let dedup = dedup.threads(2);
        // Some recipes have no pairs, or decide in order.
        let _ = dedup.pairs(texts()).map(drop);
        let _ = dedup.clusters(texts()).map(drop);
        let _ = dedup.run(texts()).map(drop);
    }
    let fresh = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global();
    assert!(fresh.is_ok(), "a stage ran outside the pool of its context");
}
