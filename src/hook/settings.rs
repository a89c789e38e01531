//! The user's own settings for hooks, and the switches in the environment.

use super::json::Raw;
use super::place;
use super::planning::{self, Mode};

/// Whether the environment silences `hook`: `PAN_HOOKS=0`, or its name in
/// `PAN_HOOKS_SKIP`.
pub fn is_switched_off(hook: &str, all: Option<&str>, skip: Option<&str>) -> bool {
    all == Some("0")
        || skip.is_some_and(|skip| skip.split([',', ' ']).any(|name| name.trim() == hook))
}

/// What the user's `config.json` says about one hook in one folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The hook is disabled here.
    pub disabled: bool,
    /// What the guard does outside a project.
    pub outside: Option<Mode>,
}

/// Reads `config`. What it cannot read is as if it were not there.
pub fn read(config: &str, hook: &str, cwd: &str) -> Settings {
    let mut settings = Settings::default();
    planning::settings(config, |object| {
        if let Some(disabled) = object.object("disabled") {
            settings.disabled = disabled.members().any(|(folder, hooks)| {
                let here = folder == "*"
                    || (place::is_absolute(folder)
                        && place::below(cwd, &place::resolve("/", folder)).is_some());
                here && hooks
                    .array()
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(Raw::string)
                    .any(|name| name == hook)
            });
        }
        settings.outside = object
            .object("guard")
            .and_then(|guard| guard.string("outside"))
            .and_then(|name| Mode::named(&name));
    });
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_name_hooks() {
        assert!(is_switched_off("guard", Some("0"), None));
        assert!(is_switched_off("guard", None, Some("statusline, guard")));
        assert!(!is_switched_off(
            "guard",
            Some("1"),
            Some("statusline,guards")
        ));
    }

    #[test]
    fn disabled_here_and_below() {
        let config =
            r#"{"disabled":{"/p/a":["guard"],"*":["statusline"]},"guard":{"outside":"enforce"}}"#;
        assert!(read(config, "guard", "/p/a/b").disabled);
        assert!(!read(config, "guard", "/p/ab").disabled);
        assert!(read(config, "statusline", "/q").disabled);
        assert_eq!(read(config, "guard", "/q").outside, Some(Mode::Enforce));
        assert_eq!(read("[]", "guard", "/q"), Settings::default());
        assert_eq!(
            read(r#"{"disabled":{"*":"guard"},"guard":7}"#, "guard", "/q"),
            Settings::default()
        );
    }
}
