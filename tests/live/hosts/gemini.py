"""Gemini CLI: how it is started, how its model speaks, how a denial reaches the model."""

import json
import os
import re


class Gemini:
    """The adapter of one host. See `README.md` of this folder for what each part is for."""

    id = "gemini"
    limit = 120

    def settings(self, scope):
        return ".gemini/settings.json" if scope in ("user", "project") else None

    def seed_home(self, home):
        """Files that a person who has used the host before would have."""
        return {".gemini/GEMINI.md": b"Prefer short answers.\n"}

    def seed_user(self, record):
        """Comments in every place, tabs and spaces mixed, no final newline; hooks on our event and on others."""
        return (
            '// my settings, see the wiki\n'
            '{\n'
            '  "security": { "auth": { "selectedType": "gemini-api-key" } }, // never a login page\n'
            '  "privacy": {"usageStatisticsEnabled": false},\n'
            '\t"general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },\n'
            '  /* keep this\n'
            '     above the hooks */\n'
            '  "hooks": { // hooks start here\n'
            '\t"BeforeTool": [\n'
            '      {\n'
            '        "matcher": ".*", // every tool\n'
            '        "hooks": [ { "type": "command", "command": %s, "timeout": 20000 } ] }\n'
            '      /* room for more */\n'
            '    ],\n'
            '    "AfterAgent": [],\n'
            '    "AfterTool": [{"hooks":[{"type":"command","command":"true"}]}]\n'
            '    // hooks end here\n'
            '  },\n'
            '  "model": { "name": "gemini-2.5-flash" }\n'
            '} // the end' % json.dumps(record)
        ).encode()

    def seed_project(self, record):
        """CRLF and tabs, final newline; a hook on our event."""
        text = (
            '{\n'
            '\t"hooks": {\n'
            '\t\t// of the team\n'
            '\t\t"BeforeTool": [{"hooks": [{"type": "command", "command": %s}]}]\n'
            '\t},\n'
            '\t"ui": {"hideTips": true}\n'
            '}\n' % json.dumps(record)
        )
        return text.replace("\n", "\r\n").encode()

    def own(self, path):
        """Whether a path below HOME is one the host itself leaves when it runs."""
        return path.split(os.sep)[0] == ".gemini" and path != self.settings("user")

    def argv(self, program):
        return [program, "-p", "please do it", "--approval-mode", "yolo"]

    def environment(self, port, scratch):
        return {
            "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}", "GEMINI_API_KEY": "none",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH": os.path.join(scratch, "no-system-settings.json"),
        }

    def screen(self, out, err):
        """What a person saw, without the host's own reports on how long its start took."""
        return [line for line in (out + err).splitlines() if not line.startswith("[STARTUP]")]

    def write_call(self, path, content):
        return {"name": "write_file", "args": {"file_path": path, "content": content}}

    def shell_call(self, command):
        return {"name": "run_shell_command", "args": {"command": command}}

    def results(self, body):
        """What the model got back for its tool calls: (text, whether it is an error)."""
        found = []
        for message in body.get("contents", []):
            for part in message.get("parts", []):
                answer = part.get("functionResponse", {}).get("response")
                if answer is not None:
                    text = answer.get("error", answer.get("output", ""))
                    # The shell tool tells its process group, another one each time.
                    found.append((re.sub(r"PGID: \d+", "PGID: N", text), "error" in answer))
        return found

    def denial(self, text):
        """The reason inside what the model got for a denied call; None when it is no denial."""
        start = "Tool execution blocked: "
        reason = text[len(start):] if text.startswith(start) else None
        # Words of the shell itself: the host took a broken hook for one that denies.
        return None if reason is None or reason.startswith("bash:") else reason

    def answer(self, path, body, next_step):
        if ":streamGenerateContent" in path:
            return "text/event-stream", b"data: " + json.dumps(reply(next_step(body))).encode() + b"\n\n"
        if ":countTokens" in path:
            return "application/json", b'{"totalTokens": 1000}'
        if ":generateContent" in path:
            # The host asks its model beside the talk, with a schema: which model, who speaks next.
            side = {"reasoning": "none", "model_choice": "flash", "next_speaker": "user",
                    "complexity_reasoning": "none", "complexity_score": 1}
            return "application/json", json.dumps(reply({"text": json.dumps(side)})).encode()
        return "application/json", b"{}"


def reply(step):
    """One whole answer of the model."""
    parts = [{"text": step["text"]}] if "text" in step else []
    parts += [{"functionCall": call, "thoughtSignature": "c2ln"} for call in step.get("calls", [])]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010},
    }


HOST = Gemini()
