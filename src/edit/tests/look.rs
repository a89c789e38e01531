use super::*;

#[test]
fn show() {
    for (text, grammar) in [
        ("", strict()),
        ("{}", strict()),
        ("{ }\n", strict()),
        ("{\n}\n", strict()),
        ("{\"hooks\":{}}", strict()),
        ("{\n  \"hooks\": {}\n}\n", strict()),
        (
            "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [ ]\n\t}\n}",
            strict(),
        ),
        (
            "{\r\n    \"a\": {\"b\":[1, 2]},\r\n    \"hooks\": {\r\n        \"Stop\": [],\r\n        \"PreToolUse\": [ { \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"u1\" } ] } ]\r\n    }\r\n}",
            strict(),
        ),
        ("{ \"a\": 1, \"hooks\": { \"Stop\": [ ] } }", strict()),
        (
            "{\n  \"hooks\": {\n    \"Stop\": [{\n      \"hooks\": [{\n        \"type\": \"command\", \"command\": \"u1\"\n      }]\n    }]\n  }\n}\n",
            strict(),
        ),
        (
            "// top\n{\n  // in\n  \"hooks\": { // same\n    // none yet\n  }, // after\n  \"x\": 1 // end\n}\n// tail",
            commented(),
        ),
        (
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\":[{\"type\":\"command\",\"command\":\"u1\"}]} // mine\n      // { \"off\": 1 }\n    ]\n  }\n}\n",
            commented(),
        ),
        (
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": []\n      }, // mine\n    ],\n  },\n}\n",
            loose(),
        ),
        ("\n", strict()),
        ("// only\n", loose()),
        ("\u{feff}{\n}", strict()),
        ("{\"hooks\":{\"Stop\":[/* none */]}}", commented()),
        (
            "{\n  \"hooks\":{\n  \"Stop\": [ /* none */ ]}}",
            commented(),
        ),
    ] {
        let e = edited(
            text,
            &grammar,
            &grouped(),
            &adds(&[entry("Stop", None), entry("PreToolUse", Some("Write|Edit"))]),
            &Made::default(),
        );
        println!(
            "=========\n{text}\n---------\n{}\n--------- {:?}",
            e.text, e.made
        );
        let r = removed(&e.text, &grammar, &grouped(), &e.made);
        println!(
            "{}",
            if r.text == text {
                "EXACT".into()
            } else {
                format!("DIFF {:?}", r.text)
            }
        );
    }
}
