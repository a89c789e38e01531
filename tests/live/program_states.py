"""The states a registered program can be in, and how to bring it into each.

Nothing here knows a host. A program that is gone, broken or crashing must
never be noticed by the agent that was told to call it.
"""

import os
import shutil
import stat

# What a broken program writes to standard error; it must reach nobody.
NOISE = "NOISE-OF-A-BROKEN-PROGRAM"

BROKEN = (
    "missing",
    "a folder",
    "not executable",
    "of another architecture",
    "ended by SIGSEGV",
    "ended by SIGKILL",
    "exits 2 with stderr",
    "exits 101 with stderr",
)
# States in which the shell does start the program, so that it can leave a trace.
STARTS = frozenset(BROKEN[4:])

ENDINGS = {
    "not executable": "exit 0",
    "ended by SIGSEGV": "kill -s SEGV $$",
    "ended by SIGKILL": "kill -s KILL $$",
    "exits 2 with stderr": f"echo {NOISE} >&2; exit 2",
    "exits 101 with stderr": f"echo {NOISE} >&2; exit 101",
}


def clear(path):
    """Takes away whatever lies at `path`, a folder only when it is empty."""
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)


def put(path, state, trace):
    """Brings the program at `path` into `state`; one that starts adds a line to `trace`."""
    clear(path)
    if state == "missing":
        return
    if state == "a folder":
        os.mkdir(path)
        return
    if state == "of another architecture":
        foreign_program(path)
        return
    script(path, ENDINGS[state], trace)
    if state == "not executable":
        os.chmod(path, 0o644)


def script(path, ending, trace):
    """Writes a shell script that drains its input, leaves a trace and ends as told."""
    clear(path)
    with open(path, "w") as out:
        out.write(f"#!/bin/sh\ncat >/dev/null\necho started >>'{trace}'\n{ending}\n")
    os.chmod(path, 0o700)


def foreign_program(path):
    """Copies an ELF program of this machine and names another machine in its header."""
    with open(os.path.realpath(shutil.which("true")), "rb") as source:
        program = bytearray(source.read())
    if program[:4] != b"\x7fELF":
        raise RuntimeError("`true` of this machine is no ELF program")
    aarch64, x86_64 = b"\xb7\x00", b"\x3e\x00"
    program[18:20] = x86_64 if program[18:20] == aarch64 else aarch64
    with open(path, "wb") as out:
        out.write(program)
    os.chmod(path, stat.S_IRWXU)
