//! Taking out, changing and adding where the file was changed since.

use super::*;

const USER: &str = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"u1\"\n          }\n        ]\n      }\n    ]\n  }\n}\n";

fn user_entry(command: &str) -> Entry {
    Entry {
        handler: vec![
            ("type".to_owned(), json!("command")),
            ("command".to_owned(), json!(command)),
        ],
        ..entry("Stop", None)
    }
}

/// Ours in `before`, then `change`d by a user, then ours out: `after`.
fn out(before: &str, grammar: &Grammar, change: impl Fn(String) -> String, after: &str) {
    let added = edited(
        before,
        grammar,
        &grouped(),
        &adds(&[entry("Stop", None)]),
        &Made::default(),
    );
    let changed = change(added.text.clone());
    assert_ne!(changed, added.text, "the test changes nothing");
    assert!(
        apply(&changed, &inverse(&added.splices)).is_err() || changed.len() != added.text.len()
    );
    assert_eq!(
        removed(&changed, grammar, &grouped(), &added.made).text,
        after
    );
}

#[test]
fn a_group_behind_ours_keeps_its_bytes() {
    let user = "\n      {\n        \"hooks\": [{\"type\":\"command\",\"command\":\"u2\"}]\n      }";
    out(
        USER,
        &strict(),
        |text| text.replace("      }\n    ]\n", &format!("      }},{user}\n    ]\n")),
        &USER.replace("      }\n    ]\n", &format!("      }},{user}\n    ]\n")),
    );
}

#[test]
fn an_event_we_made_stays_if_a_user_added_to_it() {
    let user = "{\"hooks\": [{\"type\": \"command\", \"command\": \"u2\"}]}";
    out(
        "{}\n",
        &strict(),
        |text| {
            text.replace(
                "      }\n    ]\n",
                &format!("      }},\n      {user}\n    ]\n"),
            )
        },
        &format!("{{\n  \"hooks\": {{\n    \"Stop\": [\n      {user}\n    ]\n  }}\n}}\n"),
    );
}

#[test]
fn a_comment_a_user_put_beside_ours_stays() {
    let after = USER.replace("      }\n    ]\n", "      }\n      // by pan\n    ]\n");
    out(
        USER,
        &commented(),
        |text| text.replace("      }\n    ]\n", "      } // by pan\n    ]\n"),
        &after,
    );
    let after = USER.replace("      }\n    ]\n", "      }\n      // by pan\n    ]\n");
    out(
        USER,
        &commented(),
        |text| text.replace("      },\n", "      },\n      // by pan\n"),
        &after,
    );
}

#[test]
fn a_comment_a_user_put_into_ours_stays() {
    out(
        USER,
        &commented(),
        |text| {
            text.replace(
                "            \"command\": \"ours",
                "            // pan's\n            \"command\": \"ours",
            )
        },
        &USER.replace("      }\n    ]\n", "      }\n      // pan's\n    ]\n"),
    );
    // And what we made stays for its sake.
    out(
        "{}\n",
        &commented(),
        |text| {
            text.replace(
                "            \"command\": \"ours",
                "            // pan's\n            \"command\": \"ours",
            )
        },
        "{\n  \"hooks\": {\n    \"Stop\": [\n      // pan's\n    ]\n  }\n}\n",
    );
}

#[test]
fn a_comment_that_stays_gets_no_white_space_from_what_goes() {
    let ours = format!("{{\"command\": // c\n\"{OURS}\"}}");
    for (text, want) in [
        (
            "[{\"note\":1,\"hooks\":[O \n]}]",
            "[{\"note\":1,\"hooks\":[// c\n]}]",
        ),
        ("[{\"hooks\":[O ,\n{}]}]", "[{\"hooks\":[// c\n{}]}]"),
        ("[{\"hooks\":[O , {}]}]", "[{\"hooks\":[// c\n {}]}]"),
        (
            "[{\"hooks\":[{} // a\n, P \n ]}]",
            "[{\"hooks\":[{} // a\n ]}]",
        ),
        (
            "[{\"note\":1,\"hooks\":[// a\n P, P\r]}]",
            "[{\"note\":1,\"hooks\":[// a\n \r]}]",
        ),
    ] {
        let plain = ours.replace(" // c\n", "");
        let file = |text: &str| format!("{{\"hooks\":{{\"Stop\":{text}}}}}");
        let seed = file(&text.replace('O', &ours).replace('P', &plain));
        let out = removed(&seed, &commented(), &grouped(), &Made::default());
        assert_eq!(out.text, file(want), "from {seed:?}");
    }
}

#[test]
fn a_handler_put_into_our_group_keeps_the_group() {
    out(
        "{}",
        &strict(),
        |text| {
            text.replace(
                "          }\n        ]",
                "          },\n          { \"type\": \"command\", \"command\": \"u2\" }\n        ]",
            )
        },
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"u2\" }\n        ]\n      }\n    ]\n  }\n}",
    );
}

#[test]
fn a_group_with_a_key_of_others_stays() {
    out(
        "{}",
        &strict(),
        |text| {
            text.replace(
                "      {\n        \"hooks\"",
                "      {\n        \"note\": \"mine\",\n        \"hooks\"",
            )
        },
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"note\": \"mine\",\n        \"hooks\": []\n      }\n    ]\n  }\n}",
    );
}

#[test]
fn a_new_file_a_user_added_to_keeps_what_is_theirs() {
    out(
        "",
        &strict(),
        |text| text.replace("{\n  \"hooks\"", "{\n  \"theme\": \"x\",\n  \"hooks\""),
        "{\n  \"theme\": \"x\"\n}\n",
    );
    let added = edited(
        "",
        &strict(),
        &flat(),
        &adds(&[entry("Stop", None)]),
        &Made::default(),
    );
    assert!(
        added
            .text
            .starts_with("{\n  \"version\": 1,\n  \"hooks\": {\n")
    );
    let changed = added
        .text
        .replace("\"version\": 1,", "\"version\": 1, \"x\": 2,");
    let out = removed(&changed, &strict(), &flat(), &added.made);
    assert_eq!(out.text, "{\n  \"version\": 1, \"x\": 2\n}\n");
    assert!(!out.bare);
}

#[test]
fn bare_says_that_a_file_holds_nothing_of_anyone() {
    let added = edited(
        "",
        &strict(),
        &flat(),
        &adds(&[entry("Stop", None)]),
        &Made::default(),
    );
    assert!(!added.bare);
    assert!(removed(&added.text, &strict(), &flat(), &added.made).bare);
    // Without our record the containers stay, but the file is as bare.
    let blind = removed(&added.text, &strict(), &flat(), &Made::default());
    assert_eq!(
        blind.text,
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"
    );
    assert!(!blind.bare);
}

#[test]
fn reformatted_files_lose_ours_and_nothing_else() {
    for indent in ["", " ", "\t"] {
        let added = edited(
            USER,
            &strict(),
            &grouped(),
            &adds(&[entry("Stop", None), entry("PreToolUse", None)]),
            &Made::default(),
        );
        let compact: String = added
            .text
            .split('\n')
            .map(str::trim_start)
            .collect::<Vec<_>>()
            .join(indent);
        let out = removed(&compact, &strict(), &grouped(), &added.made);
        assert_eq!(value(&out.text, &strict()), value(USER, &strict()));
    }
}

#[test]
fn several_of_ours_between_those_of_users() {
    for text in [
        "{\"hooks\":{\"Stop\":[O, U, O, O, U, O]}}",
        "{\"hooks\":{\"Stop\":[O,U,O,O,U,O]}}",
        "{\n \"hooks\": {\n  \"Stop\": [\n   O,\n   U,\n   O,\n   O,\n   U,\n   O\n  ]\n }\n}",
    ] {
        let group = |command: &str| format!("{{\"hooks\":[{{\"command\":\"{command}\"}}]}}");
        let seed = text.replace('O', &group(OURS)).replace('U', &group("u"));
        let want = text
            .replace(" O,\n  ", "")
            .replace(",\n   O", "")
            .replace(", O", "")
            .replace(",O", "")
            .replace("O, ", "")
            .replace("O,", "");
        let out = removed(&seed, &strict(), &grouped(), &Made::default());
        assert_eq!(out.text, want.replace('U', &group("u")));
    }
}

#[test]
fn one_call_takes_out_the_old_and_puts_in_the_new() {
    let seed = edited(
        USER,
        &strict(),
        &grouped(),
        &adds(&[entry("Stop", None)]),
        &Made::default(),
    );
    let mut changes = removals(&seed.text, &strict(), &grouped());
    changes.push(Change::Add(user_entry("new")));
    changes.push(Change::Add(entry("PreToolUse", None)));
    let both = edited(
        &seed.text,
        &strict(),
        &grouped(),
        &changes,
        &Made::default(),
    );
    let direct = edited(
        USER,
        &strict(),
        &grouped(),
        &adds(&[user_entry("new"), entry("PreToolUse", None)]),
        &Made::default(),
    );
    assert_eq!(both.text, direct.text);
    assert_eq!(
        apply(&both.text, &inverse(&both.splices)).unwrap(),
        seed.text
    );
}

#[test]
fn an_event_of_ours_goes_while_another_comes() {
    let seed = edited(
        "{}\n",
        &strict(),
        &grouped(),
        &adds(&[entry("Stop", None)]),
        &Made::default(),
    );
    let mut changes = removals(&seed.text, &strict(), &grouped());
    changes.push(Change::Add(entry("PreToolUse", None)));
    let both = edited(&seed.text, &strict(), &grouped(), &changes, &seed.made);
    let direct = edited(
        "{}\n",
        &strict(),
        &grouped(),
        &adds(&[entry("PreToolUse", None)]),
        &Made::default(),
    );
    assert_eq!(both.text, direct.text);
}

#[test]
fn a_replacement_touches_only_the_fields_that_differ() {
    let seed = edited(
        "{\"hooks\":{}}",
        &strict(),
        &grouped(),
        &adds(&[entry("Stop", Some("a"))]),
        &Made::default(),
    )
    .text;
    let at = At {
        event: "Stop".to_owned(),
        group: 0,
        handler: 0,
    };
    let mut new = entry("Stop", Some("b"));
    new.handler = vec![
        ("type".to_owned(), json!("command")),
        ("command".to_owned(), json!(OURS)),
        ("timeout".to_owned(), json!(20)),
        ("async".to_owned(), json!({"x": [1]})),
    ];
    let change = |matcher| Change::Replace {
        at: at.clone(),
        entry: new.clone(),
        matcher,
    };
    let kept = edited(
        &seed,
        &strict(),
        &grouped(),
        &[change(false)],
        &Made::default(),
    );
    assert_eq!(
        kept.text,
        seed.replace(
            "\"timeout\":10,\"_pan\":\"guard\"",
            "\"timeout\":20,\"async\":{\"x\":[1]}"
        )
    );
    let told = edited(
        &seed,
        &strict(),
        &grouped(),
        &[change(true)],
        &Made::default(),
    );
    assert_eq!(told.text, kept.text.replace("\"a\"", "\"b\""));
    assert_eq!(apply(&told.text, &inverse(&told.splices)).unwrap(), seed);
    let again = edited(
        &told.text,
        &strict(),
        &grouped(),
        &[change(true)],
        &Made::default(),
    );
    assert_eq!(again.splices, []);
}

#[test]
fn a_replacement_in_a_flat_file_keeps_or_takes_the_matcher() {
    let seed = "{\n  \"hooks\": {\n    \"preToolUse\": [\n      {\n        \"bash\": \"ours guard\",\n        \"matcher\": \"a\"\n      }\n    ]\n  }\n}\n";
    let at = At {
        event: "preToolUse".to_owned(),
        group: 0,
        handler: 0,
    };
    let mut new = entry("preToolUse", None);
    new.handler = vec![
        ("bash".to_owned(), json!("ours guard")),
        ("timeoutSec".to_owned(), json!(5)),
    ];
    let change = |matcher| Change::Replace {
        at: at.clone(),
        entry: new.clone(),
        matcher,
    };
    let kept = edited(seed, &strict(), &flat(), &[change(false)], &Made::default()).text;
    assert_eq!(
        kept,
        seed.replace("\"a\"\n", "\"a\",\n        \"timeoutSec\": 5\n")
    );
    let told = edited(seed, &strict(), &flat(), &[change(true)], &Made::default()).text;
    assert_eq!(
        told,
        seed.replace("\"matcher\": \"a\"", "\"timeoutSec\": 5")
    );
}

#[test]
fn a_matcher_of_a_shared_group_is_not_changed() {
    let seed = "{\"hooks\":{\"Stop\":[{\"matcher\":\"a\",\"hooks\":[{\"command\":\"u\"},{\"command\":\"ours guard\"}]}]}}";
    let doc = document(seed, &strict());
    let at = At {
        event: "Stop".to_owned(),
        group: 0,
        handler: 1,
    };
    let change = Change::Replace {
        at,
        entry: entry("Stop", Some("b")),
        matcher: true,
    };
    let error = splices(&doc, &grouped(), &[change], &Made::default()).unwrap_err();
    assert_eq!(error.place.unwrap().column, 19);
}

#[test]
fn where_hosts_count_entries_a_slot_is_left_and_used_again() {
    let shape = Shape {
        keep_slot: true,
        ..grouped()
    };
    let made = Made::default();
    let seed = edited(
        USER,
        &strict(),
        &shape,
        &adds(&[entry("Stop", None), user_entry("u2")]),
        &made,
    );
    let out = removed(&seed.text, &strict(), &shape, &seed.made);
    let slot = At {
        event: "Stop".to_owned(),
        group: 1,
        handler: 0,
    };
    assert_eq!(out.slots, [slot]);
    let groups = &value(&out.text, &strict())["hooks"]["Stop"];
    assert_eq!(groups[1], json!({"hooks": []}));
    assert_eq!(groups[2]["hooks"][0]["command"], "u2");
    let reuse = Change::Reuse {
        group: 1,
        entry: entry("Stop", None),
    };
    let again = edited(&out.text, &strict(), &shape, &[reuse], &made);
    assert_eq!(again.text, seed.text);
    // At the end no slot is needed.
    let last = edited(
        USER,
        &strict(),
        &shape,
        &adds(&[entry("Stop", None)]),
        &made,
    );
    let out = removed(&last.text, &strict(), &shape, &last.made);
    assert_eq!((out.text.as_str(), out.slots.len()), (USER, 0));
    // A group that is not empty is no slot.
    let reuse = Change::Reuse {
        group: 0,
        entry: entry("Stop", None),
    };
    assert!(splices(&document(USER, &strict()), &shape, &[reuse], &made).is_err());
}

#[test]
fn an_index_where_nothing_is_is_an_error() {
    for (event, group, handler) in [("Stop", 1, 0), ("Stop", 0, 1), ("Other", 0, 0)] {
        let at = At {
            event: event.to_owned(),
            group,
            handler,
        };
        let doc = document(USER, &strict());
        assert!(splices(&doc, &grouped(), &[Change::Remove(at)], &Made::default()).is_err());
    }
}

#[test]
fn a_flat_entry_carries_its_matcher_and_goes_alone() {
    let seed =
        "{\"version\":1,\"hooks\":{\"preToolUse\":[{\"type\":\"command\",\"bash\":\"u1\"}]}}";
    let added = edited(
        seed,
        &strict(),
        &flat(),
        &adds(&[entry("preToolUse", Some("edit"))]),
        &Made::default(),
    );
    assert_eq!(
        added.text,
        seed.replace(
            "}]}}",
            "},{\"type\":\"command\",\"command\":\"ours guard\",\"timeout\":10,\"_pan\":\"guard\",\"matcher\":\"edit\"}]}}"
        )
    );
    assert_eq!(
        removed(&added.text, &strict(), &flat(), &Made::default()).text,
        seed
    );
}
