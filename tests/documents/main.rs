//! The documents say what the code and the host table say.
//!
//! With `PAN_HOOKS_BLESS=1` the generated parts are written instead of compared.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test of files reads them, writes them when it is told to, and fails where it stands"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pan_hooks::hook::Hook;
use pan_hooks::host::table::Host;
use pan_hooks::host::{self, document, load};
use serde_json::Value;

const BLESS: &str = "PAN_HOOKS_BLESS=1 cargo test --locked --test documents";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn hosts() -> &'static [Host] {
    host::all().unwrap()
}

/// The pages people read.
fn pages() -> Vec<String> {
    let mut pages = vec![
        "README.md".to_owned(),
        "CHANGELOG.md".to_owned(),
        "hosts/README.md".to_owned(),
    ];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if Path::new(&name).extension().is_some_and(|end| end == "md") {
            pages.push(format!("docs/{name}"));
        }
    }
    assert!(pages.len() > 8, "{pages:?}");
    pages
}

/// The fenced blocks of `page` with the words after the fence.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(words)) => open = Some((words.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

#[test]
fn generated_parts_are_fresh() {
    let bless = std::env::var_os("PAN_HOOKS_BLESS").is_some_and(|value| value == "1");
    let mut parts = 0;
    for name in pages() {
        let page = read(&name);
        parts += page.matches("<!-- generated: ").count();
        let fresh =
            document::fill(&page, hosts()).unwrap_or_else(|error| panic!("{name}: {error}"));
        if fresh == page {
            continue;
        }
        assert!(bless, "{name} is out of date; to renew it: {BLESS}");
        std::fs::write(root().join(&name), fresh).unwrap();
    }
    assert_eq!(parts, 3, "hosts, matrix, each host");
}

#[test]
fn the_command_that_renews_stands_in_the_page_it_renews() {
    assert!(read("docs/hosts.md").contains(BLESS));
}

#[test]
fn the_test_command_can_be_taken_from_the_readme() {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("<!-- test command -->").unwrap();
    let (part, _) = rest.split_once("<!-- end -->").unwrap();
    let found = blocks(part);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].1, "cargo test --locked\n");
}

#[test]
fn links_lead_somewhere() {
    let mut followed = 0;
    for name in pages() {
        let folder = root().join(&name);
        let folder = folder.parent().unwrap();
        for link in read(&name).split("](").skip(1) {
            let target = link.split(')').next().unwrap();
            if target.contains("://") {
                continue;
            }
            let (file, part) = target.split_once('#').unwrap_or((target, ""));
            let path = folder.join(file);
            assert!(path.exists(), "{name}: {target}");
            if !part.is_empty() {
                let heading = std::fs::read_to_string(&path).unwrap();
                let there = heading.lines().any(|line| {
                    line.starts_with('#')
                        && line
                            .trim_start_matches('#')
                            .trim()
                            .to_lowercase()
                            .replace(' ', "-")
                            == part
                });
                assert!(there, "{name}: {target}");
            }
            followed += 1;
        }
    }
    assert!(followed > 15, "{followed}");
}

#[test]
fn every_dependency_has_its_reason_and_no_other_is_listed() {
    let manifest: toml_edit::Document<String> = read("Cargo.toml").parse().unwrap();
    let mut used = BTreeSet::new();
    let mut add = |table: Option<&toml_edit::Item>| {
        let table = table.and_then(toml_edit::Item::as_table_like);
        used.extend(
            table
                .into_iter()
                .flat_map(|table| table.iter().map(|(name, _)| name.to_owned())),
        );
    };
    add(manifest.get("dependencies"));
    add(manifest.get("dev-dependencies"));
    for (_, target) in manifest["target"].as_table_like().unwrap().iter() {
        add(target.get("dependencies"));
    }
    assert!(used.contains("rustix") && used.contains("proptest"));
    let listed: BTreeSet<_> = read("docs/dependencies.md")
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| `")?.split('`').next()?.to_owned()))
        .collect();
    assert_eq!(listed, used);
}

#[test]
fn the_worked_example_of_the_table_loads() {
    let page = read("hosts/README.md");
    let blocks = blocks(&page);
    let (_, table) = blocks.iter().find(|(words, _)| words == "toml").unwrap();
    let host = load::host("the example", table).unwrap();
    assert_eq!(host.registrations(Hook::Guard).len(), 2);
    // It is a working example, not a copy of the real ones.
    assert!(hosts().iter().all(|real| real.id != host.id));
}

#[test]
fn every_key_of_the_tables_is_explained() {
    let page = read("hosts/README.md");
    let mut keys = BTreeSet::new();
    for name in ["claude", "codex", "gemini", "copilot", "opencode"] {
        let table: toml_edit::Document<String> =
            read(&format!("hosts/{name}.toml")).parse().unwrap();
        collect(table.as_table(), &mut keys, 0);
    }
    assert!(keys.len() > 50, "{keys:?}");
    for key in keys {
        let heading = page
            .lines()
            .any(|line| line.starts_with("## ") && line.contains(&key));
        assert!(heading || page.contains(&format!("`{key}`")), "{key}");
    }
}

/// The keys of `table` and of the tables in it. Names that the file itself gives
/// (grammars, hooks, members of a handler) are not keys of the table.
fn collect(table: &dyn toml_edit::TableLike, keys: &mut BTreeSet<String>, depth: usize) {
    for (key, item) in table.iter() {
        keys.insert(key.to_owned());
        match key {
            "handler" | "new_file" | "scripts" => {}
            "grammar" | "hook" if depth == 0 => {
                for (_, named) in item.as_table_like().unwrap().iter() {
                    collect(named.as_table_like().unwrap(), keys, depth + 1);
                }
            }
            _ => {
                if let Some(inner) = item.as_table_like() {
                    collect(inner, keys, depth + 1);
                }
                for inner in item.as_array_of_tables().into_iter().flatten() {
                    collect(inner, keys, depth + 1);
                }
                for inner in item.as_array().into_iter().flatten() {
                    if let Some(inner) = inner.as_inline_table() {
                        collect(inner, keys, depth + 1);
                    }
                }
            }
        }
    }
}

#[test]
fn examples_of_json_output_fit_their_schemas() {
    let mut checked = 0;
    for (words, text) in blocks(&read("docs/json.md")) {
        let Some(name) = words.strip_prefix("json ") else {
            continue;
        };
        let example: Value = serde_json::from_str(&text).unwrap();
        let schema: Value =
            serde_json::from_str(&read(&format!("docs/schemas/{name}.schema.json"))).unwrap();
        fits(&example, &schema, name);
        checked += 1;
    }
    assert_eq!(checked, 3);
}

#[test]
fn the_schemas_know_every_hook_host_and_scope() {
    for (name, list) in [
        ("changes", "changes"),
        ("status", "registrations"),
        ("hosts", "hosts"),
    ] {
        let schema: Value =
            serde_json::from_str(&read(&format!("docs/schemas/{name}.schema.json"))).unwrap();
        let item = &schema["properties"][list]["items"]["properties"];
        let ids: Vec<_> = hosts().iter().map(|host| host.id.as_str()).collect();
        assert_eq!(item["host"]["enum"], Value::from(ids), "{name}");
        let hook = match name {
            "changes" => &item["entries"]["items"]["properties"]["hook"],
            "status" => &item["hook"],
            _ => continue,
        };
        let hooks: Vec<_> = Hook::ALL.map(Hook::name).to_vec();
        assert_eq!(hook["enum"], Value::from(hooks), "{name}");
    }
}

/// What the program prints for `arguments` in a home folder of its own, with a
/// settings file it takes and one it refuses.
#[cfg(unix)]
fn printed(arguments: &[&str]) -> Value {
    let home = tempfile::tempdir().unwrap();
    for (folder, text) in [(".claude", "{}"), (".gemini", "{ \"a\": 1, }")] {
        let folder = home.path().join(folder);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("settings.json"), text).unwrap();
    }
    let mut output = Vec::new();
    for arguments in [&["install", "--global", "--json"], arguments] {
        output = std::process::Command::new(env!("CARGO_BIN_EXE_pan-hooks"))
            .args(arguments)
            .env_clear()
            .env("HOME", home.path())
            .current_dir(home.path())
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
            .stdout;
    }
    serde_json::from_slice(&output).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

#[test]
#[cfg(unix)]
fn what_the_program_prints_fits_the_schemas() {
    for (name, list, arguments) in [
        (
            "changes",
            "changes",
            &["uninstall", "--global", "--json"][..],
        ),
        ("changes", "changes", &["diff", "--global", "--json"]),
        ("changes", "changes", &["undo", "--json"]),
        ("status", "registrations", &["status", "--json"]),
        ("hosts", "hosts", &["hosts", "--json"]),
    ] {
        let schema: Value =
            serde_json::from_str(&read(&format!("docs/schemas/{name}.schema.json"))).unwrap();
        let document = printed(arguments);
        assert!(
            !document[list].as_array().unwrap().is_empty(),
            "{arguments:?}"
        );
        fits(&document, &schema, name);
    }
}

/// As much of JSON Schema as our schemas use. A key that nobody checks is an
/// error, in the example and in the schema.
fn fits(value: &Value, schema: &Value, at: &str) {
    for (key, rule) in schema.as_object().unwrap() {
        match key.as_str() {
            "$schema" | "title" | "description" => {}
            "type" => {
                let kind = match value {
                    Value::Null => "null",
                    Value::Bool(_) => "boolean",
                    Value::Number(_) => "number",
                    Value::String(_) => "string",
                    Value::Array(_) => "array",
                    Value::Object(_) => "object",
                };
                let fits = match rule {
                    Value::Array(kinds) => kinds.iter().any(|one| one == kind),
                    one => one == kind,
                };
                assert!(fits, "{at} is {kind}, not {rule}");
            }
            "enum" => assert!(rule.as_array().unwrap().contains(value), "{at}: {value}"),
            "required" => {
                for name in rule.as_array().unwrap() {
                    assert!(value.get(name.as_str().unwrap()).is_some(), "{at}: {name}");
                }
            }
            "properties" => {
                for (name, inner) in value.as_object().unwrap() {
                    let known = rule.get(name);
                    let known = known.unwrap_or_else(|| panic!("{at}: {name} has no schema"));
                    fits(inner, known, &format!("{at}.{name}"));
                }
            }
            "items" => {
                for inner in value.as_array().unwrap() {
                    fits(inner, rule, &format!("{at}[]"));
                }
            }
            other => panic!("{at}: the schema says `{other}`, which this test does not check"),
        }
    }
}
