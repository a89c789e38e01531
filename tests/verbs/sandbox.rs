//! A person's machine for one test: a home, a project, a PATH, and the program.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::tree::Tree;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_pan-hooks");

/// No verb takes this long, not even the one that waits 30 seconds for a lock.
const LONGEST: Duration = Duration::from_secs(50);

/// A home, a project and a PATH of their own.
#[derive(Debug)]
pub(crate) struct Sandbox {
    root: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
    /// Where the program is run from; the project.
    pub(crate) cwd: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

impl Sandbox {
    /// With a blank in the path of the home folder and of the project.
    pub(crate) fn new() -> Self {
        // A file system in memory where there is one: each run syncs many times.
        let memory = Path::new("/dev/shm");
        let root = tempfile::Builder::new()
            .prefix("verbs")
            .tempdir_in(memory)
            .or_else(|_| tempfile::tempdir())
            .unwrap();
        Self::in_folder(root)
    }

    /// On a disk, in a place programs may be run from.
    pub(crate) fn on_disk() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap())
    }

    fn in_folder(root: TempDir) -> Self {
        let at = std::fs::canonicalize(root.path()).unwrap();
        let home = at.join("home of u");
        let project = at.join("my project");
        for folder in [
            &home,
            &project.join(".git"),
            &at.join("bin"),
            &at.join("tmp"),
        ] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        // Named by a link in a lasting place, the program is linked, not copied.
        symlink(PROGRAM, at.join("bin/pan-hooks")).unwrap();
        Self {
            cwd: project.clone(),
            root,
            home,
            project,
            variables: Vec::new(),
        }
    }

    /// The folder with all of it.
    pub(crate) fn root(&self) -> PathBuf {
        std::fs::canonicalize(self.root.path()).unwrap()
    }

    /// Sets a variable for every run.
    pub(crate) fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.variables.retain(|(known, _)| known != name);
        self.variables
            .push((name.into(), value.as_ref().to_owned()));
    }

    /// Removes it again.
    pub(crate) fn unset(&mut self, name: &str) {
        self.variables.retain(|(known, _)| known != name);
    }

    /// Everything as it is now.
    pub(crate) fn tree(&self) -> Tree {
        Tree::of(&self.root())
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, path: &Path, bytes: impl AsRef<[u8]>) {
        assert!(path.starts_with(self.root()), "outside: {}", path.display());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// The program, ready to start.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args);
        self.prepare(&mut command);
        command
    }

    /// Gives `command` this machine's environment and nothing else.
    pub(crate) fn prepare(&self, command: &mut Command) {
        command
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", self.root().join("bin"))
            .env("TMPDIR", self.root().join("tmp"))
            .env("LANG", "C.UTF-8")
            .current_dir(&self.cwd)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        finish(self.command(args), args)
    }

    /// Runs it and wants it to succeed.
    pub(crate) fn done(&self, args: &[&str]) -> Run {
        let run = self.run(args);
        assert_eq!(run.code(), 0, "{run}");
        run
    }

    /// Runs it and wants it to refuse.
    pub(crate) fn refused(&self, args: &[&str]) -> Run {
        let run = self.run(args);
        assert_eq!(run.code(), 3, "{run}");
        run
    }

    /// What is left of ours anywhere: state, program, temp files, lock files.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        self.tree()
            .names(|name| name.contains("pan-hooks"))
            .into_iter()
            .filter(|path| path != Path::new("bin/pan-hooks"))
            .collect()
    }

    /// Temp files of ours, anywhere.
    pub(crate) fn temp_files(&self) -> Vec<PathBuf> {
        self.tree().names(|name| {
            name.starts_with('.') && (name.contains("pan-hooks") || name.contains(".new."))
        })
    }

    /// Our state folder.
    pub(crate) fn state(&self) -> PathBuf {
        self.home.join(".local/state/pan-hooks")
    }

    /// The program as registered commands name it.
    pub(crate) fn program(&self) -> PathBuf {
        self.home.join(".local/share/pan-hooks/bin/pan-hooks")
    }
}

/// How a run ended and what it said.
#[derive(Debug)]
pub(crate) struct Run {
    args: Vec<String>,
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// The exit code; a run ended by a signal has none and fails the test.
    pub(crate) fn code(&self) -> i32 {
        self.status
            .code()
            .unwrap_or_else(|| panic!("ended by a signal: {self}"))
    }

    /// All it said.
    pub(crate) fn said(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// All it said, on one line: where lines are folded does not matter.
    pub(crate) fn flat(&self) -> String {
        self.said().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Standard output as exactly one JSON document.
    pub(crate) fn json(&self) -> Value {
        let mut documents = serde_json::Deserializer::from_str(&self.out).into_iter::<Value>();
        let first = documents
            .next()
            .unwrap_or_else(|| panic!("no document: {self}"))
            .unwrap_or_else(|error| panic!("{error}: {self}"));
        assert!(documents.next().is_none(), "more than one document: {self}");
        first
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "pan-hooks {}: {}", self.args.join(" "), self.status)?;
        writeln!(f, "--- out\n{}--- err\n{}---", self.out, self.err)
    }
}

/// Runs a command to its end, and no longer than [`LONGEST`].
pub(crate) fn finish(command: Command, args: &[&str]) -> Run {
    finish_with(command, args, b"")
}

/// The same, with something on standard input.
pub(crate) fn finish_with(mut command: Command, args: &[&str], input: &[u8]) -> Run {
    if !input.is_empty() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().unwrap();
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input is no failure of the test.
        let _ = stdin.write_all(input);
    }
    let out = drain(child.stdout.take());
    let err = drain(child.stderr.take());
    let deadline = Instant::now() + LONGEST;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("pan-hooks {} did not end", args.join(" "));
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    Run {
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        status,
        out: out.join().unwrap(),
        err: err.join().unwrap(),
    }
}

fn drain(from: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            from.read_to_end(&mut bytes).unwrap();
        }
        String::from_utf8(bytes).unwrap()
    })
}

/// Copies a program to where it will be run from.
///
/// Another process does it: while a program is open for writing in this one, a test
/// that starts a child at that moment hands the open file on, and running the
/// program then fails as busy.
pub(crate) fn copy_program(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    let status = Command::new("/bin/cp").arg(from).arg(to).status().unwrap();
    assert!(status.success());
    chmod(to, 0o755);
}

/// Sets the mode of a path.
pub(crate) fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The tests run as root, whom no mode keeps out.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The user and group a run drops to where root would pass every check.
const NOBODY: u32 = 65_534;

impl Sandbox {
    /// Runs the program as someone no file but this sandbox's belongs to, where the
    /// tests run as root; as the user of the tests otherwise. Modes hold for both.
    pub(crate) fn run_as_mortal(&self, args: &[&str]) -> Run {
        if !is_root() {
            return self.run(args);
        }
        // The build folder may be closed to that user.
        let program = self.root().join("bin/mortal-pan-hooks");
        if !program.exists() {
            copy_program(Path::new(PROGRAM), &program);
        }
        self.give_away();
        let mut command = Command::new(&program);
        command.args(args);
        self.prepare(&mut command);
        command.uid(NOBODY).gid(NOBODY);
        finish(command, args)
    }

    fn give_away(&self) {
        let root = self.root();
        let mut paths: Vec<PathBuf> = self.tree().0.into_keys().collect();
        paths.push(PathBuf::new());
        for path in paths {
            std::os::unix::fs::lchown(root.join(path), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}
