"""What is played with every host. Knows no host: an adapter from `hosts/` is given.

Each flow is a person's story: a home and a project that were there before, the
install, some work with the agent, the uninstall.
"""

import json
import os
import shutil

import lab
import program_states

# Words that only a badly behaved hook would bring before the model or the person.
STRAY = (program_states.NOISE, lab.PLACE, "hook error", "Hook system message", "Hook(s)", "egmentation fault",
         "xec format", "Killed", "annot execute")
LAST_WORDS = "all of it is done"
CLEAN = "plain words, nothing to hide\n"


class Stage:
    """A home and a project of one flow, and what can be done in them."""

    def __init__(self, checks, host, cli, binary, scratch, home_name):
        self.checks, self.host, self.cli, self.binary = checks, host, cli, binary
        self.scratch = os.path.join(scratch, host.id, home_name)
        self.home = os.path.join(self.scratch, home_name)
        self.project = os.path.join(self.scratch, "work", "app")
        self.temp = os.path.join(self.scratch, "tmp")
        self.program = os.path.join(self.home, lab.PLACE)
        self.guard_log = os.path.join(self.project, ".planning", "guard.jsonl")
        self.records = {scope: os.path.join(self.home, ".audit", f"{scope}.log") for scope in ("user", "project")}
        for folder in (os.path.join(self.home, ".audit"), self.project, self.temp):
            os.makedirs(folder)
        for path, content in host.seed_home(self.home).items():
            lab.write(os.path.join(self.home, path), content)
        lab.write(os.path.join(self.project, ".planning", "state.md"), b"# State\n\n**Current Phase:** 1\n")
        lab.write(os.path.join(self.project, "README.txt"), b"an app\n")
        git = lab.run([shutil.which("git") or "git", "init", "-q", "."], self.project, self.environment(), 60)
        if git.code != 0:
            raise RuntimeError(f"git init: {git.told()}")
        self.guard("enforce")

    def environment(self, **extra):
        return lab.environment(self.home, self.temp, extra)

    def guard(self, mode):
        """Sets the mode of the guard for the project."""
        lab.write(os.path.join(self.project, ".planning", "config.json"),
                  json.dumps({"hooks": {"guard": mode}}).encode() + b"\n")

    def settings(self, scope):
        """The path of the host's settings file of a scope."""
        return os.path.join(self.home if scope == "user" else self.project, self.host.settings(scope))

    def seed(self, scope):
        """Puts a person's settings file there, with a hook that leaves a line each time; returns its bytes."""
        command = f'cat >/dev/null; echo ran >>"$HOME/.audit/{scope}.log"'
        seed = self.host.seed_user(command) if scope == "user" else self.host.seed_project(command)
        lab.write(self.settings(scope), seed)
        os.chmod(self.settings(scope), 0o600 if scope == "user" else 0o644)
        return seed

    def pan(self, verb, scope):
        """Runs `pan-hooks VERB` for this host; a bad exit code is a failed check."""
        ended = lab.run([self.binary, verb, f"--{scope}", "--host", self.host.id, "--yes"],
                        self.project, self.environment(), 60)
        self.say(f"{verb} --{scope} exits 0", ended.code == 0, ended.told())

    def say(self, what, good, detail=""):
        return self.checks.check(f"{self.host.id}: {what}", good, detail)

    def same(self, what, seen, wanted):
        return self.checks.same(f"{self.host.id}: {what}", seen, wanted)

    def rows(self):
        return lab.lines(self.guard_log)

    def file(self, name):
        return os.path.join(self.project, name)

    def play(self, *calls):
        """One headless run in which the model makes these tool calls, one a turn, then ends."""
        before = {scope: lab.lines(path) for scope, path in self.records.items()}
        steps = [{"calls": [call]} for call in calls] + [{"text": LAST_WORDS}]
        with lab.Model(self.host, steps) as model:
            environment = self.environment(**self.host.environment(model.port, self.temp))
            ended = lab.run(self.host.argv(self.cli), self.project, environment, self.host.limit)
        return Played(self, ended, model, len(calls), before)


class Played:
    """What one run left behind."""

    def __init__(self, stage, ended, model, calls, before):
        self.stage, self.ended, self.model, self.calls = stage, ended, model, calls
        self.results = stage.host.results(model.turns[-1]) if model.turns else []
        self.ran = {scope: lab.lines(path) - before[scope] for scope, path in stage.records.items()}

    def screen(self):
        """The lines a person saw."""
        return self.stage.host.screen(self.ended.out, self.ended.err)

    def whole(self, what, scopes=("user",)):
        """The run itself was sound: the agent ended well, every call was answered, the person's own hooks ran."""
        stage = self.stage
        well = self.ended.code == 0 and LAST_WORDS in self.ended.out and not self.model.problems
        stage.say(f"{what}: the agent ends well", well,
                  f"{self.ended.told()}; model: {self.model.problems}")
        stage.same(f"{what}: every tool call is answered", len(self.results), self.calls)
        for scope in scopes:
            stage.same(f"{what}: the {scope}'s own hook ran for every call", self.ran[scope], self.calls)

    def quiet(self, what, alone):
        """Nobody could tell this run from `alone`, the one without pan-hooks."""
        stage = self.stage
        stage.same(f"{what}: the model got what it gets without us", self.results, alone.results)
        seen, usual = self.screen(), alone.screen()
        odd = [line for line in seen if line not in usual] + [f"not: {line}" for line in usual if line not in seen]
        stage.say(f"{what}: the person saw what they see without us", not odd, odd)
        stray = [word for word in STRAY for body in self.model.bodies if word in body]
        stage.say(f"{what}: no word about the hook reached the model", not stray, sorted(set(stray)))

    def denied(self, what, secret):
        """The call was denied for a reason of ours, told without the secret."""
        stage = self.stage
        text, error = self.results[-1] if self.results else ("", False)
        reason = stage.host.denial(text)
        stage.say(f"{what}: the model is told that the call was denied, and why",
                  error and reason is not None and "secret" in reason.lower(), repr(text))
        stage.say(f"{what}: the reason holds neither the secret nor the hook's command",
                  not holds(text, secret) and lab.PLACE not in text, repr(text.replace(secret, "[the secret]")))
        stage.same(f"{what}: the reason is told once", text.count(reason or "no reason"), 1)


def holds(text, secret):
    """Whether a text holds the secret or a telling piece of it."""
    return secret in text or secret[4:20] in text or secret[-16:] in text


def logged(stage, what, before, secret, rows):
    """The guard's log grew by so many sound rows, and nothing of ours holds the secret."""
    stage.same(f"{what}: rows added to the guard's log", stage.rows() - before, rows)
    log = (lab.read(stage.guard_log) or b"").decode()
    sound = all(isinstance(json.loads(row), dict) for row in log.splitlines())
    stage.say(f"{what}: the log is JSON lines without the secret", sound and not holds(log, secret))
    kept = []
    places = [os.path.join(stage.home, ".local")]
    places += [os.path.join(stage.temp, name) for name in os.listdir(stage.temp) if name.startswith("pan-hooks")]
    for place in places:
        for base, _, files in os.walk(place):
            for name in files:
                path = os.path.join(base, name)
                if path != stage.program and holds((lab.read(path) or b"").decode("latin-1"), secret):
                    kept.append(path)
    stage.say(f"{what}: no file of our own holds the secret", not kept, kept)


def secret_write(stage, what, name, scopes=("user",)):
    """The model writes a file with a secret in an enforcing project."""
    secret = lab.made_up_secret(f"{stage.host.id} {what}")
    before = stage.rows()
    played = stage.play(stage.host.write_call(stage.file(name), f"token = {secret}\n"))
    played.whole(what, scopes)
    played.denied(what, secret)
    stage.say(f"{what}: the file was not written", not os.path.lexists(stage.file(name)))
    logged(stage, what, before, secret, 1)


def both_tools(stage):
    """A clean file through the write tool, another through the shell."""
    for name in ("clean.txt", "shell.txt"):
        if os.path.exists(stage.file(name)):
            os.unlink(stage.file(name))
    return stage.play(
        stage.host.write_call(stage.file("clean.txt"), CLEAN),
        stage.host.shell_call("printf 'by the shell\\n' > shell.txt"),
    )


def wrote_both(stage, what):
    stage.same(f"{what}: both files are there with their content",
               (lab.read(stage.file("clean.txt")), lab.read(stage.file("shell.txt"))),
               (CLEAN.encode(), b"by the shell\n"))


def working_life(stage):
    """User scope: install, all that the guard does, every way the program can be broken, uninstall."""
    host = stage.host
    seed = stage.seed("user")
    before = lab.picture(stage.home)
    alone = both_tools(stage)
    alone.whole("before the install")
    wrote_both(stage, "before the install")

    stage.pan("install", "global")
    installed = lab.read(stage.settings("user"))
    stage.say("install adds to the settings file", installed not in (None, seed))
    stage.say("the registered program is there", os.access(stage.program, os.X_OK) and os.path.isfile(stage.program))
    stage.pan("install", "global")
    stage.same("a second install changes no byte", lab.read(stage.settings("user")), installed)

    secret_write(stage, "secret, write tool", "leak.txt")

    rows = stage.rows()
    what = "clean files"
    played = both_tools(stage)
    played.whole(what)
    wrote_both(stage, what)
    played.quiet(what, alone)
    stage.same(f"{what}: rows added to the guard's log", stage.rows() - rows, 0)

    what = "secret, heredoc"
    secret, rows = lab.made_up_secret(f"{host.id} heredoc"), stage.rows()
    played = stage.play(host.shell_call(f"cat > leak2.txt <<'END'\ntoken = {secret}\nEND\n"))
    played.whole(what)
    played.denied(what, secret)
    stage.say(f"{what}: the file was not written", not os.path.lexists(stage.file("leak2.txt")))
    logged(stage, what, rows, secret, 1)

    what = "secret, report mode"
    stage.guard("report")
    secret, rows = lab.made_up_secret(f"{host.id} report"), stage.rows()
    text = f"token = {secret}\n"
    played = stage.play(host.write_call(stage.file("leak3.txt"), text))
    played.whole(what)
    stage.say(f"{what}: the file was written as asked", lab.read(stage.file("leak3.txt")) == text.encode())
    stage.same(f"{what}: the model was told of no error", [error for _, error in played.results], [False])
    logged(stage, what, rows, secret, 1)
    stage.guard("enforce")

    broken_programs(stage, alone)
    stage.same("the settings file is as the install left it", lab.read(stage.settings("user")), installed)

    stage.pan("uninstall", "global")
    stage.say("uninstall gives the settings file back to the byte", lab.read(stage.settings("user")) == seed)
    after = lab.picture(stage.home)
    ours = {path: state for path, state in after.items() if path in before or not host.own(path)}
    known = {path: state for path, state in before.items() if path in ours or path not in after}
    changed = [line for line in lab.difference(known, ours) if not tolerated(host, line)]
    stage.say("uninstall leaves nothing behind in the home folder", not changed, changed)


def tolerated(host, line):
    """The hooks of the seed wrote their own log; the host changes files of its own."""
    kind, path = line.split(": ", 1)
    return path.startswith(".audit/") or (kind == "changed" and host.own(path))


def broken_programs(stage, alone):
    """The program in every broken state: the agent works as if pan-hooks had never been there."""
    aside = os.path.join(stage.scratch, "program aside")
    trace = os.path.join(stage.scratch, "trace")
    os.rename(stage.program, aside)
    try:
        for state in program_states.BROKEN:
            what = f"program {state}"
            if os.path.exists(trace):
                os.unlink(trace)
            rows = stage.rows()
            program_states.put(stage.program, state, trace)
            played = both_tools(stage)
            played.whole(what)
            wrote_both(stage, what)
            played.quiet(what, alone)
            started = 2 if state in program_states.STARTS else 0
            stage.same(f"{what}: times the host started it", lab.lines(trace), started)
            stage.same(f"{what}: rows added to the guard's log", stage.rows() - rows, 0)
    finally:
        program_states.clear(stage.program)
        os.rename(aside, stage.program)


def team_project(stage):
    """Project scope in a git repository, then user scope as well, in a home with a space in its name."""
    user_seed, project_seed = stage.seed("user"), stage.seed("project")
    scopes = ("user", "project")

    stage.pan("install", "project")
    stage.say("project install leaves the user's file alone", lab.read(stage.settings("user")) == user_seed)
    stage.say("project install adds to the project's file", lab.read(stage.settings("project")) != project_seed)
    stage.say("project install puts no path of this machine into the project's file",
              stage.home.encode() not in lab.read(stage.settings("project")))
    secret_write(stage, "project scope", "leak.txt", scopes)

    stage.pan("install", "global")
    secret_write(stage, "both scopes", "leak2.txt", scopes)
    clean = both_tools(stage)
    clean.whole("both scopes, clean files", scopes)
    wrote_both(stage, "both scopes, clean files")

    stage.pan("uninstall", "project")
    stage.say("uninstall gives the project's file back to the byte",
              lab.read(stage.settings("project")) == project_seed)
    secret_write(stage, "user scope is left", "leak3.txt", scopes)
    stage.pan("uninstall", "global")
    stage.say("uninstall gives the user's file back to the byte", lab.read(stage.settings("user")) == user_seed)
    stage.say("the program is gone with its last registration", not os.path.lexists(stage.program))

    last = both_tools(stage)
    last.whole("after the uninstall", scopes)
    wrote_both(stage, "after the uninstall")
    last.quiet("after the uninstall", clean)


def round_trip(stage, seeded):
    """Install and uninstall, both scopes, no agent in between: every path, mode and byte as before."""
    what = "with settings files" if seeded else "without any settings file"
    if seeded:
        stage.seed("user")
        stage.seed("project")
    before = lab.picture(stage.home), lab.picture(stage.project)
    stage.pan("install", "global")
    stage.pan("install", "project")
    installed = lab.picture(stage.home), lab.picture(stage.project)
    stage.say(f"{what}: the installs changed both folders", before[0] != installed[0] and before[1] != installed[1])
    stage.pan("uninstall", "global")
    stage.pan("uninstall", "project")
    for place, old, folder in (("home", before[0], stage.home), ("project", before[1], stage.project)):
        changed = lab.difference(old, lab.picture(folder))
        stage.say(f"{what}: the {place} folder is as before, paths, modes and bytes", not changed, changed)


def version(checks, host, cli, verified, scratch):
    """The program that is tested is the one the host table speaks of."""
    home = os.path.join(scratch, host.id, "version")
    os.makedirs(home)
    ended = lab.run([cli, "--version"], home, lab.environment(home, home, host.environment(9, home)), 60)
    said = ended.out.split()
    return checks.check(f"{host.id}: the real program says version {verified}", verified in said, ended.told())


def play_all(checks, host, cli, binary, verified, scratch):
    """Everything for one host."""
    if not checks.guarded(f"{host.id}: version", lambda: version(checks, host, cli, verified, scratch)):
        return
    flows = (
        ("home", working_life),
        ("ann o neil", team_project),
        ("round trip", lambda stage: round_trip(stage, True)),
        ("first use", lambda stage: round_trip(stage, False)),
    )
    for home_name, flow in flows:
        checks.guarded(f"{host.id}: flow in {home_name!r}",
                       lambda: flow(Stage(checks, host, cli, binary, scratch, home_name)))
