#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the reference of the libraries for authors of apps and adapters, from their documentation comments.
# Result: .build/docs/<Module>/index.html
set -eu
cd "$(dirname "$0")/.."
if command -v dot > /dev/null; then
    dot -Tsvg Docs/architecture.dot -o Docs/architecture.svg
    python3 Tools/request_picture.py
    echo "drew Docs/architecture.svg and Docs/request.svg"
else
    echo "hint: to draw the picture again, install graphviz" >&2
fi
graphs=.build/symbol-graphs
rm -rf "$graphs" .build/docs
mkdir -p "$graphs" .build/docs
docc=$(command -v docc || echo "$(dirname "$(readlink -f "$(command -v swift)")")/docc")
for module in SigningCore SigningService SigningTesting SigningCodecs; do
    mkdir -p "$graphs/$module"
    swift build --scratch-path .build/docs-build --target "$module" \
        -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$PWD/$graphs/all"
    find "$graphs/all" -name "$module.symbols.json" -exec cp {} "$graphs/$module/" \;
    "$docc" convert --additional-symbol-graph-dir "$graphs/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "countersign.$module" \
        --output-path ".build/docs/$module" --transform-for-static-hosting
    echo "made .build/docs/$module"
done
