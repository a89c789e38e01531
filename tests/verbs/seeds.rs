//! Files as people and programs leave them, each to come back to the byte.

use crate::table::Unit;

/// One file before we came.
#[derive(Debug, Clone)]
pub(crate) struct Seed {
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

/// Every seed the host of `unit` reads, in that host's own event names.
pub(crate) fn seeds(unit: Unit) -> Vec<Seed> {
    let grammar = unit.grammar();
    let mut seeds = plain();
    if grammar.comments {
        seeds.extend(commented());
    }
    if grammar.bom {
        seeds.push(seed("a byte order mark", "\u{feff}{\n  \"a\": 1\n}\n"));
        seeds.push(seed(
            "a byte order mark and CRLF",
            "\u{feff}{\r\n  \"a\": 1,\r\n  \"hooks\": {}\r\n}\r\n",
        ));
    }
    if grammar.empty {
        seeds.push(seed("empty", ""));
        seeds.push(seed("a line end only", "\n"));
        seeds.push(seed("blanks only", "  \n\t\n"));
        if grammar.bom {
            seeds.push(seed("a byte order mark only", "\u{feff}"));
        }
    }
    for seed in &mut seeds {
        seed.text = seed
            .text
            .replace("EVENT", unit.event())
            .replace("OTHER", unit.other_event());
    }
    seeds
}

fn seed(name: &'static str, text: impl Into<String>) -> Seed {
    Seed {
        name,
        text: text.into(),
    }
}

fn plain() -> Vec<Seed> {
    let long = (0..200)
        .map(|n| format!("    \"key{n}\": {n},\n"))
        .collect::<Vec<_>>()
        .concat();
    let many: String = (0..40)
        .map(|n| format!("      {{\"hooks\": [{{\"type\": \"command\", \"command\": \"u{n}\"}}]}}"))
        .collect::<Vec<_>>()
        .join(",\n");
    vec![
        seed("an empty object", "{}"),
        seed("an empty object with a line end", "{}\n"),
        seed("a blank in it", "{ }"),
        seed("a line end in it", "{\n}\n"),
        seed("an indented gap in it", "{\n\n    \n}\n"),
        seed("blank lines around", "\n\n{}\n\n\n"),
        seed("one key", "{\n  \"a\": 1\n}\n"),
        seed("no final line end", "{\n  \"a\": 1\n}"),
        seed("empty hooks on one line", "{\"hooks\":{}}"),
        seed("empty hooks", "{\n  \"hooks\": {}\n}\n"),
        seed("empty hooks with a gap", "{\n  \"hooks\": {\n  }\n}\n"),
        seed(
            "empty hooks before others",
            "{\n  \"hooks\": {},\n  \"theme\": \"dark\"\n}\n",
        ),
        seed("an empty event", "{\"hooks\":{\"EVENT\":[]}}\n"),
        seed(
            "an empty event with a gap",
            "{\n  \"hooks\": {\n    \"EVENT\": [\n    ]\n  }\n}\n",
        ),
        seed(
            "an empty event beside another",
            "{\n    \"hooks\": {\n        \"EVENT\": [],\n        \"OTHER\": []\n    }\n}\n",
        ),
        seed(
            "a group without handlers",
            "{\n  \"hooks\": {\n    \"EVENT\": [\n      {\"matcher\": \"x\", \"hooks\": []}\n    ]\n  }\n}\n",
        ),
        seed(
            "a user's hook on the event",
            r#"{
  "hooks": {
    "EVENT": [
      {
        "matcher": "Edit",
        "hooks": [
          {
            "type": "command",
            "command": "u1",
            "timeout": 7
          }
        ]
      }
    ]
  }
}
"#,
        ),
        seed(
            "a user's hook on one line",
            r#"{"hooks":{"EVENT":[{"matcher":"Edit","hooks":[{"type":"command","command":"u1"}]}]}}"#,
        ),
        seed(
            "two handlers in a group, two groups",
            "{\n\t\"hooks\": {\n\t\t\"EVENT\": [\n\t\t\t{ \"hooks\": [ {\"type\": \"command\", \"command\": \"u1\"}, {\"type\": \"command\", \"command\": \"u2\"} ] },\n\t\t\t{ \"hooks\": [] , \"matcher\": \"z\"}\n\t\t]\n\t}\n}\n",
        ),
        seed(
            "a user's hook on another event before",
            "{\n  \"hooks\": {\n    \"OTHER\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"u1\" }] }\n    ],\n    \"EVENT\": []\n  }\n}\n",
        ),
        seed(
            "a user's hook on another event after",
            "{\n  \"hooks\": {\n    \"EVENT\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"u1\" }] }\n    ],\n    \"OTHER\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"u2\" }] }\n    ]\n  },\n  \"z\": null\n}\n",
        ),
        seed(
            "tabs",
            "{\n\t\"a\": {\n\t\t\"b\": [\n\t\t\t1,\n\t\t\t2\n\t\t]\n\t}\n}\n",
        ),
        seed(
            "four blanks",
            "{\n    \"a\": {\n        \"b\": true\n    }\n}\n",
        ),
        seed(
            "three blanks",
            "{\n   \"a\": {\n      \"b\": true\n   }\n}\n",
        ),
        seed(
            "CRLF",
            "{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"EVENT\": []\r\n  }\r\n}\r\n",
        ),
        seed("CRLF without a final one", "{\r\n\t\"a\": 1\r\n}"),
        seed("CRLF gap", "{\r\n}\r\n"),
        seed("mixed line ends", "{\r\n  \"a\": 1,\n  \"b\": 2\r\n}\n"),
        seed("a lone CR as white space", "{\r\"a\": 1\r}\r"),
        seed("one line", "{\"a\":1,\"b\":[1,2,{\"c\":null}]}"),
        seed(
            "one line with blanks",
            "{ \"a\" : 1 , \"b\" : [ 1 , 2 ] }\n",
        ),
        seed(
            "ragged",
            "{\"a\" :1,\n      \"hooks\":\n  {  \"EVENT\" : [ {\"hooks\":[\n {\"type\":\"command\",\n\"command\":\"u1\"}]   }\n\n ] }\n   , \"z\":0}\n\n",
        ),
        seed(
            "commas first",
            "{\n    \"a\": 1\n  , \"hooks\": {\n      \"OTHER\": []\n    , \"EVENT\": []\n  }\n}\n",
        ),
        seed(
            "escapes",
            r#"{"x": "\u00e9 \/ \n \" \\ \ud83d\ude00 \b\f\r\t", "\u0061b": "A", "hooks": {"EVENT": [{"hooks": [{"type": "command", "command": "printf '\u0041\\n'"}]}]}}"#,
        ),
        seed(
            "an escaped key of the event",
            "{\"hooks\": {\"\\u0045scaped\": 1}, \"k\": \"\\u007f\"}\n"
                .replace("\\u0045scaped\": 1", "OTHER\": []"),
        ),
        seed(
            "odd numbers",
            "{\"a\": 123456789012345678901234567890, \"b\": 1E+2, \"c\": -0.0, \"d\": 1.10, \"e\": 1e400, \"f\": 0.1e-7}\n",
        ),
        seed(
            "not ASCII",
            "{\n  \"é — ’\": \"日本 \\u00e9 🦀\",\n  \"zero\u{200b}width\": \"\u{2028}\"\n}\n",
        ),
        seed(
            "keys in no order",
            "{\"z\":1,\"a\":2,\"hooks\":{\"OTHER\":[]},\"m\":3}\n",
        ),
        seed(
            "strings that look like ours",
            "{\"note\": \"\\\"hooks\\\": {\\\"EVENT\\\": [] } // not a comment /* nor this */\", \"b\": \"pan-hooks\"}\n",
        ),
        seed(
            "other keys of events nearby",
            "{\"nested\": {\"hooks\": {\"EVENT\": [{\"hooks\": []}]}}, \"EVENT\": [1]}\n",
        ),
        seed(
            "a large file",
            format!("{{\n{long}    \"last\": true\n}}\n"),
        ),
        seed(
            "many groups",
            format!("{{\n  \"hooks\": {{\n    \"EVENT\": [\n{many}\n    ]\n  }}\n}}\n"),
        ),
        seed(
            "a deep value",
            format!("{{\"deep\": {}1{}}}\n", "[".repeat(60), "]".repeat(60)),
        ),
        seed(
            "trailing white space",
            "{  \n  \"a\": 1  ,  \n  \"b\": 2   \n}   \n  ",
        ),
    ]
}

fn commented() -> Vec<Seed> {
    vec![
        seed("a comment above", "// mine\n{\n  \"a\": 1\n}\n"),
        seed("a comment below", "{\n  \"a\": 1\n}\n// the end\n"),
        seed("a comment in an empty object", "{\n  // nothing yet\n}\n"),
        seed("a comment on one line", "{ /* nothing */ }"),
        seed(
            "a comment in empty hooks",
            "{\n  \"hooks\": {\n    // to come\n  }\n}\n",
        ),
        seed(
            "a comment in an empty event",
            "{\"hooks\":{\"EVENT\":[ /* none */ ]}}\n",
        ),
        seed(
            "a comment after the last member",
            "{\n  \"a\": 1 // one\n}\n",
        ),
        seed(
            "a comment before the brace",
            "{\n  \"a\": 1\n  // the last line\n}\n",
        ),
        seed(
            "comments everywhere",
            r#"/* head */ {
  // above a
  "a": 1, // behind a
  /* above
     hooks */
  "hooks": { // inside
    // above the event
    "EVENT": [ // in the event
      // above the group
      {
        "matcher": "x", // the matcher
        "hooks": [
          // above the handler
          { "type": "command", "command": "u1" } // behind the handler
        ]
      } // behind the group
      // at the end of the event
    ] // behind the event
    // at the end of hooks
  } // behind hooks
  // at the end
} // behind all
// tail"#,
        ),
        seed(
            "CRLF comments",
            "// one\r\n{\r\n  // two\r\n  \"a\": 1 // three\r\n}\r\n",
        ),
        seed(
            "a comment that looks like an entry",
            "{\n  // \"hooks\": {\"EVENT\": []},\n  \"a\": \"// no comment\"\n}\n",
        ),
        seed(
            "a commented-out hook",
            "{\n  \"hooks\": {\n    \"EVENT\": [\n      // {\"hooks\": [{\"type\": \"command\", \"command\": \"u1\"}]},\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"u2\"}]}\n    ]\n  }\n}\n",
        ),
    ]
}
