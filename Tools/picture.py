# SPDX-License-Identifier: Apache-2.0
"""Draws Docs/question.svg: what a person is shown, as the binary prints it on a terminal.

usage: python3 Tools/picture.py BINARY [FILE]
"""

import base64
import html
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEY = ROOT / "Examples/requests/near-secret.txt"
PASSPHRASE = b"a passphrase for the picture"
CLIENT = "https://tea.example"
PROMPTS = (b"etails: ", b'"round-toad": ')
COLUMNS_MAX = 110
TERMINAL = {
    "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm", "COLUMNS": str(COLUMNS_MAX)}

YOCTO = 10**24
ARGUMENTS = json.dumps({"item": "sencha", "grams": 250}, separators=(",", ":"))
REQUEST = {
    "method": "signTransaction",
    "params": {
        "network": "testnet", "receiverId": "tea-shop.testnet", "nonce": "103595482000006",
        "blockHash": "244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM",
        "actions": [
            {"type": "FunctionCall", "params": {
                "methodName": "order", "args": base64.b64encode(ARGUMENTS.encode()).decode(),
                "gas": str(30 * 10**12), "deposit": str(YOCTO // 10)}},
            {"type": "Transfer", "params": {"deposit": str(YOCTO * 3 // 2)}},
        ],
    },
}

# Each character is placed by its column, so that the font does not matter.
WIDTH, HEIGHT, MARGIN, SIZE = 7.8, 18, 16, 13
STYLE = f"""
  text {{ font: {SIZE}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }}
  rect {{ fill: #ffffff; stroke: #8c959f }}
  text {{ fill: #1f2328 }}
  .typed {{ fill: #1a7f37 }}
  .grave {{ fill: #cf222e; font-weight: bold }}
  .bold {{ font-weight: bold }}
  @media (prefers-color-scheme: dark) {{
    rect {{ fill: #0d1117; stroke: #6e7681 }}
    text {{ fill: #e6edf3 }}
    .typed {{ fill: #7ee787 }}
    .grave {{ fill: #ff7b72 }}
  }}
"""


def run(binary: str, home: str, *arguments: str, given: bytes = b"") -> None:
    """Prepares the scratch home; the passphrase comes by a pipe."""
    reader, writer = os.pipe()
    os.write(writer, PASSPHRASE)
    os.close(writer)
    subprocess.run(
        [binary, *arguments, "--quiet", "--home", home, "--passphrase-fd", str(reader)],
        input=given, pass_fds=[reader], stdout=subprocess.DEVNULL, check=True)
    os.close(reader)


def ask(binary: str, home: str, request: str) -> str:
    """Asks the question on a separate terminal, says yes, and returns the text of the terminal."""
    command = [binary, "handle", "--home", home, "--client", CLIENT, request]
    child, terminal = pty.fork()
    if child == 0:
        os.execve(binary, command, TERMINAL)
    keys, shown = [b"y\n", PASSPHRASE + b"\n"], b""
    while True:
        try:
            read = os.read(terminal, 4096)
        except OSError:  # The command has closed its side.
            break
        if not read:
            break
        shown += read
        if keys and shown.endswith(PROMPTS):
            os.write(terminal, keys.pop(0))
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        sys.exit(shown.decode())
    if keys:
        sys.exit("a question was not asked:\n" + shown.decode())
    return shown.decode().replace("\r", "")


def draw(lines: list[str]) -> str:
    """Draws plain SVG without scripts, links or external content."""
    rows, columns = [], 0
    for number, line in enumerate(lines):
        parts = re.split(r"\x1b\[([0-9;]*)m", line)
        text = "".join(parts[::2])
        columns = max(columns, len(text))
        column, mark, spans = 0, "", []
        for index, part in enumerate(parts):
            if index % 2:
                mark = {"1;31": "grave", "31": "grave", "1": "bold"}.get(part, "")
            elif part:
                name = f' class="{mark}"' if mark else ""
                spans.append(
                    f'<tspan x="{MARGIN + column * WIDTH:.1f}"'
                    f' textLength="{len(part) * WIDTH:.1f}"{name}>{html.escape(part)}</tspan>')
                column += len(part)
        name = ' class="typed"' if text.startswith("$ ") else ""
        if spans:
            y = MARGIN + (number + 1) * HEIGHT - 5
            rows.append(f'<text y="{y}" xml:space="preserve"{name}>{"".join(spans)}</text>')
    width, height = round(columns * WIDTH) + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img">\n'
        "<title>The question that countersign asks on a terminal</title>\n"
        "<!-- drawn by Tools/picture.py from what the command printed -->\n"
        f"<style>{STYLE}</style>\n"
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>\n'
        + "\n".join(rows) + "\n</svg>\n")


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    binary = os.path.abspath(sys.argv[1])
    target = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "Docs/question.svg"
    with tempfile.TemporaryDirectory() as folder:
        home, request = folder + "/home", folder + "/order.json"
        pathlib.Path(request).write_text(json.dumps(REQUEST))
        run(binary, home, "init")
        run(binary, home, "key", "import", "--protocol", "near", "--name", "round-toad",
            "--account", "round-toad.testnet", "--network", "testnet", given=KEY.read_bytes())
        shown = ask(binary, home, request)
    lines = shown.strip("\n").split("\n")
    lines = [
        line if len(line) <= COLUMNS_MAX else line[: COLUMNS_MAX - 3] + "..." for line in lines]
    target.write_text(draw([f"$ countersign handle --client {CLIENT} order.json", ""] + lines))


if __name__ == "__main__":
    main()
