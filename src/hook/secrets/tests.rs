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
            println!("MISS {} {:?}", sample.path, sample.text);
            *missed.entry(sample.secret.unwrap_or("")).or_default() += 1;
        }
    }
    let mut alarms: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in clean.iter().filter(|sample| finds(sample)) {
        println!(
            "ALARM {} {:?} {:?}",
            sample.path,
            sample.text,
            kinds(&sample.text)
        );
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

/// Bytes looked at in one pass over `text`.
fn work(text: &str) -> usize {
    let context = Context::default();
    let normal = super::normal::normal(text);
    let bytes = normal.as_ref().map_or(text.as_bytes(), |n| &n.text);
    let mut scan = Scan::new(bytes, &context);
    scan.pass();
    scan.work.get()
}

#[test]
fn hostile_texts_cost_no_more_than_their_length() {
    let units = [
        "a=a=",
        "://",
        "a://b:c",
        "a://b:c@",
        "-----BEGIN ",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "eyJ",
        "eyJhbGciOiJI.",
        "\"",
        "'",
        "password=",
        "password=\"",
        "password: \"aaaa1A bbbb\",",
        "kind: Secret\n",
        "kind: Secret\ndata:\n  a: b\n---\n",
        "machine ",
        "Basic ",
        "Basic YWFhYWFhYWFhYWE=",
        "value=\"aB3$aB3$aB3$\" ",
        "value=aB3$aB3$aB3$\n",
        ":",
        "=",
        "<a>bbbbbbbbbb</",
        "curl -u ",
        " --",
        " --password x",
        "&sig=",
        "&sig=aaaa",
        "LS0tLS1CRUdJTi",
        "\"d\":\"",
        "ghp_",
        "a.",
        "pypi-AgE",
        "/hooks/",
        "\u{200b}",
        "<D>",
        "token ",
        "password=f( || \"a\" || ",
        "A1b2",
        "\\\"",
        "{",
        "password=a;server=",
        "\"d\":\"aB3dE6aB3dE6aB3dE6aB3dE6aB3dE6aB3dE6aB3dE6aB3dE6\",",
        "-p ",
        " -p",
        "\",\"",
        "(\"",
        "ENV ",
        "secret ",
        "IDENTIFIED BY '",
        ":$6$",
        "sk-",
        "Private-Lines: 1\n",
    ];
    for unit in units {
        let once = unit.repeat(40_000 / unit.len());
        let twice = unit.repeat(80_000 / unit.len());
        let (small, large) = (work(&once), work(&twice));
        assert!(
            large <= small * 5 / 2 + 10_000,
            "{unit:?}: {small} then {large}"
        );
        assert!(
            large <= twice.len() * 400,
            "{unit:?}: {large} for {}",
            twice.len()
        );
    }
}

#[test]
fn disguised_tokens_are_found_where_they_stand() {
    let token = Seed(11).fill("ghp_‹an36›");
    let wide: String = token
        .chars()
        .map(|c| char::from_u32(u32::from(c) + 0xfee0).unwrap())
        .collect();
    let split = format!(
        "{}\u{200b}{}\u{ad}{}",
        &token[..6],
        &token[6..20],
        &token[20..]
    );
    for disguise in [wide, split] {
        let text = format!("für später:\nkey: {disguise} Ende\n");
        let found = scan(&text, &Context::default());
        assert_eq!(found.len(), 1, "a disguised token is missed");
        assert_eq!(found[0].line, 2);
        assert!(
            text[found[0].start..found[0].end] == disguise,
            "the place is not the disguised token's"
        );
    }
}

#[test]
fn text_outside_ascii_keeps_its_places() {
    let token = Seed(12).fill("sk_live_‹an24›");
    let text = format!("日本語 €: \"{token}\" – fin\n");
    let found = scan(&text, &Context::default());
    assert_eq!(found.len(), 1);
    assert!(text[found[0].start..found[0].end] == token);
}

#[test]
fn a_word_such_as_echo_excuses_nothing() {
    let token = Seed(13).fill("glpat-‹url20›");
    assert_eq!(
        kinds(&format!("echo \"{token}\" > f && echo ok")),
        ["gitlab-token"]
    );
    assert_eq!(
        kinds(&format!("grep \"{token}\" example.txt")),
        ["gitlab-token"]
    );
    assert_eq!(
        kinds(&format!("curl -H 'A: {token}' https://api.example.com")),
        ["gitlab-token"]
    );
    assert!(kinds("openssl rand -hex 32 | vault-cli put app/db -").is_empty());
}

#[test]
fn a_line_that_declares_its_value_a_fake_is_believed_and_no_other_line() {
    let key = Seed(14).fill("AKIA‹b3216›");
    assert!(kinds(&format!("key = \"{key}\" # example")).is_empty());
    assert!(kinds(&format!("const FAKE_KEY = '{key}';")).is_empty());
    assert_eq!(
        kinds(&format!("# example\nkey = \"{key}\"\n")),
        ["aws-access-key-id"]
    );
}

#[test]
fn a_path_never_silences_a_vendors_token() {
    let token = Seed(15).fill("ghp_‹an36›");
    for path in [
        "locales/en.json",
        "package-lock.json",
        "tests/fixtures/a.txt",
        ".env.example",
    ] {
        let context = Context { path: Some(path) };
        assert_eq!(
            scan(&format!("\"x\": \"{token}\""), &context).len(),
            1,
            "{path}"
        );
    }
}

#[test]
fn a_finding_never_shows_what_was_found() {
    let mut seed = Seed(16);
    for sample in positives(&mut seed, 1) {
        for finding in scan(
            &sample.text,
            &Context {
                path: Some(sample.path),
            },
        ) {
            let shown = format!("{finding:?}");
            let end = &sample.value[sample.value.len().saturating_sub(6)..];
            assert!(!shown.contains(end), "{}", finding.kind);
        }
    }
}

#[test]
fn a_text_full_of_tokens_gives_a_bounded_answer() {
    let mut seed = Seed(17);
    let text: String = (0..500).map(|_| seed.fill("a ghp_‹an36›\n")).collect();
    assert_eq!(scan(&text, &Context::default()).len(), super::MOST_FINDINGS);
}

#[test]
fn no_text_makes_the_scanner_panic() {
    let mut seed = Seed(18);
    let samples = positives(&mut seed, 1);
    for sample in &samples {
        // Cut anywhere, and with a byte changed.
        let text = &sample.text;
        for _ in 0..12 {
            let mut cut = seed.below(text.len() + 1);
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            let odd = seed.one(&["\u{ff1a}", "\\", "\"", "\u{200b}", "=", "é", "\0", "'"]);
            let changed = format!("{}{odd}{}", &text[..cut], &text[cut..]);
            for text in [&text[..cut], &text[cut..], &changed] {
                for finding in scan(text, &Context::default()) {
                    assert!(
                        text.get(finding.start..finding.end).is_some(),
                        "{}",
                        finding.kind
                    );
                }
            }
        }
    }
}
