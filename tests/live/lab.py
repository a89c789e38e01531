"""What every scenario stands on: a home, a project, processes with a time limit,
a scripted model on loopback. Knows no host; that is in `hosts/`.
"""

import fcntl
import hashlib
import json
import os
import shutil
import socket
import stat
import struct
import subprocess
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PLACE = ".local/share/pan-hooks/bin/pan-hooks"
# Most requests one scripted run may make before the model refuses: bounds a looping agent.
REQUEST_LIMIT = 40


class Ended:
    """How a process ended: exit code (None when it was stopped at its limit) and its texts."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def told(self):
        """Exit code and both texts, for the message of a failed check."""
        return f"exit {self.code}; stdout: {self.out[-600:]}; stderr: {self.err[-900:]}"


def run(argv, cwd, env, limit, stdin=""):
    """Runs a program in a process group of its own; the whole group is ended at the limit."""
    process = subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
    )
    try:
        out, err = process.communicate(stdin, timeout=limit)
        code = process.returncode
    except subprocess.TimeoutExpired:
        end_group(process.pid)
        out, err = process.communicate()
        code, err = None, f"{err}\n[ended at its limit of {limit} s]"
    end_group(process.pid)
    return Ended(code, out, err)


def end_group(group):
    """Ends what is left of a process group that `run` started."""
    try:
        os.killpg(group, 9)
    except ProcessLookupError:
        pass


def environment(home, scratch, extra):
    """The whole environment of a process: nothing of the caller's but the way to node."""
    folders = [os.path.dirname(os.path.realpath(shutil.which("node"))), "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        "HOME": home, "PATH": ":".join(dict.fromkeys(folders)), "TMPDIR": scratch, "LANG": "C.UTF-8",
        "TERM": "xterm-256color", "USER": "dev", "NO_COLOR": "1", "NO_PROXY": "127.0.0.1,localhost",
        # A closed port: what does not go to the model goes nowhere.
        "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", **extra,
    }


def raise_loopback():
    """Brings up `lo` in a fresh network namespace (SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP)."""
    get_flags, set_flags, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = struct.pack("16sh14x", b"lo", 0)
        _, flags = struct.unpack("16sh14x", fcntl.ioctl(handle, get_flags, request))
        fcntl.ioctl(handle, set_flags, struct.pack("16sh14x", b"lo", flags | up))


class Model:
    """A scripted model. `host.answer(path, body, next_step)` speaks the host's dialect.

    `turns` holds the bodies of the requests that were answered from the script,
    `bodies` every body that reached the model, as text.
    """

    def __init__(self, host, steps):
        self.turns, self.bodies = [], []
        self.problems = []
        lock, left = threading.Lock(), list(steps)

        def next_step(body):
            with lock:
                self.turns.append(body)
                return left.pop(0) if left else {"text": "nothing left to do"}

        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self):
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                with lock:
                    model.bodies.append(raw.decode("utf-8", "replace"))
                    over = len(model.bodies) > REQUEST_LIMIT
                if over:
                    return self.send(500, "text/plain", b"too many requests for one script")
                try:
                    body = json.loads(raw) if raw else {}
                    kind, answer = host.answer(self.path, body, next_step)
                except Exception as error:  # a request nobody expected: shown by the scenario
                    model.problems.append(f"{self.path}: {type(error).__name__}: {error}")
                    return self.send(500, "text/plain", b"the script cannot answer this")
                return self.send(200, kind, answer)

            do_GET = do_POST = do_HEAD = reply

            def send(self, code, kind, answer):
                self.send_response(code)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def made_up_secret(seed):
    """A token in the shape of a code host's: prefix, 30 letters and digits, checksum.

    It is put together here so that no such text stands in any file of the project.
    """
    letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    number = int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big")
    body = ""
    for _ in range(30):
        number, digit = divmod(number, 62)
        body += letters[digit]
    check, tail = zlib.crc32(body.encode()), ""
    for _ in range(6):
        check, digit = divmod(check, 62)
        tail = letters[digit] + tail
    return "gh" + "p_" + body + tail


def write(path, content):
    """Writes bytes, with the folders they need."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(content)


def read(path):
    """The bytes of a file, None when there is no such file."""
    try:
        with open(path, "rb") as source:
            return source.read()
    except FileNotFoundError:
        return None


def lines(path):
    """The number of lines of a file, 0 when there is none."""
    return (read(path) or b"").count(b"\n")


def picture(folder):
    """Every path below a folder with its kind, mode and content: equal pictures, equal folders."""
    seen = {}
    for base, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(base, name)
            state = os.lstat(path)
            if stat.S_ISLNK(state.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(state.st_mode):
                content = hashlib.sha256(read(path)).hexdigest()
            else:
                content = ""
            seen[os.path.relpath(path, folder)] = (oct(state.st_mode), content)
    return seen


def difference(before, after):
    """What differs between two pictures, as short lines."""
    gone = [f"gone: {path}" for path in sorted(set(before) - set(after))]
    new = [f"new: {path}" for path in sorted(set(after) - set(before))]
    changed = [f"changed: {path}" for path in sorted(set(before) & set(after)) if before[path] != after[path]]
    return gone + new + changed
