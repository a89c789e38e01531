//! What is added looks as if the file's author had written it.

use super::*;

fn added(text: &str, grammar: &Grammar, entries: &[Entry]) -> String {
    edited(text, grammar, &grouped(), &adds(entries), &Made::default()).text
}

/// One short entry, so that the layouts below can be read.
fn short(event: &str) -> Entry {
    Entry {
        event: event.to_owned(),
        matcher: Some("m".to_owned()),
        handler: vec![("command".to_owned(), json!("c"))],
    }
}

#[test]
fn a_new_file_has_two_spaces_and_a_final_newline() {
    let want = r#"{
  "hooks": {
    "Stop": [
      {
        "matcher": "m",
        "hooks": [
          {
            "command": "c"
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "m",
        "hooks": [
          {
            "command": "c"
          }
        ]
      }
    ]
  }
}
"#;
    let both = [short("Stop"), short("PreToolUse")];
    assert_eq!(added("", &strict(), &both), want);
    assert_eq!(added("{}\n", &strict(), &both), want);
    assert_eq!(added("{\n}\n", &strict(), &both), want);
    assert_eq!(added("{\n  \"hooks\": {}\n}\n", &strict(), &both), want);
}

#[test]
fn tabs_and_windows_line_endings_are_taken_over() {
    let text = "{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t}\r\n}";
    let want = "{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{\r\n\t\t\t\t\"matcher\": \"m\",\r\n\t\t\t\t\"hooks\": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t\"command\": \"c\"\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}";
    assert_eq!(added(text, &strict(), &[short("Stop")]), want);
}

#[test]
fn a_file_on_one_line_stays_on_it_in_its_own_spacing() {
    for (text, want) in [
        (
            "{\"hooks\":{}}",
            "{\"hooks\":{\"Stop\":[{\"matcher\":\"m\",\"hooks\":[{\"command\":\"c\"}]}]}}",
        ),
        (
            "{\"a\": 1}\n",
            "{\"a\": 1, \"hooks\": {\"Stop\": [{\"matcher\": \"m\", \"hooks\": [{\"command\": \"c\"}]}]}}\n",
        ),
        (
            "{ \"a\": [ 1, 2 ], \"hooks\": { } }",
            "{ \"a\": [ 1, 2 ], \"hooks\": { \"Stop\": [ { \"matcher\": \"m\", \"hooks\": [ { \"command\": \"c\" } ] } ] } }",
        ),
        (
            "{\"a\" : 1,\"b\" : 2}",
            "{\"a\" : 1,\"b\" : 2,\"hooks\" : {\"Stop\" : [{\"matcher\" : \"m\",\"hooks\" : [{\"command\" : \"c\"}]}]}}",
        ),
    ] {
        assert_eq!(added(text, &strict(), &[short("Stop")]), want);
    }
}

#[test]
fn groups_on_one_line_get_neighbours_on_one_line() {
    let text = "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"command\": \"u\"}]}\n        ],\n        \"PreToolUse\": [{\"hooks\": []}]\n    }\n}\n";
    let want = "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"command\": \"u\"}]},\n            {\"matcher\": \"m\", \"hooks\": [{\"command\": \"c\"}]}\n        ],\n        \"PreToolUse\": [{\"hooks\": []}, {\"matcher\": \"m\", \"hooks\": [{\"command\": \"c\"}]}]\n    }\n}\n";
    assert_eq!(
        added(text, &strict(), &[short("Stop"), short("PreToolUse")]),
        want
    );
}

#[test]
fn a_group_that_hugs_its_bracket_gets_a_neighbour_that_does() {
    let text = "{\n  \"hooks\": {\n    \"Stop\": [{\n      \"hooks\": []\n    }]\n  }\n}\n";
    let want = "{\n  \"hooks\": {\n    \"Stop\": [{\n      \"hooks\": []\n    }, {\n      \"matcher\": \"m\",\n      \"hooks\": [\n        {\n          \"command\": \"c\"\n        }\n      ]\n    }]\n  }\n}\n";
    assert_eq!(added(text, &strict(), &[short("Stop")]), want);
}

#[test]
fn ours_comes_after_comments_and_only_the_comma_before_them() {
    let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []} // mine\n      // { \"off\": 1 }\n    ] // stops\n  }\n} // end";
    let want = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}, // mine\n      // { \"off\": 1 }\n      {\"matcher\": \"m\", \"hooks\": [{\"command\": \"c\"}]}\n    ] // stops\n  }\n} // end";
    assert_eq!(added(text, &commented(), &[short("Stop")]), want);
    let text = "{\n  // none yet\n}\n";
    let start = "{\n  // none yet\n  \"hooks\": {\n    \"Stop\": [\n";
    assert!(added(text, &commented(), &[short("Stop")]).starts_with(start));
}

#[test]
fn a_trailing_comma_stays_the_style_of_its_container() {
    let text =
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}, // mine\n    ],\n  },\n}\n";
    let want = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}, // mine\n      {\"matcher\": \"m\", \"hooks\": [{\"command\": \"c\"}]},\n    ],\n  },\n}\n";
    assert_eq!(added(text, &loose(), &[short("Stop")]), want);
}

#[test]
fn a_root_full_of_short_members_gets_its_hooks_over_lines() {
    let text = "{\n  \"env\": {\"A\": \"1\"}\n}";
    let start = "{\n  \"env\": {\"A\": \"1\"},\n  \"hooks\": {\n    \"Stop\": [\n      {\n";
    assert!(added(text, &strict(), &[short("Stop")]).starts_with(start));
}

#[test]
fn style_says_how_a_text_is_written() {
    let doc = document(
        "\u{feff}{\r\n\t\"a\": [1, 2],\n\t\"b\": {\"c\":3}\r\n}\r\n",
        &strict(),
    );
    let style = doc.style();
    assert_eq!((style.newline, style.indent.as_str()), ("\r\n", "\t"));
    assert_eq!(
        (style.colon.as_str(), style.inline_colon.as_str()),
        (": ", ":")
    );
    assert_eq!(style.inline_comma, ", ");
    assert!(style.bom && style.final_newline && !style.one_line);
    let doc = document("{\"a\":1}", &strict());
    assert!(doc.style().one_line && !doc.style().final_newline);
    assert!(!document("{}", &strict()).style().one_line);
}

#[test]
fn strings_of_ours_are_escaped_as_json_wants_it() {
    let mut entry = short("Stop");
    entry.handler = vec![(
        "command".to_owned(),
        json!("\"$HOME/\u{e9}\" \\ \t\u{1}\u{2028}"),
    )];
    let text = added("{\"hooks\":{}}", &strict(), std::slice::from_ref(&entry));
    assert!(
        text.contains("\\\"$HOME/\u{e9}\\\" \\\\ \\t\\u0001\u{2028}"),
        "{text}"
    );
    let all = found(&document(&text, &strict()), &grouped()).unwrap();
    assert_eq!(Value::String(all[0].command.clone()), entry.handler[0].1);
}

#[test]
fn a_comment_that_a_carriage_return_seems_to_end_is_closed() {
    let text = added("// c\r", &loose(), &[short("Stop")]);
    assert!(text.starts_with("// c\r\n{"), "{text:?}");
}
