//! A file as another program prints it again: same content, its own layout.

use std::fmt::Write;

/// How a program prints JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printing {
    pub(crate) indent: &'static str,
    /// Everything outside ASCII as an escape.
    pub(crate) ascii: bool,
    pub(crate) final_newline: bool,
}

/// `JSON.stringify(value, null, 2)`, as the hosts themselves write.
pub(crate) const SCRIPT: Printing = Printing {
    indent: "  ",
    ascii: false,
    final_newline: false,
};
/// `json.dump(value, file, indent=4)` and a `print`.
pub(crate) const SNAKE: Printing = Printing {
    indent: "    ",
    ascii: true,
    final_newline: true,
};

/// Prints `text` anew: comments and layout gone, order kept.
pub(crate) fn reprint(text: &str, how: Printing) -> String {
    let tokens = tokens(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut out = String::new();
    let mut depth = 0;
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&how.indent.repeat(depth));
    };
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map(String::as_str);
        match token.as_str() {
            "{" | "[" => {
                out.push_str(token);
                depth += 1;
                if !matches!(next, Some("}" | "]")) {
                    line(&mut out, depth);
                }
            }
            "}" | "]" => {
                depth -= 1;
                if !matches!(tokens[at - 1].as_str(), "{" | "[") {
                    line(&mut out, depth);
                }
                out.push_str(token);
            }
            "," => {
                out.push(',');
                line(&mut out, depth);
            }
            ":" => out.push_str(": "),
            string if string.starts_with('"') => out.push_str(&string_again(string, how.ascii)),
            word => out.push_str(word),
        }
    }
    if how.final_newline {
        out.push('\n');
    }
    out
}

fn string_again(token: &str, ascii: bool) -> String {
    let value: String = serde_json::from_str(token).unwrap();
    let printed = serde_json::to_string(&value).unwrap();
    if !ascii {
        return printed;
    }
    let mut out = String::new();
    for c in printed.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        }
    }
    out
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |at| &rest[at..]);
            continue;
        } else if rest.starts_with("/*") {
            rest = &rest[rest.find("*/").unwrap() + 2..];
            continue;
        } else if first == '"' {
            let mut escaped = false;
            rest.char_indices()
                .skip(1)
                .find(|(_, c)| {
                    let ends = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    ends
                })
                .unwrap()
                .0
                + 1
        } else if "{}[],:".contains(first) {
            1
        } else {
            rest.find(|c: char| c.is_whitespace() || "{}[],:/".contains(c))
                .unwrap_or(rest.len())
        };
        tokens.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_those_programs_do() {
        let text = "// c\n{ \"a\":[1,{}, []], /* d */ \"é\\/\":\"x\\\"//\" }";
        assert_eq!(
            reprint(text, SCRIPT),
            "{\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"é/\": \"x\\\"//\"\n}"
        );
        assert!(reprint(text, SNAKE).contains("    \"\\u00e9/\": \"x\\\"//\"\n}\n"));
    }
}
