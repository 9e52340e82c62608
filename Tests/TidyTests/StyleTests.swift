// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("House style")
struct StyleTests {
    static let fileLinesMax = 400
    static let functionLinesMax = 60
    static let lineColumnsMax = 100

    @Test("files are short, ASCII, and say their licence", arguments: Tree.swift)
    func shape(file: Tree.File) {
        #expect(
            file.lines.count <= Self.fileLinesMax + 1, "\(file.path): \(file.lines.count) lines")
        let licence = file.lines.prefix(2).contains {
            $0.hasPrefix("// SPDX-License-Identifier: Apache-2.0")
        }
        #expect(licence, "\(file.path) names no licence")
        for (number, line) in file.lines.enumerated() {
            #expect(
                line.utf8.count <= Self.lineColumnsMax, "\(file.path):\(number + 1) is too long")
            #expect(line.utf8.allSatisfy { $0 < 0x80 }, "\(file.path):\(number + 1) is not ASCII")
        }
    }

    @Test("functions can be seen at once", arguments: Tree.swift)
    func functions(file: Tree.File) {
        for (name, count) in Self.functionLengths(in: file) {
            #expect(count <= Self.functionLinesMax, "\(file.path): \(name) has \(count) lines")
        }
    }

    @Test("half the files have at most 130 lines")
    func median() {
        let counts = Tree.product.map(\.lines.count).sorted()
        #expect(counts[counts.count / 2] <= 130)
    }

    @Test("banned tokens are not in the product", arguments: Tree.product)
    func banned(file: Tree.File) {
        guard !file.isExample else { return }
        let banned = [
            "try!", "as!", "fatalError(", "TODO", "FIXME", "XXX", "HACK", "nonisolated(unsafe)",
            "Task.detached", "debugPrint(", " print(", "import Foundation", "Error.wrapping",
        ]
        // Only apps link the errors' words for Foundation.
        let allowed = file.target == "Sources/SigningErrors" ? ["import Foundation"] : []
        for token in banned where !allowed.contains(token) {
            #expect(!file.text.contains(token), "\(file.path) holds \"\(token)\"")
        }
    }

    @Test("text between quotation marks is quoted by one function", arguments: Tree.product)
    func quoted(file: Tree.File) {
        for name in ["escaped", "listed"] {
            #expect(!file.text.contains("\\\"\\(VisibleText.\(name)("), "\(file.path)")
        }
    }

    /// Tools of packages read the notes (Docs/Releasing.md).
    @Test("a library that is loaded at run time has its note", arguments: Tree.scripts)
    func loaded(file: Tree.File) {
        guard file.path.hasPrefix("Sources/"), file.text.contains(" dlopen(") else { return }
        #expect(file.text.contains(" dlopen(SONAME,"), "\(file.path)")
        #expect(file.text.contains("DLOPEN_NOTE(SONAME,"), "\(file.path) has no note")
    }

    @Test("unchecked sendability says why it is safe", arguments: Tree.product)
    func unchecked(file: Tree.File) {
        guard file.text.contains("@unchecked Sendable") else { return }
        #expect(file.text.contains("SAFETY:"), "\(file.path) gives no reason")
    }

    static func functionLengths(in file: Tree.File) -> [(String, Int)] {
        var found: [(String, Int)] = []
        var open: (name: String, indent: Int, start: Int)?
        for (number, line) in file.lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let rest = line.dropFirst(indent)
            if let current = open, indent == current.indent, rest.hasPrefix("}") {
                found.append((current.name, number - current.start + 1))
                open = nil
            } else if open == nil, isFunction(rest) {
                open = (String(rest.prefix(60)), indent, number)
                if rest.hasSuffix("}") { open = nil }
            }
        }
        return found
    }

    private static func isFunction(_ text: Substring) -> Bool {
        guard let keyword = text.firstRange(of: "func ") ?? text.firstRange(of: "init(") else {
            return text.hasPrefix("deinit")
        }
        let before = text[..<keyword.lowerBound]
        return !before.contains("//") && !before.contains("=") && !before.contains(".")
            && !before.contains("(")
    }
}
