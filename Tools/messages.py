#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the messages of the program with file and line, so that a person can read them all.

A message is a string literal of Swift or JavaScript that has at least two words, or a text or
a label of HTML. Literals that `+` joins are printed as one message. SQL is left out.

usage: messages.py [PATH...]

Without a PATH it reads Sources, Plugins, Browser, DataChannel and QR.
"""
import html.parser
import pathlib
import re
import sys

ROOTS = ("Sources", "Plugins", "Browser", "DataChannel", "QR")
SUFFIXES = (".swift", ".js", ".html")
SQL = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT"
    r"|RELEASE|VACUUM|ATTACH|DETACH|WITH|WHERE|FROM|ORDER|GROUP|AND|LISTEN|NOTIFY|SET|GRANT"
    r"|REVOKE|ON CONFLICT|VALUES|LIMIT|REPLACE|EXPLAIN|RETURNING|LOCK|UNIQUE|REFERENCES)\b")
WORDS = re.compile(r"[A-Za-z]{2,}")


def closing(text, at):
    """Returns the index after the parenthesis or brace that closes the one at `at`."""
    pairs = {"(": ")", "{": "}"}
    opening, depth = text[at], 0
    while at < len(text):
        char = text[at]
        if char == '"':
            at = literal(text, at)[1]
            continue
        depth += (char == opening) - (char == pairs[opening])
        at += 1
        if depth == 0:
            break
    return at


def literal(text, at):
    """Returns the content of the Swift literal at `at` and the index after it."""
    hashes = len(text[at:]) - len(text[at:].lstrip("#")) if text[at] == "#" else 0
    at += hashes
    quote = '"""' if text.startswith('"""', at) else '"'
    at += len(quote)
    start, end, escape = at, quote + "#" * hashes, "\\" + "#" * hashes
    while at < len(text) and not text.startswith(end, at):
        if text.startswith(escape + "(", at):
            at = closing(text, at + len(escape))
        elif text.startswith(escape, at):
            at += len(escape) + 1
        else:
            at += 1
    return text[start:at], at + len(end)


def script_literal(text, at):
    """Returns the content of the JavaScript literal at `at` and the index after it."""
    quote, start = text[at], at + 1
    at = start
    while at < len(text) and text[at] != quote:
        if text[at] == "\\":
            at += 2
        elif quote == "`" and text.startswith("${", at):
            at = closing(text, at + 1)
        else:
            at += 1
    return text[start:at], at + 1


def messages(text, is_swift):
    """Yields each message of a source text as its start, its end and its content."""
    at, begin, end, parts = 0, 0, 0, []
    opening = re.compile(r'#*"' if is_swift else r"[\"'`]")
    read = literal if is_swift else script_literal
    while at < len(text):
        if text.startswith("//", at):
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
        elif text.startswith("/*", at):
            at = text.find("*/", at) + 2
        elif opening.match(text, at):
            content, after = read(text, at)
            if parts and text[end:at].strip() == "+":
                parts.append(content)
            else:
                if parts:
                    yield begin, end, "".join(parts)
                begin, parts = at, [content]
            at = end = after
        elif not is_swift and re.match(r"/(?![/*\s])(?:\\.|[^/\n\\])+/[gimsuy]*(?=[.,);\s])",
                                       text[at:at + 300]):
            at += re.match(r"/(?:\\.|[^/\n\\])+/[gimsuy]*", text[at:]).end()
        else:
            at += 1
    if parts:
        yield begin, end, "".join(parts)


class Page(html.parser.HTMLParser):
    """Collects the texts and the labels of a page with their lines."""

    def __init__(self):
        super().__init__()
        self.found, self.hidden = [], 0

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("script", "style")
        for name, value in attrs:
            if name in ("alt", "aria-label", "placeholder", "title") and value:
                self.found.append((self.getpos()[0], value))

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.hidden and WORDS.search(data):
            line = self.getpos()[0] + len(data[:len(data) - len(data.lstrip())].splitlines())
            self.found.append((line, " ".join(data.split())))


def is_message(content):
    """Returns whether a literal is text for people."""
    without = re.sub(r"\\\(.*?\)|\$\{.*?\}", "", content)
    return len(WORDS.findall(without)) > 1 and " " in content.strip() and not SQL.match(content)


def of(path):
    """Yields line and text of every message of a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        page = Page()
        page.feed(text)
        yield from page.found
        return
    for begin, _, content in messages(text, path.suffix == ".swift"):
        if is_message(content):
            yield text.count("\n", 0, begin) + 1, content


def main():
    for root in map(pathlib.Path, sys.argv[1:] or ROOTS):
        paths = [root] if root.is_file() else sorted(root.rglob("*"))
        for path in paths:
            if path.suffix in SUFFIXES and ".build" not in path.parts:
                for line, text in of(path):
                    print(f"{path}:{line}: {text}")


if __name__ == "__main__":
    main()
