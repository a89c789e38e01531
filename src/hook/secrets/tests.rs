use super::{Context, scan};

fn kinds(text: &str) -> Vec<&'static str> {
    scan(text, &Context::default())
        .iter()
        .map(|f| f.kind)
        .collect()
}

#[test]
fn a_token_is_found_and_placed() {
    let token = format!("{}{}", "ghp_", "k3J9xQ2mVb7TzR5wLd8NcY4pHs6FgA1eUiOq");
    let text = format!("first\nexport TOKEN={token}\n");
    let found = scan(&text, &Context::default());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].line), ("github-token", 2));
    assert_eq!(&text[found[0].start..found[0].end], token);
}

#[test]
fn prose_is_clean() {
    assert!(kinds("The password must have twelve characters: see docs.").is_empty());
}
