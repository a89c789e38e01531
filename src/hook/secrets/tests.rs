//! What a user would notice: secrets found, clean texts left alone, and no text
//! that takes long.

use std::collections::BTreeMap;

use super::corpus::{Sample, Seed, negatives, positives};
use super::{Context, KINDS, Scan, scan};

fn kinds(text: &str) -> Vec<&'static str> {
    scan(text, &Context::default())
        .iter()
        .map(|finding| finding.kind)
        .collect()
}

fn finds(sample: &Sample) -> bool {
    let context = Context {
        path: Some(sample.path),
    };
    let found = scan(&sample.text, &context);
    if sample.secret.is_none() {
        return !found.is_empty();
    }
    let at = sample.text.find(&sample.value).unwrap_or(0);
    found
        .iter()
        .any(|finding| finding.start < at + sample.value.len() && at < finding.end)
}

#[test]
fn recall_and_false_alarms_on_the_corpus() {
    let mut seed = Seed(20_260_101);
    let hidden = positives(&mut seed, 20);
    let clean = negatives(&mut seed, 40);
    let mut missed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = 0;
    for sample in &hidden {
        if finds(sample) {
            found += 1;
        } else {
            *missed.entry(sample.secret.unwrap_or("")).or_default() += 1;
        }
    }
    let mut alarms: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in clean.iter().filter(|sample| finds(sample)) {
        *alarms
            .entry(sample.text.lines().next().map_or("", |_| sample.sort))
            .or_default() += 1;
    }
    let wrong: usize = alarms.values().sum();
    println!("recall: {found} of {} found", hidden.len());
    println!("false alarms: {wrong} of {}", clean.len());
    println!("missed: {missed:?}\nalarms: {alarms:?}");
    assert!(found * 1000 >= hidden.len() * 980, "missed {missed:?}");
    assert!(wrong * 1000 <= clean.len() * 2, "alarms {alarms:?}");
}

#[test]
fn a_token_is_found_and_placed() {
    let token = Seed(7).fill("ghp_‹an36›");
    let text = format!("first\nexport TOKEN={token}\n");
    let found = scan(&text, &Context::default());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].line), ("github-token", 2));
    assert!(text[found[0].start..found[0].end] == token);
}

/// Prints the corpus for other scanners: one sample a line, fields between tabs.
#[test]
#[ignore = "prints the corpus for a comparison with other scanners"]
fn print_the_corpus() {
    let mut seed = Seed(20_260_101);
    let samples = positives(&mut seed, 4)
        .into_iter()
        .chain(negatives(&mut seed, 12));
    for sample in samples {
        println!(
            "SAMPLE\t{}\t{}\t{}\t{:?}",
            sample.secret.unwrap_or("-"),
            sample.sort,
            sample.path,
            sample.text
        );
    }
}

#[test]
fn every_kind_has_an_id_and_a_line() {
    let ids: std::collections::BTreeSet<&str> = KINDS.iter().map(super::Kind::id).collect();
    assert_eq!(ids.len(), KINDS.len(), "two kinds have one id");
    assert!(ids.len() >= 80);
    assert!(KINDS.iter().all(|kind| !kind.about().is_empty()));
    let _ = Scan::new(b"", &Context::default());
    assert!(kinds("The password must have twelve characters.").is_empty());
}
