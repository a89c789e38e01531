"""Claude Code: how it is started, how its model speaks, how a denial reaches the model."""

import itertools
import json
import os

IDS = itertools.count(1)


class Claude:
    """The adapter of one host. See `README.md` of this folder for what each part is for."""

    id = "claude"
    limit = 120

    def settings(self, scope):
        return ".claude/settings.json" if scope in ("user", "project") else None

    def seed_home(self, home):
        """Files that a person who has used the host before would have."""
        return {".claude.json": json.dumps({"hasCompletedOnboarding": True, "theme": "dark"}).encode() + b"\n"}

    def seed_user(self, record):
        """Tabs, CRLF, a ragged one-line entry, no final newline; hooks on our event and on others."""
        text = (
            '{\n'
            '\t"$schema": "https://json.schemastore.org/claude-code-settings.json",\n'
            '\t"model": "sonnet",   "cleanupPeriodDays": 3e1,\n'
            '\t"env": { "PLACE": "Z\\u00fcrich \\/ home" },\n'
            '\n'
            '\t"hooks": {\n'
            '\t\t"PreToolUse": [\n'
            '\t\t\t{ "matcher": "*", "hooks": [ {"type":"command", "command": %s, "timeout": 20} ] },\n'
            '\t\t\t{"matcher":"Bash","hooks":[{"command":"true","type":"command"}]}\n'
            '\t\t],\n'
            '\t\t"Stop" : [],\n'
            '\t\t"PostToolUse": [{"hooks":[{"type":"command","command":"true # after"}]}]\n'
            '\t},\n'
            '\t"permissions": {"allow": [ "Bash(git status)","Read" ],\n'
            '\t\t"deny":[]}\n'
            '}'
        ) % json.dumps(record)
        return text.replace("\n", "\r\n").encode()

    def seed_project(self, record):
        """Four spaces, one odd indent, final newline; a hook on our event."""
        return (
            '{\n'
            '    "permissions": {},\n'
            '  "hooks": {"PreToolUse": [\n'
            '        {"hooks": [{"type": "command", "command": %s}]}\n'
            '    ]}\n'
            '}\n' % json.dumps(record)
        ).encode()

    def own(self, path):
        """Whether a path below HOME is one the host itself leaves when it runs."""
        first = path.split(os.sep)[0]
        if first == ".claude":
            return path != self.settings("user")
        return first.startswith(".claude.json")

    def argv(self, program):
        return [program, "-p", "please do it", "--output-format", "text", "--permission-mode", "acceptEdits",
                "--allowedTools", "Bash,Read,Write,Edit"]

    def environment(self, port, scratch):
        return {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
            "IS_SANDBOX": "1",
        }

    def screen(self, out, err):
        """What a person saw."""
        return (out + err).splitlines()

    def write_call(self, path, content):
        return {"name": "Write", "input": {"file_path": path, "content": content}}

    def shell_call(self, command):
        return {"name": "Bash", "input": {"command": command, "description": "writes a file"}}

    def results(self, body):
        """What the model got back for its tool calls: (text, whether it is an error)."""
        found = []
        for message in body.get("messages", []):
            blocks = message["content"] if isinstance(message["content"], list) else []
            for block in blocks:
                if block.get("type") == "tool_result":
                    found.append((flat(block.get("content")), bool(block.get("is_error"))))
        return found

    def denial(self, text):
        """The reason inside what the model got for a denied call; None when it is no denial."""
        for tool in ("Write", "Bash"):
            start = f"PreToolUse:{tool} hook error: "
            if text.startswith(start):
                reason = text[len(start):]
                # A command in brackets: the host took the hook for one that crashed.
                return None if reason.startswith("[") else reason
        return None

    def answer(self, path, body, next_step):
        if "count_tokens" in path:
            return "application/json", b'{"input_tokens": 1000}'
        if not path.split("?")[0].endswith("/v1/messages"):
            return "application/json", b"{}"
        # A request without tools is the host's own (a title, say), no turn of the script.
        step = next_step(body) if body.get("tools") else {"text": '{"title": "a task"}'}
        blocks = [{"type": "text", "text": step["text"]}] if "text" in step else []
        for call in step.get("calls", []):
            blocks.append({"type": "tool_use", "id": f"toolu_{next(IDS):04}", **call})
        message = {
            "id": f"msg_{next(IDS):04}", "type": "message", "role": "assistant", "model": body.get("model"),
            "content": blocks, "stop_reason": "tool_use" if step.get("calls") else "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0,
                      "cache_read_input_tokens": 0},
        }
        if not body.get("stream"):
            return "application/json", json.dumps(message).encode()
        return "text/event-stream", b"".join(events(message))


def flat(content):
    """The text of a tool result, which is a string or a list of blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content or [])


def events(message):
    """A whole message as the events of a stream."""
    def event(name, **fields):
        return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()

    start = {**message, "content": [], "stop_reason": None}
    yield event("message_start", message=start)
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield event("content_block_start", index=index, content_block=empty)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event("message_delta", delta={"stop_reason": message["stop_reason"], "stop_sequence": None},
                usage=message["usage"])
    yield event("message_stop")


HOST = Claude()
