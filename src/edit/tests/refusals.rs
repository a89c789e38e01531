//! Every refusal with its place, and that nothing else is refused.

use std::time::{Duration, Instant};

use super::*;
use crate::edit::{apply, check, decode};
use crate::error::Error;

fn place(error: &Error) -> (usize, usize) {
    let place = error.place.unwrap();
    (place.line, place.column)
}

#[test]
fn a_text_the_host_would_reject_is_refused_at_its_place() {
    let all: [(&str, (usize, usize)); 38] = [
        ("{\n  // c\n}", (2, 3)),
        ("{} /* c */", (1, 4)),
        ("{\"a\":1,}", (1, 7)),
        ("{\"a\":[1,\n ]}", (1, 8)),
        ("{\"a\" 1}", (1, 6)),
        ("{\"a\":}", (1, 6)),
        ("{'a':1}", (1, 2)),
        ("{a:1}", (1, 2)),
        ("{\"a\":01}", (1, 7)),
        ("{\"a\":-}", (1, 7)),
        ("{\"a\":+1}", (1, 6)),
        ("{\"a\":.5}", (1, 6)),
        ("{\"a\":5.}", (1, 8)),
        ("{\"a\":0x1F}", (1, 7)),
        ("{\"a\":1e}", (1, 8)),
        ("{\"a\":NaN}", (1, 6)),
        ("{\"a\":Infinity}", (1, 6)),
        ("{\"a\":undefined}", (1, 6)),
        ("{\"a\":\"b\nc\"}", (1, 8)),
        ("{\"a\":\"\t\"}", (1, 7)),
        ("{\"a\":\"\\x41\"}", (1, 8)),
        ("{\"a\":\"\\u12g4\"}", (1, 12)),
        ("{\"a\":\"b", (1, 7)),
        ("{\"a\":1", (1, 6)),
        ("{", (1, 1)),
        ("{}{}", (1, 3)),
        ("{}\n x", (2, 2)),
        ("]", (1, 1)),
        ("{,}", (1, 2)),
        ("{\"a\":[,]}", (1, 7)),
        ("{\"a\":1,,\"b\":2}", (1, 8)),
        ("{\"a\":1 \"b\":2}", (1, 8)),
        ("{\u{a0}}", (1, 2)),
        ("{}\u{0}", (1, 3)),
        ("{\u{b}}", (1, 2)),
        ("\u{2028}{}", (1, 1)),
        ("{}/", (1, 3)),
        ("{\"\u{e9}\u{65e5}\": tru}", (1, 11)),
    ];
    let mut wrong = Vec::new();
    for (text, want) in all {
        let error = Document::parse(text, &strict()).unwrap_err();
        assert!(error.remedy.is_some(), "{error} for {text:?}");
        if place(&error) != want {
            wrong.push(format!(
                "{text:?}: {:?}, not {want:?}: {error}",
                place(&error)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_only_some_hosts_accept_is_refused_by_the_others() {
    let bom = Grammar {
        bom: false,
        ..strict()
    };
    let error = Document::parse("\u{feff}{}", &bom).unwrap_err();
    assert!(error.what.contains("byte order mark"), "{error}");
    for text in ["", " \n", "// c\n"] {
        let error = Document::parse(text, &commented()).unwrap_err();
        assert!(error.what.contains("is empty"), "{error}");
    }
    let error = Document::parse("{\"a\":1,}", &commented()).unwrap_err();
    assert_eq!(place(&error), (1, 7));
    let error = Document::parse("{} /* c", &commented()).unwrap_err();
    assert_eq!(place(&error), (1, 4));
    // A lone carriage return does not end a comment, so nothing is left here.
    assert!(Document::parse("// c\r{}", &commented()).is_err());
    // A byte order mark is no column.
    let error = Document::parse("\u{feff}{ // c\n}", &strict()).unwrap_err();
    assert_eq!(place(&error), (1, 3));
    let error = Document::parse("\u{feff}{x}", &strict()).unwrap_err();
    assert_eq!(place(&error), (1, 2));
}

#[test]
fn what_json_parse_accepts_is_not_refused() {
    for text in [
        "null",
        "[]",
        "1e999",
        "-0.0",
        "\"\\ud800\"",
        "{\"\\udc00\\ud800\":\"\\ud83d\\ude00\"}",
        "{\"a\":1,\"a\":2}",
        "{\"\":{\"\":\"\"}}",
        "{\"__proto__\":1}",
        "{\"a\":\"\u{2028}\u{7f}\\/\\b\\f\\n\\r\\t\"}",
        "\r\n\t {} \r",
        "{\"a\":123456789012345678901234567890}",
    ] {
        assert!(Document::parse(text, &strict()).is_ok(), "{text:?}");
    }
    let deep = "[".repeat(250) + &"]".repeat(250);
    assert!(Document::parse(&deep, &strict()).is_ok());
    let deep = "{\"a\":".repeat(250) + "1" + &"}".repeat(250);
    assert!(Document::parse(&deep, &strict()).is_ok());
}

#[test]
fn deep_nesting_is_a_clean_error() {
    for depth in [2_000, 200_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let error = Document::parse(&deep, &strict()).unwrap_err();
            assert!(error.what.contains("nest"), "{error}");
            assert!(error.place.is_some());
        }
    }
}

#[test]
fn other_encodings_are_named() {
    assert_eq!(decode(b"{}").unwrap(), "{}");
    let error = decode(b"{\n\"a\": \"\xff\"}").unwrap_err();
    assert_eq!(place(&error), (2, 7));
    for utf16 in [b"\xff\xfe{\0}\0", b"\xfe\xff\0{\0}"] {
        let error = decode(utf16).unwrap_err();
        assert!(error.what.contains("UTF-16"), "{error}");
        assert!(error.remedy.unwrap().contains("UTF-8"));
    }
}

fn refused(text: &str, shape: &Shape, event: &str) -> Error {
    let doc = document(text, &commented());
    let error = check(&doc, shape, event).unwrap_err();
    assert!(error.remedy.is_some(), "{error} has no remedy");
    let added = splices(&doc, shape, &adds(&[entry(event, None)]), &Made::default());
    assert_eq!(added.unwrap_err(), error, "written all the same");
    error
}

#[test]
fn what_makes_the_host_ignore_the_hooks_is_refused_at_its_place() {
    for (text, want) in [
        ("[]", (1, 1)),
        ("null", (1, 1)),
        ("{\"hooks\": null}", (1, 11)),
        ("{\"hooks\": []}", (1, 11)),
        ("{\"hooks\": \"x\"}", (1, 11)),
        ("{\"hooks\": {},\n \"hooks\": {}}", (2, 2)),
        ("{\"hooks\": {},\n \"\\u0068ooks\": {}}", (2, 2)),
        ("{\"hooks\": {\"Stop\": null}}", (1, 20)),
        ("{\"hooks\": {\"Stop\": {}}}", (1, 20)),
        ("{\"hooks\": {\"Stop\": [],\n\"Stop\": []}}", (2, 1)),
    ] {
        let error = refused(text, &grouped(), "Stop");
        assert_eq!(place(&error), want, "{error} for {text:?}");
    }
}

#[test]
fn one_bad_entry_in_a_strict_event_refuses_the_whole_file() {
    let group = "{\"hooks\":{\"PreToolUse\":[\nG]}}";
    for (bad, column) in [
        ("{\"matcher\":5,\"hooks\":[]}", 12),
        ("{\"matcher\":null,\"hooks\":[]}", 12),
        ("{\"hooks\":[{\"type\":\"command\"}]}", 11),
        ("{\"hooks\":[{\"command\":\"u\"}]}", 11),
        ("{\"hooks\":[7]}", 11),
        ("{\"hooks\":[{\"type\":\"shell\",\"command\":\"u\"}]}", 19),
        (
            "{\"hooks\":[{\"type\":\"command\",\"command\":[\"u\"]}]}",
            11,
        ),
        (
            "{\"hooks\":[{\"type\":\"command\",\"command\":\"u\",\"timeout\":\"5\"}]}",
            53,
        ),
        (
            "{\"hooks\":[{\"type\":\"command\",\"command\":\"u\",\"timeout\":0}]}",
            53,
        ),
        (
            "{\"hooks\":[{\"type\":\"command\",\"command\":\"u\",\"timeout\":-1.5}]}",
            53,
        ),
    ] {
        let text = group.replace('G', bad);
        for event in ["PreToolUse", "Stop"] {
            let error = refused(&text, &grouped(), event);
            assert_eq!(place(&error), (2, column), "{error} for {bad}");
            assert!(error.what.contains("drops this whole file"), "{error}");
        }
        // In any other event it is that entry alone that is lost.
        let other = text.replace("PreToolUse", "Notification");
        assert!(check(&document(&other, &strict()), &grouped(), "Stop").is_ok());
        // And ours can be taken out of such a file.
        let with = text.replace("\nG", "").replace(
            "]}}",
            &format!(",{{\"hooks\":[{{\"command\":\"{OURS}\"}}]}}]}}}}"),
        );
        assert_eq!(
            removed(&with, &strict(), &grouped(), &Made::default()).text,
            text
        );
    }
    for good in [
        "{\"hooks\":[{\"type\":\"command\",\"command\":\"u\",\"timeout\":0.5}]}",
        "{\"hooks\":[{\"type\":\"prompt\",\"prompt\":\"p\"}]}",
        "{\"matcher\":\"(\",\"hooks\":[]}",
        "{\"hooks\":{}}",
        "{\"type\":\"command\"}",
        "null",
    ] {
        let text = group.replace('G', good);
        assert_eq!(
            check(&document(&text, &strict()), &grouped(), "PreToolUse"),
            Ok(())
        );
    }
}

#[test]
fn a_matcher_that_kills_its_event_is_refused_there() {
    let shape = Shape {
        bad_matcher_kills_event: true,
        strict_events: Vec::new(),
        ..grouped()
    };
    let text = "{\"hooks\":{\"AfterTool\":[{\"matcher\":5}]}}";
    let error = refused(text, &shape, "AfterTool");
    assert_eq!(place(&error), (1, 35));
    assert!(error.what.contains("no hook of `AfterTool`"), "{error}");
    assert!(check(&document(text, &strict()), &shape, "BeforeTool").is_ok());
    let null = text.replace('5', "null");
    assert!(check(&document(&null, &strict()), &shape, "AfterTool").is_ok());
}

#[test]
fn a_root_key_the_host_does_not_know_is_refused() {
    let shape = Shape {
        root_keys: words(&["hooks", "description"]),
        ..grouped()
    };
    let error = refused(
        "{\n  \"description\": \"x\",\n  \"version\": 1\n}",
        &shape,
        "Stop",
    );
    assert_eq!(place(&error), (3, 3));
    assert!(error.what.contains("ignores this whole file"));
}

#[test]
fn a_reader_passes_over_what_is_no_handler() {
    let text = "{\"hooks\":{\"Stop\":[null,{\"hooks\":[5,{\"command\":\"u1\"},{\"command\":[]}]},{\"command\":\"flat\"}],\"x\":1,\n\"A\":[{\"matcher\":\"m\",\"note\":1,\"hooks\":[{\"command\":\"u2\",\"command\":\"u3\",\"timeout\":1e999}]}]}}";
    let doc = document(text, &strict());
    let all = found(&doc, &grouped()).unwrap();
    let seen: Vec<_> = all
        .iter()
        .map(|f| {
            (
                f.event.as_str(),
                f.group,
                f.handler,
                f.command.as_str(),
                f.alone,
            )
        })
        .collect();
    assert_eq!(seen, [("Stop", 1, 1, "u1", false), ("A", 0, 0, "u3", true)]);
    let last = all.last().unwrap();
    assert_eq!((last.place.line, last.place.column), (2, 39));
    assert_eq!(last.group_keys, ["matcher", "note", "hooks"]);
    assert_eq!(last.matcher.as_deref(), Some("m"));
    assert_eq!(
        last.fields,
        [
            ("command".to_owned(), json!("u3")),
            ("timeout".to_owned(), Value::Null)
        ]
    );
    assert!(text[last.span.clone()].starts_with("{\"matcher\""));
    for other in [
        "null",
        "[]",
        "{\"hooks\":5}",
        "{\"hooks\":{\"Stop\":5}}",
        "{}",
    ] {
        assert_eq!(
            found(&document(other, &strict()), &grouped()),
            Ok(Vec::new())
        );
    }
    assert!(
        found(
            &document("{\"hooks\":{},\"hooks\":{}}", &strict()),
            &grouped()
        )
        .is_err()
    );
}

#[test]
fn a_splice_for_another_text_is_refused() {
    let added = edited(
        "{\"a\":1}",
        &strict(),
        &grouped(),
        &adds(&[entry("Stop", None)]),
        &Made::default(),
    );
    let back = inverse(&added.splices);
    for other in [
        added.text.replace("ours", "mine"),
        String::new(),
        "\u{e9}".repeat(60),
    ] {
        assert!(apply(&other, &back).is_err());
    }
}

/// Half of `hooks` taken out and put back; how long that took.
fn halved(hooks: usize, padding: usize, between: &str) -> Duration {
    let padding = "y".repeat(padding);
    let group = |index: usize| {
        let command = if index.is_multiple_of(2) { OURS } else { "u" };
        format!("{{\"hooks\":[{{\"command\":\"{command}\",\"x\":\"{padding}\"}}]}}")
    };
    let groups: Vec<String> = (0..hooks).map(group).collect();
    let text = format!("{{\"hooks\":{{\"Stop\":[{}]}}}}", groups.join(between));
    let start = Instant::now();
    let out = removed(&text, &strict(), &grouped(), &Made::default());
    let left = found(&document(&out.text, &strict()), &grouped()).unwrap();
    assert_eq!(left.len(), hooks / 2);
    let entries: Vec<Entry> = (0..hooks / 2).map(|_| entry("Stop", None)).collect();
    let back = edited(
        &out.text,
        &strict(),
        &grouped(),
        &adds(&entries),
        &Made::default(),
    );
    let took = start.elapsed();
    assert_eq!(
        apply(&back.text, &inverse(&back.splices)).unwrap(),
        out.text
    );
    took
}

#[test]
fn the_work_grows_with_the_file_not_with_its_square() {
    for between in [",", ",\n"] {
        let few = halved(500, 0, between);
        let many = halved(10_000, 0, between);
        assert!(
            many < few * 20 * 6,
            "{few:?} for 500 hooks, {many:?} for 10000"
        );
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "minutes in a build that is not optimised")]
fn ten_thousand_hooks_in_ten_megabytes() {
    for between in [",", ",\n"] {
        let took = halved(10_000, 1_000, between);
        assert!(took < Duration::from_secs(10), "{took:?}");
        println!("{took:?}");
    }
}
