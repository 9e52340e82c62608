// SPDX-License-Identifier: Apache-2.0
package import SigningCodecs
import SigningCore
package import SigningPolicy

/// The findings about a policy file in the formats of other tools.
package struct CheckReport {
    private let path: String
    private let diagnostics: [Diagnostic]

    /// `path` is the file's path as the user gave it.
    package init(_ diagnostics: [Diagnostic], path: String) {
        self.diagnostics = diagnostics
        self.path = path
    }

    /// A log in SARIF 2.1.0 with one run.
    package var sarif: JSON {
        let codes = Set(diagnostics.map(\.code)).sorted()
        let driver: JSON = [
            "name": "countersign", "rules": .array(codes.map { ["id": .string($0)] }),
        ]
        return [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
            "runs": [
                [
                    "tool": ["driver": driver], "columnKind": "unicodeCodePoints",
                    "results": .array(diagnostics.map(result)),
                ]
            ],
        ]
    }

    private func result(_ diagnostic: Diagnostic) -> JSON {
        let region: JSON = [
            "startLine": .integer(Int64(diagnostic.line)),
            "startColumn": .integer(Int64(diagnostic.column)),
        ]
        let place: JSON = ["artifactLocation": ["uri": .string(uri)], "region": region]
        return [
            "ruleId": .string(diagnostic.code), "level": .string(diagnostic.severity.rawValue),
            "message": ["text": .string(diagnostic.text)],
            "locations": [["physicalLocation": place]],
        ]
    }

    /// The path as a URI: absolute paths as a `file` URI, others relative.
    private var uri: String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let encoded = parts.map { PercentEncoding.encode(String($0)) }.joined(separator: "/")
        return path.hasPrefix("/") ? "file://" + encoded : encoded
    }

    /// One workflow command of GitHub Actions a line, each of which annotates the file.
    package var github: String {
        diagnostics.map { diagnostic in
            "::\(diagnostic.severity.rawValue) file=\(Self.property(path)),"
                + "line=\(diagnostic.line),col=\(diagnostic.column),"
                + "title=\(Self.property(diagnostic.code))::\(Self.data(diagnostic.text))"
        }.joined(separator: "\n")
    }

    /// A message of a workflow command: line ends would begin another command.
    private static func data(_ text: String) -> String { escaped(text, ["%", "\r", "\n"]) }

    /// A property of a workflow command, which ends with a comma or a colon.
    private static func property(_ text: String) -> String {
        escaped(text, ["%", "\r", "\n", ":", ","])
    }

    private static func escaped(_ text: String, _ special: Set<Unicode.Scalar>) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if special.contains(scalar) {
                escaped += "%" + Hex.encode([UInt8(scalar.value)].span).uppercased()
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Diagnostic {
    /// The finding without its place and code.
    fileprivate var text: String {
        message + (suggestion.map { "; did you mean \"\(VisibleText.quotable($0))\"?" } ?? "")
    }
}
