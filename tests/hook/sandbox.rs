//! A throwaway home with a project in it, and the program run inside.
#![expect(
    clippy::disallowed_methods,
    reason = "tests build the world the program runs in"
)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long one call may take before the test fails. Generous: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a call left behind.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    /// The answer is silence: status 0 and not a byte.
    pub(crate) fn assert_silent(&self, what: &str) {
        assert_eq!(
            (self.status, self.stdout.as_str(), self.stderr.as_str()),
            (Some(0), "", ""),
            "{what}"
        );
    }

    /// Status 0 and an empty standard error, whatever the answer is.
    pub(crate) fn assert_harmless(&self, what: &str) {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""), "{what}");
    }
}

/// A home, a project below it and a temporary folder.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sandbox = Self { folder };
        for part in ["home/project", "tmp"] {
            fs::create_dir_all(sandbox.root().join(part)).unwrap();
        }
        sandbox
    }

    /// A sandbox whose project is under `enforce`.
    pub(crate) fn enforced() -> Self {
        let sandbox = Self::new();
        sandbox.write(
            ".planning/config.json",
            "{\"hooks\":{\"guard\":\"enforce\"}}",
        );
        sandbox
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    pub(crate) fn temp(&self) -> PathBuf {
        self.root().join("tmp")
    }

    /// A path: below the home folder with `~/`, else below the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        name.strip_prefix("~/")
            .map_or_else(|| self.project().join(name), |rest| self.home().join(rest))
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The rows of the log `name`, each a JSON object on a line of its own.
    pub(crate) fn rows(&self, name: &str) -> Vec<serde_json::Value> {
        let Ok(text) = fs::read_to_string(self.path(name)) else {
            return Vec::new();
        };
        assert!(text.ends_with('\n'), "a torn line in {name}");
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The text with its placeholders filled in.
    pub(crate) fn fill(&self, text: &str) -> String {
        text.replace("{{project}}", self.project().to_str().unwrap())
            .replace("{{home}}", self.home().to_str().unwrap())
            .replace("{{secret}}", &secret(1))
            .replace("{{second}}", &secret(2))
            .replace("{{half}}", &secret(1)[..12])
            .replace("{{rest}}", &secret(1)[12..])
    }

    fn command(&self, args: &[&str], env: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pan-hooks"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("TMPDIR", self.temp())
            // Two hosts set what another host sets.
            .env("CLAUDE_PROJECT_DIR", "/elsewhere")
            .envs(env.iter().copied())
            .current_dir(self.project())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Starts a call and leaves its standard input open.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        self.command(args, &[]).spawn().unwrap()
    }

    /// Runs a call with `input` on standard input, then its end.
    pub(crate) fn run(&self, args: &[&str], input: &[u8]) -> Answer {
        self.run_with(args, input, &[])
    }

    pub(crate) fn run_with(&self, args: &[&str], input: &[u8], env: &[(&str, &str)]) -> Answer {
        let mut child = self.command(args, env).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        std::thread::spawn(move || {
            // The program may have left already.
            let _ = stdin.write_all(&input);
        });
        finish(child)
    }

    /// Runs the guard for `host`.
    pub(crate) fn guard(&self, host: &str, payload: &str) -> Answer {
        self.run(&["hook", "guard", "--host", host], payload.as_bytes())
    }
}

/// Waits a bounded time for the end of `child`.
pub(crate) fn finish(mut child: Child) -> Answer {
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        out.read_to_end(&mut stdout).unwrap();
        err.read_to_end(&mut stderr).unwrap();
        let _ = sender.send((stdout, stderr));
    });
    let Ok((stdout, stderr)) = receiver.recv_timeout(PATIENCE) else {
        child.kill().unwrap();
        panic!("the call did not end");
    };
    Answer {
        status: child.wait().unwrap().code(),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// A credential of a known shape that never existed, put together here so that none
/// stands in a file.
pub(crate) fn secret(seed: u64) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut token = ["gh", "p_"].concat();
    for _ in 0..36 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let index = usize::try_from(state >> 33).unwrap() % LETTERS.len();
        token.push(char::from(LETTERS[index]));
    }
    token
}

/// All files below `folder`, with their contents.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                let bytes = fs::read(&path).unwrap();
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}
