//! The laws: adding is pure insertion and can be taken back to the byte, taking
//! out leaves everything else, both over a matrix of layouts and over generated
//! documents.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::*;

/// Layouts without comments or trailing commas: every host reads these.
const PLAIN: [&str; 40] = [
    "{}",
    "{ }",
    "{}\n",
    "{\n}\n",
    "{\n\n}",
    "{\"hooks\":{}}",
    "{\"hooks\": {}}\n",
    "{ \"hooks\" : { } }",
    "{\"hooks\":{\"Stop\":[]}}",
    "{\"hooks\":{\"Stop\":[ ]}}",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n  }\n}\n",
    "{\n  \"hooks\": { }\n}",
    "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n    ]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n\n\n    ]\n  }\n}\n",
    "{\n\t\"hooks\": {\n\t\t\"Stop\": [ ]\n\t}\n}\n",
    "{\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n",
    "{\r\n  \"a\": 1,\n  \"hooks\": {\r\n  }\r\n}",
    "{\r  \"hooks\": {\r  }\r}\r",
    "{\"a\":1}",
    "{ \"a\": 1, \"b\": [ 1, 2 ] }",
    "{\"a\":1,\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"u1\"}]}]},\"z\":2}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"u1\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"u1\"}]}]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [{\n      \"hooks\": [{\n        \"type\": \"command\", \"command\": \"u1\"\n      }]\n    }]\n  }\n}\n",
    "{\n \"hooks\":\n {\n  \"Stop\":\n  [\n   {\"hooks\":[{\"type\":\"command\",\"command\":\"u1\"}]},\n\n   {\"hooks\":[]} ]}\n}",
    "{\"a\":1,\n\"hooks\":{\"Stop\":[],\n       \"Notification\":[ 1,2,\n 3 ] }}",
    "\n\n  {\n    \"x\": \"y\"\n  }\n\n",
    "{\"\\u0068ooks\":{\"Sto\\u0070\":[]}}",
    "{\"\":{\"\":[]},\"__proto__\":{\"hooks\":1},\"a.hooks\":[],\"x\":1e999,\"y\":-0.0,\"z\":\"\\ud800\\u0000\"}",
    "{\"d\":1,\"d\":2,\"n\":{\"hooks\":[],\"hooks\":{}}}",
    "{\n    \"x\": \"\u{e9} \u{2014} \u{65e5}\u{672c} \\u00e9 \u{2028}\"\n}\n",
    "{\"big\":123456789012345678901234567890.5E+10,\"t\":true,\"f\":false,\"nul\":null}",
    "{\n\"hooks\":{\n\"Stop\":[\n{\n\"hooks\":[]\n}\n]\n}\n}",
    "{\n  \"env\": {\"A\": \"1\"}\n}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      null,\n      {\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"u1\"}, 5]}  \n    ]\n  }   ,\n  \"z\" : 0\n}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {}\n      , {}\n    ]\n  , \"SessionStart\": []\n  }\n}",
    "{\"hooks\":{\"SessionStart\":[{\"hooks\":[]}],\n\n\"Stop\":[\n]}}",
    "{ \"hooks\":\t{\t}\t}",
];

/// Layouts with comments.
const COMMENTED: [&str; 18] = [
    "\n    {//\r\r\n }",
    "{\"hooks\":{\"Stop\":[//\n\r]}}",
    "// top\n{}\n// tail",
    "{ // in\n}\n",
    "{\n  // in\n}\n",
    "{ /* in */ }",
    "{/**/}",
    "{\n  \"hooks\": { // same\n    // none yet\n  }, // after\n  \"x\": 1 // end\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\":[]} // mine\n      // { \"off\": 1 }\n    ] // stop\n    /* end */\n  } // hooks\n} // all",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      // nothing\n    ]\n  }\n}\n",
    "{\"hooks\":{\"Stop\":[/* none */]/* a */}/* b */}/* c */",
    "{\"hooks\":{\"Stop\":[ {\"hooks\":[]} /* u */ ]}}",
    "{\"hooks\":{\"Stop\":[ {\"hooks\":[]} // u\n]}}",
    "{\r\n  \"a\": 1 // x\r\n  // y\r\n}\r\n",
    "{\n  /* k */ \"hooks\" /* b */ : /* c */ { /* d */ \"Stop\": /* e */ [ /* f */ ] /* g */ } /* h */\n}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\":[]}\n      /* end */ ]\n  }\n}",
    "{\n  \"a\": \"// not a comment /* nor this\" // but this \"is\"\n}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [] } /* a */ // b\n    ]\n  }\n}\n",
];

/// Layouts with trailing commas too.
const LOOSE: [&str; 9] = [
    "\r//*/ {} ",
    "/* c */ ",
    "{\"a\":1,}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\":[]}, // mine\n    ],\n  },\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\":[]}\n      // mine\n      , // odd\n      // end\n    ],\n  },\n}\n",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[]},],},}",
    "// nothing but this\n",
    "// nothing but this",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[]}, /* x */],},}",
];

const BLANK: [&str; 5] = ["", "\n", "  \r\n\t", "\u{feff}", "\u{feff}\n"];

fn seeds() -> Vec<(String, Grammar)> {
    let mut all = Vec::new();
    for grammar in [strict(), commented(), loose()] {
        for text in PLAIN {
            all.push((text.to_owned(), grammar.clone()));
            if grammar.bom {
                all.push((format!("\u{feff}{text}"), grammar.clone()));
            }
            all.push((
                text.replace('\n', "\r\n").replace("\r\r", "\r"),
                grammar.clone(),
            ));
        }
        if grammar.comments {
            all.extend(COMMENTED.map(|text| (text.to_owned(), grammar.clone())));
        }
        if grammar.trailing_commas {
            all.extend(LOOSE.map(|text| (text.to_owned(), grammar.clone())));
        }
        if grammar.empty {
            all.extend(BLANK.map(|text| (text.to_owned(), grammar.clone())));
        } else {
            all.push((String::new(), grammar));
        }
    }
    all
}

fn sets() -> Vec<Vec<Entry>> {
    vec![
        vec![entry("Stop", None)],
        vec![entry("PreToolUse", Some("Write|Edit"))],
        vec![entry("Stop", None), entry("PreToolUse", Some(""))],
        vec![
            entry("SessionStart", Some("compact")),
            entry("Stop", None),
            entry("Stop", Some("b")),
            entry("SessionStart", None),
        ],
    ]
}

/// Everything that holds for any document these entries can be added to.
fn laws(
    text: &str,
    grammar: &Grammar,
    shape: &Shape,
    entries: &[Entry],
) -> Result<(), TestCaseError> {
    let added = edited(text, grammar, shape, &adds(entries), &Made::default());
    // 1. Pure insertion, and back.
    for splice in &added.splices {
        prop_assert_eq!(&splice.removed, "");
    }
    prop_assert_eq!(&apply(text, &added.splices).unwrap(), &added.text);
    prop_assert_eq!(apply(&added.text, &inverse(&added.splices)).unwrap(), text);
    // Ours are there, in order, at the end of their event; others as they were.
    let before = if text.is_empty() {
        Vec::new()
    } else {
        found(&document(text, grammar), shape).unwrap()
    };
    let after = found(&document(&added.text, grammar), shape).unwrap();
    let (mine, others): (Vec<_>, Vec<_>) = after.into_iter().partition(ours);
    prop_assert_eq!(mine.len(), entries.len());
    for found in &mine {
        prop_assert!(found.alone);
        let later = others
            .iter()
            .any(|o| o.event == found.event && o.group > found.group);
        prop_assert!(!later, "{:?} is not at the end", found);
    }
    let plain = |all: &[Found]| -> Vec<(At, Value)> {
        all.iter()
            .map(|f| (f.at(), json!([f.matcher, f.fields])))
            .collect()
    };
    prop_assert_eq!(plain(&before), plain(&others));
    // 3. The surgical way gives the original too, from what was made.
    let out = removed(&added.text, grammar, shape, &added.made);
    prop_assert_eq!(&out.text, text);
    prop_assert_eq!(
        apply(&out.text, &inverse(&out.splices)).unwrap(),
        added.text.as_str()
    );
    // Without that knowledge: containers stay, others' bytes too.
    let blind = removed(&added.text, grammar, shape, &Made::default());
    prop_assert!(
        found(&document(&blind.text, grammar), shape)
            .unwrap()
            .iter()
            .all(|f| !ours(f))
    );
    let again = removed(&blind.text, grammar, shape, &Made::default());
    prop_assert!(again.splices.is_empty());
    if !text.trim_start_matches('\u{feff}').trim().is_empty()
        && document(text, grammar).root().is_some()
    {
        let (blind, text) = (foreign(&blind.text), foreign(text));
        let mut rest = blind.chars();
        let kept = text.chars().all(|c| rest.any(|other| other == c));
        prop_assert!(kept, "{} lost from {}", text, blind);
    }
    Ok(())
}

#[test]
fn every_layout_obeys_the_laws() {
    for (text, grammar) in seeds() {
        for shape in [grouped(), flat()] {
            for entries in sets() {
                if let Err(failure) = laws(&text, &grammar, &shape, &entries) {
                    panic!("{failure}\nin {text:?} for {entries:?} {grammar:?}");
                }
            }
        }
    }
}

/// White space, and comments where the grammar has them.
fn gap(grammar: &Grammar) -> BoxedStrategy<String> {
    let space = prop_oneof![
        4 => Just(String::new()),
        3 => Just(" ".to_owned()),
        2 => "\n {0,6}",
        1 => "\r\n\t{0,3}",
        1 => "[ \t\r\n]{0,4}",
    ];
    if !grammar.comments {
        return space.boxed();
    }
    let comment = prop_oneof![
        "//[ a-z\"{}\\[\\],\u{e9}]{0,8}\n",
        "//[ a-z\"]{0,4}\r\n",
        "/\\*[ a-z\"{}\\[\\],\n]{0,8}\\*/",
    ];
    prop_oneof![
        6 => space.clone(),
        1 => (space.clone(), comment, space).prop_map(|(a, b, c)| a + &b + &c),
    ]
    .boxed()
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1e999".to_owned()),
        Just("-0.0".to_owned()),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,3})?([eE][-+]?[0-9]{1,4})?",
        string(),
    ]
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 /*,:\\[\\]{}'.$_-]{1,3}",
        Just("\\\"".to_owned()),
        Just("\\\\".to_owned()),
        Just("\\ud83d".to_owned()),
        Just("\\ud83d\\ude00".to_owned()),
        Just("\\uDC00".to_owned()),
        Just("\\u0000".to_owned()),
        Just("\u{e9}\u{65e5}\u{2028}\u{1f600}".to_owned()),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => string(),
        1 => Just("\"\"".to_owned()),
        1 => Just("\"__proto__\"".to_owned()),
        1 => Just("\"hooks.Stop\"".to_owned()),
        1 => Just("\"dup\"".to_owned()),
    ]
}

/// Children between brackets, with gaps wherever the grammar allows one.
fn joined(
    open: char,
    close: char,
    children: Vec<(String, String, String)>,
    inner: &str,
    trailing: bool,
) -> String {
    let mut text = String::from(open);
    let count = children.len();
    for (index, (before, child, after)) in children.into_iter().enumerate() {
        text.push_str(&before);
        text.push_str(&child);
        text.push_str(&after);
        if index + 1 < count || trailing {
            text.push(',');
        }
    }
    text.push_str(inner);
    text.push(close);
    text
}

fn list(
    grammar: &Grammar,
    child: impl Strategy<Value = String> + 'static,
    most: usize,
    brackets: (char, char),
) -> BoxedStrategy<String> {
    let trailing = grammar.trailing_commas;
    let element = (gap(grammar), child, gap(grammar));
    (
        prop::collection::vec(element, 0..=most),
        gap(grammar),
        any::<bool>(),
    )
        .prop_map(move |(children, inner, comma)| {
            joined(brackets.0, brackets.1, children, &inner, trailing && comma)
        })
        .boxed()
}

fn member(
    grammar: &Grammar,
    key: impl Strategy<Value = String> + 'static,
    value: impl Strategy<Value = String> + 'static,
) -> BoxedStrategy<String> {
    (key, gap(grammar), gap(grammar), value)
        .prop_map(|(key, a, b, value)| format!("{key}{a}:{b}{value}"))
        .boxed()
}

fn any_value(grammar: &Grammar) -> BoxedStrategy<String> {
    let grammar = grammar.clone();
    scalar()
        .prop_recursive(3, 12, 3, move |inner| {
            prop_oneof![
                list(&grammar, inner.clone(), 3, ('[', ']')),
                list(&grammar, member(&grammar, key(), inner), 3, ('{', '}')),
            ]
        })
        .boxed()
}

/// A group of someone else's, or something that is no group at all.
fn group(grammar: &Grammar) -> BoxedStrategy<String> {
    let handler = list(
        grammar,
        prop_oneof![
            member(
                grammar,
                Just("\"type\"".to_owned()),
                Just("\"command\"".to_owned())
            ),
            member(grammar, Just("\"command\"".to_owned()), string()),
            member(grammar, key(), any_value(grammar)),
        ],
        3,
        ('{', '}'),
    );
    let handlers = list(grammar, handler, 2, ('[', ']'));
    let group = list(
        grammar,
        prop_oneof![
            member(grammar, Just("\"matcher\"".to_owned()), string()),
            member(grammar, Just("\"hooks\"".to_owned()), handlers),
            member(grammar, key(), any_value(grammar)),
        ],
        2,
        ('{', '}'),
    );
    prop_oneof![4 => group, 1 => any_value(grammar)].boxed()
}

/// A file: `hooks` there or not, its events there or not, anything beside them.
fn file(grammar: &Grammar) -> BoxedStrategy<String> {
    let array = |grammar: &Grammar| list(grammar, group(grammar), 3, ('[', ']'));
    let name = |plain: &str, escaped: &str| prop_oneof![4 => Just(plain.to_owned()), 1 => Just(escaped.to_owned())];
    let stop = member(grammar, name("\"Stop\"", "\"\\u0053top\""), array(grammar));
    let tool = member(grammar, Just("\"AfterTool\"".to_owned()), array(grammar));
    let other = member(grammar, key(), any_value(grammar));
    let pick = |all: Vec<BoxedStrategy<String>>| {
        let count = all.len();
        (
            all,
            prop::sample::subsequence((0..count).collect::<Vec<_>>(), 0..=count),
        )
            .prop_map(|(all, chosen)| {
                chosen
                    .into_iter()
                    .filter_map(|i| all.get(i).cloned())
                    .collect::<Vec<_>>()
            })
    };
    let object = |grammar: &Grammar, members: Vec<BoxedStrategy<String>>| {
        let trailing = grammar.trailing_commas;
        let count = members.len();
        let gaps = prop::collection::vec((gap(grammar), gap(grammar)), count..=count);
        (pick(members), gaps, gap(grammar), any::<bool>()).prop_map(
            move |(members, gaps, inner, comma)| {
                let children = members
                    .into_iter()
                    .zip(gaps)
                    .map(|(member, (before, after))| (before, member, after))
                    .collect();
                joined('{', '}', children, &inner, trailing && comma)
            },
        )
    };
    let events = object(
        grammar,
        vec![other.clone(), stop, other.clone(), tool, other.clone()],
    );
    let hooks = member(grammar, name("\"hooks\"", "\"\\u0068ooks\""), events);
    let root = object(grammar, vec![other.clone(), hooks, other]);
    let bom = grammar.bom;
    (gap(grammar), root, gap(grammar), any::<bool>())
        .prop_map(move |(before, root, after, marked)| {
            let mark = if bom && marked { "\u{feff}" } else { "" };
            // A file may end in a comment that no line ending closes.
            format!("{mark}{before}{root}{after}")
        })
        // A trailing comma needs a child before it.
        .prop_map(|text| text.replace("{,", "{").replace("[,", "["))
        .boxed()
}

fn generated() -> impl Strategy<Value = (String, Grammar)> {
    prop_oneof![Just(strict()), Just(commented()), Just(loose())].prop_flat_map(|grammar| {
        let text = file(&grammar);
        (text, Just(grammar))
    })
}

fn any_entries() -> impl Strategy<Value = Vec<Entry>> {
    let event = prop_oneof![Just("Stop"), Just("AfterTool"), Just("SessionStart")];
    let one = (event, prop_oneof![Just(None), Just(Some("Write|Edit"))])
        .prop_map(|(event, matcher)| entry(event, matcher));
    prop::collection::vec(one, 1..4)
}

/// A user adds groups behind ours, with comments where they may be; then ours go.
fn between(text: &str, grammar: &Grammar, entries: &[Entry]) -> Result<(), TestCaseError> {
    let theirs: Vec<Entry> = entries
        .iter()
        .map(|entry| Entry {
            handler: vec![("command".to_owned(), json!("theirs"))],
            ..entry.clone()
        })
        .collect();
    let shape = grouped();
    let added = edited(text, grammar, &shape, &adds(entries), &Made::default());
    let made = Made::default();
    let user = edited(&added.text, grammar, &shape, &adds(&theirs), &made);
    let mut text_now = user.text;
    if grammar.comments {
        text_now = text_now.replace("\"ours guard\"", "\"ours guard\" // ours\n");
    }
    let out = removed(&text_now, grammar, &shape, &added.made);
    let want = edited(text, grammar, &shape, &adds(&theirs), &made);
    prop_assert_eq!(value(&out.text, grammar), value(&want.text, grammar));
    prop_assert_eq!(
        foreign(&out.text.replace("// ours", "")),
        foreign(&want.text)
    );
    prop_assert_eq!(
        out.text.matches("// ours").count(),
        text_now.matches("// ours").count()
    );
    prop_assert_eq!(
        apply(&out.text, &inverse(&out.splices)).unwrap(),
        text_now.as_str()
    );
    // All at once: ours out, theirs in, in the place of ours.
    let mut swaps = removals(&added.text, grammar, &shape);
    swaps.extend(adds(&theirs));
    let swapped = edited(&added.text, grammar, &shape, &swaps, &added.made);
    prop_assert_eq!(value(&swapped.text, grammar), value(&want.text, grammar));
    prop_assert_eq!(foreign(&swapped.text), foreign(&want.text));
    Ok(())
}

/// Nothing panics and nothing doubtful comes out, whatever the bytes.
fn any_bytes(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok(text) = crate::edit::decode(bytes) else {
        return Ok(());
    };
    for grammar in [strict(), commented(), loose()] {
        let Ok(doc) = Document::parse(text, &grammar) else {
            continue;
        };
        for shape in [grouped(), flat()] {
            let Ok(all) = found(&doc, &shape) else {
                continue;
            };
            let mut changes: Vec<Change> = all.iter().map(|f| Change::Remove(f.at())).collect();
            for add in [false, true] {
                if add {
                    changes.extend(adds(&[entry("Stop", None), entry("AfterTool", Some("x"))]));
                }
                match splices(&doc, &shape, &changes, &Made::default()) {
                    Ok(out) => {
                        prop_assert_eq!(apply(&out.text, &inverse(&out.splices)).unwrap(), text);
                    }
                    // A refusal has its reason in the file, not in a defect here.
                    Err(error) => prop_assert!(error.place.is_some(), "{} in {:?}", error, text),
                }
            }
        }
    }
    Ok(())
}

/// A document with some bytes replaced, taken out or put in.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let hit = (
        any::<prop::sample::Index>(),
        0..3_u8,
        prop_oneof![
            prop::sample::select(b"{}[]\",:/*\\ \n\r\t0-e\xef\xff\x00u".to_vec()),
            any::<u8>(),
        ],
    );
    (generated(), prop::collection::vec(hit, 0..4)).prop_map(|((text, _), hits)| {
        let mut bytes = text.into_bytes();
        for (index, kind, byte) in hits {
            if bytes.is_empty() {
                break;
            }
            let at = index.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_time: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_documents_obey_the_laws((text, grammar) in generated(), entries in any_entries()) {
        // What is generated can be odd, but must be a document.
        let Ok(doc) = Document::parse(&text, &grammar) else {
            return Err(TestCaseError::fail(format!("{text:?} does not parse")));
        };
        drop(doc);
        laws(&text, &grammar, &grouped(), &entries)?;
    }

    #[test]
    fn others_keep_their_bytes_when_ours_go_from_between((text, grammar) in generated(), entries in any_entries()) {
        between(&text, &grammar, &entries)?;
    }

    #[test]
    fn damaged_documents_are_refused_or_edited_exactly(bytes in damaged()) {
        any_bytes(&bytes)?;
    }
}
