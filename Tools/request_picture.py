# SPDX-License-Identifier: Apache-2.0
"""Draws Docs/request.svg: the nine steps of one request, as a sequence of messages.

usage: python3 Tools/request_picture.py [FILE]
"""

import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The parts of the program, from left to right; a second line tells the type in the code.
PARTS = [
    ("client", ""), ("transport", "Transport"), ("adapter", "ProtocolAdapter"),
    ("hub", "SigningHub"), ("policy", "Policy"), ("person", "Approval"),
    ("ledger", "Ledger"), ("key store", "KeyStore"), ("courier", "Courier")]
CLIENT, TRANSPORT, ADAPTER, HUB, POLICY, PERSON, LEDGER, KEYS, COURIER = range(len(PARTS))

# From, to, words above the arrow, how a request ends in this step, and whether only some take it.
MESSAGES = [
    (CLIENT, TRANSPORT, "1 receive", "frame too long", False),
    (TRANSPORT, ADAPTER, "2 choose", "no wire fits", False),
    (HUB, COURIER, "look up what the frame does not hold, such as a nonce", "lookup failed", True),
    (HUB, ADAPTER, "3 decode", "the wire's own error", False),
    (HUB, HUB, "4 understand each fact", "denied: unknown_fact", False),
    (HUB, POLICY, "5 judge", "denied by a rule", False),
    (HUB, PERSON, "6 ask", "a no, or no answer in time", False),
    (HUB, KEYS, "unlock the vault", "no passphrase", True),
    (HUB, COURIER, "fill in what ages, then compare and judge again", "it differs: asked about once more", True),
    (HUB, LEDGER, "7 reserve: the intent is durable", "limit, replay, freeze, new policy", False),
    (HUB, KEYS, "8 use the key, once", "the key was not used: limits go back", False),
    (HUB, LEDGER, "9 settle: the result", "limits stay spent", False),
    (HUB, COURIER, "send the transaction", "kept in the outbox", True),
    (HUB, CLIENT, "one reply, in the words of the wire", "", False),
]

LEFT, COLUMN, TOP, ROW, ENDINGS = 60, 112, 64, 40, 250
STYLE = """
  text { font: 13px Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1f2328 }
  .page { fill: #ffffff; stroke: #8c959f }
  .part { fill: #eef5ff; stroke: #607080 }
  .hub { fill: #fdeeee; stroke: #607080 }
  .type, .end { font-size: 11px; fill: #57606a }
  .end { fill: #a40e26 }
  .life { stroke: #d0d7de }
  .step { stroke: #0550ae; stroke-width: 1.6; fill: none }
  .some { stroke: #57606a; stroke-width: 1.2; stroke-dasharray: 5 4; fill: none }
  .head { fill: #0550ae }
  .grey { fill: #57606a }
  .bold { font-weight: bold }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .page { fill: #0d1117; stroke: #6e7681 }
    .part { fill: #16253a; stroke: #6e7681 }
    .hub { fill: #3a1d22; stroke: #6e7681 }
    .type { fill: #9198a1 }
    .end { fill: #ff7b72 }
    .life { stroke: #30363d }
    .step { stroke: #79c0ff }
    .some { stroke: #9198a1 }
    .head { fill: #79c0ff }
    .grey { fill: #9198a1 }
  }
"""


def place(part: int) -> int:
    return LEFT + part * COLUMN


def arrow(start: int, end: int, y: int, only_some: bool) -> list[str]:
    line, head = ("some", "grey") if only_some else ("step", "head")
    if start == end:
        x = place(start)
        return [
            f'<path class="{line}" d="M{x},{y - 8} h26 v14 h-20"/>',
            f'<path class="{head}" d="M{x},{y + 6} l9,-4 v8 z"/>']
    x1, x2 = place(start), place(end)
    side = 1 if x2 > x1 else -1
    return [
        f'<path class="{line}" d="M{x1},{y} H{x2 - side * 8}"/>',
        f'<path class="{head}" d="M{x2},{y} l{-side * 9},-4 v8 z"/>']


def draw() -> str:
    height = TOP + ROW * len(MESSAGES) + 22
    lives = place(len(PARTS) - 1) + 64
    width = lives + ENDINGS
    out = []
    for number, (name, kind) in enumerate(PARTS):
        x = place(number)
        mark = "hub" if number == HUB else "part"
        out.append(f'<path class="life" d="M{x},{TOP - 12} V{height - 14}"/>')
        out.append(f'<rect class="{mark}" x="{x - 52}" y="12" width="104" height="38" rx="6"/>')
        y = 28 if kind else 36
        out.append(f'<text class="bold" x="{x}" y="{y}" text-anchor="middle">{name}</text>')
        if kind:
            out.append(f'<text class="type" x="{x}" y="43" text-anchor="middle">{kind}</text>')
    out.append(f'<text class="type" x="{lives}" y="36">how a request ends in this step</text>')
    for number, (start, end, words, ending, only_some) in enumerate(MESSAGES):
        y = TOP + ROW * number + 24
        out += arrow(start, end, y, only_some)
        x = min(place(start), place(end)) + 10
        if start == end:
            x, up = x + 24, 0
        else:
            up = 7
        mark = ' class="type"' if only_some else ""
        out.append(f'<text{mark} x="{x}" y="{y - up}">{html.escape(words)}</text>')
        if ending:
            out.append(f'<text class="end" x="{lives}" y="{y + 3}">{html.escape(ending)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img">\n'
        "<title>The nine steps of one request</title>\n"
        "<!-- drawn by Tools/request_picture.py -->\n"
        f"<style>{STYLE}</style>\n"
        f'<rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>\n'
        + "\n".join(out) + "\n</svg>\n")


def main() -> None:
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else ROOT / "Docs/request.svg"
    target.write_text(draw())


if __name__ == "__main__":
    main()
