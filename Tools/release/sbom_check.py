#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates the bills of materials of a release, and that they name each pinned library.

usage: sbom_check.py FOLDER; needs the packages of requirements.txt.
"""
import glob
import json
import os
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document


def only(pattern):
    found = glob.glob(pattern)
    if len(found) != 1:
        sys.exit(f"error: {len(found)} files fit {pattern}, not one")
    return found[0]


def pinned():
    place = os.path.join(os.path.dirname(__file__), "static.txt")
    with open(place, encoding="utf-8") as lines:
        rows = [line.split() for line in lines]
    return {(row[1], row[2]) for row in rows if row[0] != "lgpl"}


def main():
    problems = []
    path = only(f"{sys.argv[1]}/*.spdx.json")
    document = parse_file(path)
    problems += [f"SPDX: {found.validation_message}"
                 for found in validate_full_spdx_document(document, "SPDX-2.3")]
    static = [r for r in document.relationships if r.relationship_type.name == "STATIC_LINK"]
    # The standard library of Swift is no line of the list.
    if len(static) != len(pinned()) + 1:
        problems.append(f"SPDX: {len(static)} static libraries, {len(pinned()) + 1} expected")
    path = only(f"{sys.argv[1]}/*.cdx.json")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if found:
        problems.append(f"CycloneDX: {found}")
    listed = {part.get("purl", "").replace("%2B", "+") for part in json.loads(text)["components"]}
    for name, version in sorted(pinned()):
        if f"pkg:deb/debian/{name}@{version}" not in listed:
            problems.append(f"CycloneDX: {name} {version} is not listed")
    if problems:
        sys.exit("\n".join(f"error: {problem}" for problem in problems))
    print(f"{len(static)} static libraries; SPDX 2.3 and CycloneDX 1.6 are valid")


main()
