//! What known programs do with files: which of their arguments they write.

use std::ops::Range;

use super::{Language, MAX_VALUE, MAX_VARIABLES, Reader, Use, Word};
use crate::hook::place;

impl Reader<'_> {
    /// Acts on what a command is known to do. Returns what it does with its input.
    pub(super) fn command(&mut self, mut words: Vec<Word>, range: &Range<usize>) -> Option<Use> {
        let mut first = 0;
        let mut assigned = Vec::new();
        // Words that stand before a command, and programs that start another.
        loop {
            let word = words.get(first)?;
            if let Some((name, value)) = assignment(word) {
                assigned.push((name.to_owned(), value.to_owned(), word.unknown));
                first += 1;
                if first == words.len() {
                    for (name, value, unknown) in assigned {
                        self.assign(name, value, unknown);
                    }
                    return None;
                }
                continue;
            }
            let skip = match word.text.as_str() {
                "if" | "then" | "else" | "elif" | "do" | "while" | "until" | "!" | "{" | "}"
                | "time" | "coproc" | "command" | "builtin" | "exec" | "nohup" | "fi" | "done"
                | "esac" | "export" | "declare" | "local" | "readonly" | "typeset" | "busybox"
                | "setsid" => 1,
                name @ ("env" | "sudo" | "doas" | "nice" | "ionice" | "timeout" | "stdbuf"
                | "xargs" | "chronic") => {
                    1 + options(words.get(first + 1..).unwrap_or_default(), name)
                }
                _ => 0,
            };
            if skip == 0 {
                break;
            }
            first += skip;
        }
        words.drain(..first.min(words.len()));
        let (name, args) = words.split_first()?;
        let name = name.text.as_str();
        let args: Vec<&Word> = args.iter().collect();
        if self.posix() {
            self.program(place::name(name), &args, range)
        } else {
            self.cmdlet(name, &args, range)
        }
    }

    fn assign(&mut self, name: String, value: String, unknown: bool) {
        if unknown || value.len() > MAX_VALUE || self.variables.len() >= MAX_VARIABLES {
            self.variables.retain(|(known, _)| *known != name);
        } else {
            self.variables.push((name, value));
        }
    }

    fn program(&mut self, name: &str, args: &[&Word], range: &Range<usize>) -> Option<Use> {
        match name {
            "cd" | "pushd" => {
                let files = operands(args, "");
                self.folder = match (files.first(), self.folder.as_deref()) {
                    (Some(word), base) if !word.unknown && word.text != "-" => {
                        let base = if place::is_absolute(&word.text) {
                            Some("/")
                        } else {
                            base
                        };
                        base.map(|base| place::resolve(base, &word.text))
                    }
                    (None, _) if name == "cd" => self.home.map(str::to_owned),
                    _ => None,
                };
            }
            "popd" => self.folder = None,
            "tee" | "sponge" | "touch" | "truncate" | "shred" | "rm" | "unlink" => {
                let valued = if name == "truncate" {
                    "sr"
                } else if name == "touch" {
                    "drt"
                } else {
                    ""
                };
                for word in operands(args, valued) {
                    self.write(word, None, false, range);
                }
            }
            "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => self.copy(name, args, range),
            "dd" => {
                for word in args {
                    if let Some(path) = word.text.strip_prefix("of=") {
                        let word = Word {
                            text: path.to_owned(),
                            unknown: word.unknown,
                            ..Word::default()
                        };
                        self.write(&word, None, false, range);
                    }
                }
            }
            "sed" | "gsed" | "perl" | "ruby" => self.in_place(args, range),
            "curl" | "wget" => {
                let short = if name == "curl" { "-o" } else { "-O" };
                let long = if name == "curl" {
                    "--output"
                } else {
                    "--output-document"
                };
                for (word, next) in args.iter().zip(args.iter().skip(1)) {
                    if word.text == short || word.text == long {
                        self.write(next, None, false, range);
                    }
                }
            }
            "apply_patch" | "applypatch" => {
                for word in args {
                    if crate::hook::patch::is_patch(&word.text) {
                        self.add_inner(word.text.clone(), Use::Patch, Language::Posix);
                    }
                }
                return Some(Use::Patch);
            }
            "eval" => {
                let text: Vec<&str> = args.iter().map(|word| word.text.as_str()).collect();
                self.add_inner(text.join(" "), Use::Script, Language::Posix);
            }
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" => {
                let script = args.iter().position(|word| {
                    word.text == "--command"
                        || (word.text.starts_with('-')
                            && !word.text.starts_with("--")
                            && word.text.contains('c'))
                });
                let script = script.and_then(|at| {
                    args.get(at + 1..)?
                        .iter()
                        .find(|word| !word.text.starts_with('-'))
                });
                if let Some(script) = script {
                    self.add_inner(script.text.clone(), Use::Script, Language::Posix);
                    return Some(Use::Content);
                }
                let reads_input = args
                    .iter()
                    .all(|word| word.text.starts_with('-') || word.text.is_empty());
                return Some(if reads_input {
                    Use::Script
                } else {
                    Use::Content
                });
            }
            "pwsh" | "powershell" | "pwsh.exe" | "powershell.exe" => {
                let script = args.iter().position(|word| {
                    let text = word.text.to_ascii_lowercase();
                    text.len() > 1 && "-command".starts_with(&text)
                });
                if let Some(words) = script.and_then(|at| args.get(at + 1..)) {
                    let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                    self.add_inner(text.join(" "), Use::Script, Language::PowerShell);
                }
            }
            _ => {}
        }
        None
    }

    /// `cp A... B`, `cp -t B A...` and their kin.
    fn copy(&mut self, name: &str, args: &[&Word], range: &Range<usize>) {
        let valued = match name {
            "install" => "mogtS",
            "rsync" => "ef",
            "scp" => "PiFoc",
            _ => "tS",
        };
        let mut folder = None;
        for (at, word) in args.iter().enumerate() {
            if matches!(word.text.as_str(), "-t" | "--target-directory") {
                folder = args.get(at + 1).copied();
            }
        }
        let named = args
            .iter()
            .find_map(|word| word.text.strip_prefix("--target-directory="))
            .map(|path| Word {
                text: path.to_owned(),
                ..Word::default()
            });
        let folder = folder.or(named.as_ref());
        let mut files = operands(args, valued);
        let target = if folder.is_some() { None } else { files.pop() };
        // A move takes the source away.
        if name == "mv" {
            for word in &files {
                self.write(word, None, false, range);
            }
        }
        if let Some(folder) = folder {
            for word in &files {
                self.write(word, Some(folder), false, range);
            }
        } else if let Some(target) = target {
            let into = files.len() > 1
                || target.text.ends_with('/')
                || matches!(target.text.as_str(), "." | "..");
            if !into {
                self.write(target, None, false, range);
            }
            for word in &files {
                self.write(word, Some(target), !into, range);
            }
        }
    }

    /// `sed -i`, `perl -pi -e` and their kin.
    fn in_place(&mut self, args: &[&Word], range: &Range<usize>) {
        let cluster = |word: &Word, letter: char| {
            word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word
                    .text
                    .chars()
                    .skip(1)
                    .take_while(char::is_ascii_alphabetic)
                    .any(|c| c == letter)
        };
        let edits = args
            .iter()
            .any(|word| word.text.starts_with("--in-place") || cluster(word, 'i'));
        if !edits {
            return;
        }
        let mut script_given = false;
        let mut files = Vec::new();
        let mut skip = false;
        for word in args {
            if std::mem::take(&mut skip) {
                continue;
            }
            if word.text.starts_with("--expression") || word.text.starts_with("--file") {
                script_given = true;
                skip = !word.text.contains('=');
            } else if word.text.len() > 1 && word.text.starts_with('-') {
                // `-i.bak` carries a suffix, not letters of other options.
                let letters = word.text.split('i').next().unwrap_or_default();
                let ends = |letter| word.text.ends_with(letter) && !word.text.starts_with("--");
                if ends('e') || ends('f') || ends('E') && letters == "-" {
                    script_given = !ends('E') || script_given;
                    skip = !ends('E');
                } else if letters.contains('e') && word.text.starts_with("-e") {
                    script_given = true;
                }
            } else {
                files.push(*word);
            }
        }
        // The BSD form gives an empty suffix as a word of its own.
        files.retain(|word| !word.text.is_empty());
        for word in files.iter().skip(usize::from(!script_given)) {
            self.write(word, None, false, range);
        }
    }

    fn cmdlet(&mut self, name: &str, args: &[&Word], range: &Range<usize>) -> Option<Use> {
        let name = name.to_ascii_lowercase();
        let keys: &[&str] = match name.as_str() {
            "set-content" | "sc" | "add-content" | "ac" | "out-file" | "tee-object" | "tee"
            | "new-item" | "ni" | "clear-content" | "clc" | "remove-item" | "ri" | "rm" | "del"
            | "export-csv" | "export-clixml" => &["-path", "-literalpath", "-filepath", "-pspath"],
            "copy-item" | "copy" | "cp" | "cpi" | "move-item" | "move" | "mv" | "mi" => {
                &["-destination"]
            }
            "set-location" | "sl" | "cd" | "chdir" | "push-location" | "pushd" => {
                self.folder = match (args.last(), self.folder.as_deref()) {
                    (Some(word), Some(base)) if !word.unknown => {
                        Some(place::resolve(base, &word.text.replace('\\', "/")))
                    }
                    _ => None,
                };
                return None;
            }
            _ => return None,
        };
        let named = args
            .iter()
            .position(|word| keys.contains(&word.text.to_ascii_lowercase().as_str()));
        let positional: Vec<&&Word> = {
            let mut skip = false;
            args.iter()
                .filter(|word| {
                    let option = word.text.starts_with('-') && !word.quoted;
                    let value = std::mem::replace(
                        &mut skip,
                        option && !is_switch(&word.text.to_ascii_lowercase()),
                    );
                    !option && !value
                })
                .collect()
        };
        let place = usize::from(keys == ["-destination"]);
        let word = named
            .and_then(|at| args.get(at + 1))
            .or_else(|| positional.get(place).copied());
        if let Some(word) = word {
            self.write(word, None, false, range);
            if let (1, Some(source)) = (place, positional.first()) {
                self.write(source, Some(word), true, range);
            }
        }
        None
    }
}

/// PowerShell parameters that take no value.
fn is_switch(name: &str) -> bool {
    matches!(
        name,
        "-force"
            | "-append"
            | "-nonewline"
            | "-noclobber"
            | "-recurse"
            | "-passthru"
            | "-verbose"
            | "-whatif"
    )
}

/// `NAME=value`.
fn assignment(word: &Word) -> Option<(&str, &str)> {
    let (name, value) = word.text.split_once('=')?;
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    named.then_some((name, value))
}

/// How many of `args` are options of the program `name` that starts another.
fn options(args: &[Word], name: &str) -> usize {
    let valued: &[&str] = match name {
        "env" => &["-u", "--unset", "-C", "--chdir"],
        "sudo" | "doas" => &[
            "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "--user", "--group",
        ],
        "nice" | "ionice" => &["-n", "-c", "-p"],
        "timeout" => &["-s", "-k", "--signal", "--kill-after"],
        "stdbuf" => &["-i", "-o", "-e"],
        "xargs" => &["-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"],
        _ => &[],
    };
    let mut at = 0;
    while let Some(word) = args.get(at) {
        if !word.text.starts_with('-') || word.text.len() == 1 {
            break;
        }
        at += if valued.contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
    // The first operand of timeout is the time.
    at + usize::from(name == "timeout" && at < args.len())
}

/// The words that are no options. `valued` lists the short options whose value is
/// a word of its own.
fn operands<'w>(args: &[&'w Word], valued: &str) -> Vec<&'w Word> {
    let mut files = Vec::new();
    let mut only_files = false;
    let mut skip = false;
    for word in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        if only_files || !word.text.starts_with('-') || word.text.len() == 1 {
            files.push(*word);
        } else if word.text == "--" {
            only_files = true;
        } else if word.text.starts_with("--") {
            skip = word.text == "--target-directory";
        } else {
            skip = word
                .text
                .chars()
                .next_back()
                .is_some_and(|last| valued.contains(last));
        }
    }
    files
}
