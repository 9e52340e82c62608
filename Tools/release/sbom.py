#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the bill of materials of the universal program, as SPDX 2.3 and CycloneDX 1.6.

usage: sbom.py PROGRAM COMPONENTS NAME; writes NAME.spdx.json and NAME.cdx.json. COMPONENTS has a
line with name, version and licence for each library that is part of the program. The libraries
that it needs or loads are read from the program. The same input gives the same bytes.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone

SYSTEM = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
SPACE = uuid.UUID("7a6a4e54-6a0f-4c58-9a6c-0d6b3e0f9a11")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def linked(path):
    """The libraries inside the program."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            name, version, licence = line.rstrip("\n").split(" ", 2)
            upstream = re.sub(r"^lib(glib2\.0|sqlite3|.*)-dev$|^zlib1g-dev$", r"\1", name) or "zlib"
            yield {"name": upstream, "version": version, "licence": licence, "kind": "static",
                   "purl": f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}"}


def swift():
    """The standard library of the compiler, which is also inside."""
    text = run(os.environ.get("SWIFT", "swift"), "--version")
    version = re.search(r"Swift version ([0-9.]+)", text).group(1)
    return {"name": "swift-stdlib", "version": version, "licence": "Apache-2.0", "kind": "static",
            "purl": f"pkg:github/swiftlang/swift@swift-{version}-RELEASE"}


def outside(program):
    """The libraries of the system that the program needs, or loads when it first uses them."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", program))
    notes = run("readelf", "-p", ".note.dlopen", program)
    loaded = [name for found in re.findall(r'"soname":\[(.*?)\]', notes)
              for name in re.findall(r'"([^"]+)"', found)]
    for kind, names in (("dynamic", needed), ("loaded", loaded)):
        for name in sorted(set(names)):
            licence = "LGPL-2.1-or-later" if name in SYSTEM else "NOASSERTION"
            yield {"name": name, "version": "", "licence": licence, "kind": kind, "purl": ""}


def spdx(name, version, digest, moment, parts):
    relation = {"static": "STATIC_LINK", "dynamic": "DYNAMIC_LINK", "loaded": "OPTIONAL_DEPENDENCY_OF"}
    packages = [{
        "SPDXID": "SPDXRef-countersign", "name": "countersign", "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
    }]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-countersign"}]
    for part in parts:
        mark = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", part["name"])
        package = {"SPDXID": mark, "name": part["name"], "downloadLocation": "NOASSERTION",
                   "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
                   "licenseDeclared": part["licence"], "copyrightText": "NOASSERTION",
                   "primaryPackagePurpose": "LIBRARY"}
        if part["version"]:
            package["versionInfo"] = part["version"]
        if part["purl"]:
            package["externalRefs"] = [{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                "referenceLocator": part["purl"]}]
        packages.append(package)
        ends = ("SPDXRef-countersign", mark)
        if part["kind"] == "loaded":
            ends = ends[::-1]
        relations.append({"spdxElementId": ends[0], "relationshipType": relation[part["kind"]],
                          "relatedSpdxElement": ends[1]})
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": os.path.basename(name), "documentNamespace": f"urn:uuid:{uuid.uuid5(SPACE, digest)}",
            "creationInfo": {"created": moment, "creators": ["Tool: countersign-sbom"]},
            "packages": packages, "relationships": relations}


def cyclonedx(version, digest, moment, parts):
    components = []
    for part in parts:
        component = {"type": "library", "bom-ref": part["name"], "name": part["name"],
                     "scope": "optional" if part["kind"] == "loaded" else "required",
                     "properties": [{"name": "countersign:link", "value": part["kind"]}]}
        if part["version"]:
            component["version"] = part["version"]
        if part["licence"] != "NOASSERTION":
            component["licenses"] = [{"expression": part["licence"]}]
        if part["purl"]:
            component["purl"] = part["purl"]
        components.append(component)
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
            "serialNumber": f"urn:uuid:{uuid.uuid5(SPACE, digest)}",
            "metadata": {"timestamp": moment, "component": {
                "type": "application", "bom-ref": "countersign", "name": "countersign",
                "version": version, "licenses": [{"expression": "Apache-2.0"}],
                "hashes": [{"alg": "SHA-256", "content": digest}]}},
            "components": components,
            "dependencies": [{"ref": "countersign", "dependsOn": [p["name"] for p in parts]}]}


def main():
    program, components, name = sys.argv[1:]
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    version = run(program, "--version").split()[1]
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    moment = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    parts = sorted(linked(components), key=lambda part: part["name"]) + [swift()]
    parts += outside(program)
    for ending, content in (("spdx", spdx(name, version, digest, moment, parts)),
                            ("cdx", cyclonedx(version, digest, moment, parts))):
        with open(f"{name}.{ending}.json", "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
            file.write("\n")


main()
