// SPDX-License-Identifier: Apache-2.0

/// The names of all tests in the tree, in the format of their runners.
enum TestNames {
    /// `Target.Suite/function`, `module.Class.test` and `Transcripts/NAME.md`.
    static let all: Set<String> = Set(
        Tree.files(under: ["Tests", "Clients/Tests"], suffix: ".swift").flatMap { swift($0) }
            + Tree.files(under: ["Tests/Interop"], suffix: "_peer.py").flatMap { python($0) }
            + Tree.files(under: ["Tests/CommandTests/Transcripts"], suffix: ".md").map {
                "Transcripts/" + ($0.path.split(separator: "/").last ?? "")
            })

    /// The functions with `@Test` in the top-level types of a file.
    static func swift(_ file: Tree.File) -> [String] {
        let target = file.path.split(separator: "/").drop { $0 != "Tests" }.dropFirst().first ?? ""
        var names: [String] = []
        var suite = ""
        var isTest = false
        for line in file.lines {
            let words = line.split(whereSeparator: { $0 == " " || $0 == ":" || $0 == "{" })
            if line.first != " ",
                let place = words.firstIndex(where: {
                    ["struct", "class", "enum", "extension", "actor"].contains($0)
                }), place + 1 < words.count
            {
                suite = String(words[place + 1])
            }
            if line.contains("@Test") { isTest = true }
            guard isTest, let start = line.firstRange(of: "func ")?.upperBound else { continue }
            let name = line[start...].prefix { $0 != "(" && $0 != "<" }
            names.append("\(target).\(suite)/\(name)")
            isTest = false
        }
        return names
    }

    /// The test methods of the `unittest` classes in a file.
    static func python(_ file: Tree.File) -> [String] {
        let module = file.path.split(separator: "/").last?.dropLast(3) ?? ""
        var names: [String] = []
        var type: Substring = ""
        for line in file.lines {
            if line.hasPrefix("class ") {
                type = line.dropFirst(6).prefix { $0 != "(" && $0 != ":" }
            }
            let rest = line.drop { $0 == " " }
            let definition = rest.hasPrefix("async ") ? rest.dropFirst(6) : rest
            guard definition.hasPrefix("def test_"), rest.startIndex != line.startIndex else {
                continue
            }
            names.append("\(module).\(type).\(definition.dropFirst(4).prefix { $0 != "(" })")
        }
        return names
    }
}
