//! The rows of the guard's log. The format is a contract: `docs/guard-log.md`.

use std::fmt::Write as _;

use super::json::push_string;
use super::outcome::clean;

/// The version of the row.
pub const VERSION: u32 = 1;

/// The longest text one field keeps, in characters.
const MAX_FIELD: usize = 400;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The rule that matched, or `unreadable`.
    pub rule: &'static str,
    /// What it found: the kind of credential, the state file, the reason it could not read.
    pub kind: String,
    /// The file, relative to the project when inside it, with `~` otherwise.
    pub path: Option<String>,
    /// The line in the text that was to be written, from 1.
    pub line: Option<usize>,
    /// Whether the call was denied for this.
    pub denied: bool,
}

/// What all rows of one call share.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stamp<'a> {
    /// Milliseconds since 1970.
    pub now: u64,
    /// The host.
    pub host: &'a str,
    /// The event as the host spells it.
    pub event: &'a str,
    /// The session.
    pub session: Option<&'a str>,
    /// The agent's name.
    pub agent: Option<&'a str>,
    /// The agent's id.
    pub agent_id: Option<&'a str>,
    /// The tool as the host names it.
    pub tool: Option<&'a str>,
    /// The id of the tool call.
    pub call: Option<&'a str>,
    /// The mode: `report` or `enforce`.
    pub mode: &'a str,
}

/// The rows of one call as whole lines.
pub fn render(stamp: &Stamp<'_>, rows: &[Row]) -> String {
    let mut out = String::with_capacity(rows.len() * 320);
    for row in rows {
        let _ = write!(out, "{{\"v\":{VERSION},\"ts\":");
        push_string(&mut out, &iso(stamp.now));
        text(&mut out, "host", Some(stamp.host));
        text(&mut out, "event", Some(stamp.event));
        text(&mut out, "session", stamp.session);
        text(&mut out, "agent", stamp.agent);
        text(&mut out, "agent_id", stamp.agent_id);
        text(&mut out, "tool", stamp.tool);
        text(&mut out, "call", stamp.call);
        text(&mut out, "rule", Some(row.rule));
        text(&mut out, "kind", Some(&row.kind));
        text(&mut out, "path", row.path.as_deref());
        match row.line {
            Some(line) => {
                let _ = write!(out, ",\"line\":{line}");
            }
            None => out.push_str(",\"line\":null"),
        }
        text(&mut out, "mode", Some(stamp.mode));
        text(
            &mut out,
            "decision",
            Some(if row.denied { "denied" } else { "logged" }),
        );
        out.push_str("}\n");
    }
    out
}

fn text(out: &mut String, key: &str, value: Option<&str>) {
    let _ = write!(out, ",\"{key}\":");
    match value {
        Some(value) => push_string(out, &clean(value, MAX_FIELD)),
        None => out.push_str("null"),
    }
}

/// `millis` since 1970 as an ISO 8601 time in UTC.
pub fn iso(millis: u64) -> String {
    let seconds = millis / 1000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days to a civil date, counted from the first of March of the year 0.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_shifted + 2) / 5 + 1;
    let month = if month_shifted < 10 {
        month_shifted + 3
    } else {
        month_shifted - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        second / 3600,
        second / 60 % 60,
        second % 60,
        millis % 1000
    )
}

/// The milliseconds since 1970 of an ISO time in UTC (`2026-11-30T19:22:19.797Z`)
/// or of a number that is those milliseconds already.
pub fn millis(text: &str) -> Option<u64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let clock = number(11, 13)? * 3600 + number(14, 16)? * 60 + number(17, 19)?;
    if !text.ends_with('Z') || !(1970..10_000).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    let (shifted_year, shifted_month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let era = shifted_year / 400;
    let year_of_era = shifted_year % 400;
    let day_of_year = (153 * shifted_month + 2) / 5 + day.checked_sub(1)?;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = (era * 146_097 + day_of_era).checked_sub(719_468)?;
    Some((days * 86_400 + clock) * 1000 + number(20, 23).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_both_ways() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(1_796_066_539_797), "2026-11-30T19:22:19.797Z");
        assert_eq!(millis("2026-11-30T19:22:19.797Z"), Some(1_796_066_539_797));
        assert_eq!(millis("1796066539797"), Some(1_796_066_539_797));
        assert_eq!(
            millis("2000-02-29T00:00:00.000Z").map(iso).as_deref(),
            Some("2000-02-29T00:00:00.000Z")
        );
        assert_eq!(millis("yesterday"), None);
        assert_eq!(millis("2026-99-30T19:22:19.797Z"), None);
    }

    #[test]
    fn a_row_is_one_line_whatever_is_in_it() {
        let row = Row {
            rule: "secret_write",
            kind: "x\ny".into(),
            path: Some("a\u{1b}[31m\n\u{202e}b".repeat(500)),
            line: Some(3),
            denied: true,
        };
        let text = render(
            &Stamp {
                host: "h",
                ..Stamp::default()
            },
            &[row],
        );
        assert_eq!(text.matches('\n').count(), 1);
        assert!(text.len() < 1500, "{}", text.len());
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        assert!(super::super::json::Raw::parse(text.trim_end()).is_some());
    }
}
