"""Counts checks, prints one line for each and the closing line."""

import os
import sys
import traceback

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Checks:
    """Results of one run."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, name, good, detail=""):
        """Notes one result; `detail` is printed only when it is a bad one."""
        if good:
            self.passed += 1
            print(f"ok    {name}", flush=True)
        else:
            self.failed += 1
            print(f"FAIL  {name}: {shorten(detail)}" if detail else f"FAIL  {name}", flush=True)
        return bool(good)

    def same(self, name, seen, wanted):
        """Notes whether two values are equal."""
        return self.check(name, seen == wanted, f"wanted {shorten(repr(wanted), 400)}, saw {shorten(repr(seen), 400)}")

    def guarded(self, name, step):
        """Runs `step()`; an exception is a failed check, never a silent end."""
        try:
            return step()
        except Exception as error:  # every kind: a step that cannot run has failed
            frames = traceback.extract_tb(error.__traceback__)
            where = [frame for frame in frames if frame.filename.startswith(HERE)][-1]
            self.check(name, False, f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})")
            return None

    def close(self):
        """Prints the closing line and returns the exit code; a run without checks has failed."""
        if self.passed + self.failed == 0:
            print("no check ran", file=sys.stderr)
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 0 if self.failed == 0 and self.passed > 0 else 1


def shorten(text, limit=1500):
    """One line of bounded length."""
    line = str(text).replace("\r", "\\r").replace("\n", "\\n")
    return line if len(line) <= limit else line[:limit] + " [cut]"
