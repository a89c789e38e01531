//! `hosts`: which agents are here, which version, and where their files lie.

use serde_json::{Value, json};

use super::printer::Printer;
use super::{DONE, Failure};
use crate::host::detect;
use crate::host::paths::{self, Here};

/// `hosts`. Runs no program of any host.
///
/// # Errors
/// There is no home folder or current folder.
pub fn run(printer: &mut Printer) -> Result<u8, Failure> {
    let here = Here::now()?;
    let mut hosts = Vec::new();
    for host in crate::host::all()? {
        let found = detect::detect(host, &here);
        let files: Vec<_> = host
            .files
            .iter()
            .map(|file| (file.scope, paths::file(host, file, &here)))
            .collect();
        let verified = found
            .version
            .as_ref()
            .map(|version| *version == host.verified);
        hosts.push(json!({
            "host": host.id,
            "detected": found.detected,
            "program": found.program.as_ref().map(|path| path.display().to_string()),
            "version": found.version,
            "verified": host.verified,
            "paths": files.iter().map(|(scope, chosen)| json!({
                "scope": scope.name(),
                "path": chosen.path.display().to_string(),
                "chosen_by": chosen.by,
            })).collect::<Vec<Value>>(),
        }));
        if printer.json() {
            continue;
        }
        let version = match (&found.version, verified) {
            (Some(version), Some(true)) => format!("{version}, the version our facts are from"),
            (Some(version), _) => format!("{version} (our facts are from {})", host.verified),
            (None, _) => "version unknown".to_owned(),
        };
        if found.detected {
            printer.head(&host.name, &format!(" ({}): {version}", host.id));
            if let Some(program) = &found.program {
                printer.line(&format!("  program  {}", here.shown(program)));
            }
            for (scope, chosen) in &files {
                let by = chosen
                    .by
                    .as_ref()
                    .map_or_else(String::new, |by| format!("  (chosen by {by})"));
                printer.line(&format!(
                    "  {:<8} {}{by}",
                    scope.name(),
                    here.shown(&chosen.path)
                ));
            }
        } else {
            printer.head(&host.name, &format!(" ({}): not found", host.id));
        }
        if let Some(why) = &host.unsupported {
            printer.aside(why);
        }
    }
    if printer.json() {
        printer.document(&json!({"hosts": hosts}));
    }
    Ok(DONE)
}
