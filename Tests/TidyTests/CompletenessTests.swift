// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Nothing is missing")
struct CompletenessTests {
    static let plugins = Tree.folders(in: "Plugins").filter { $0 != "AllAdapters" }
    static let chains = Tree.folders(in: "Sources/Chains")

    @Test("every plugin has its manual, its files and a test", arguments: plugins)
    func plugin(name: String) throws {
        let readme = try #require(Tree.read("Plugins/\(name)/README.md"), "no README.md")
        #expect(readme.lines.count > 20, "the README of \(name) says little")
        for part in ["Adapter", "Request", "Wire"] {
            let path = "Plugins/\(name)/\(name)\(part).swift"
            #expect(Tree.read(path) != nil, "\(path) is missing")
        }
        #expect(Tree.swift.contains { $0.path.hasPrefix("Tests/\(name)Tests/") })
    }

    @Test("every chain has its line in their manual", arguments: chains)
    func chain(name: String) throws {
        let readme = try #require(Tree.read("Sources/Chains/README.md"), "no README.md")
        #expect(readme.lines.contains { $0.hasPrefix("| `\(name)` |") }, "no line for \(name)")
    }

    @Test("one list names every wire of the build")
    func listed() throws {
        let list = try #require(Tree.read("Plugins/AllAdapters/AdapterSet.swift")).text
        for name in Self.plugins where name != "Template" {
            #expect(list.contains("\(name)Adapter("), "\(name) is not in AllAdapters")
        }
        for name in Self.chains {
            #expect(list.contains("        \(name)Chain(),"), "\(name) is not in AllChains")
        }
    }

    @Test("every vector folder names its sources", arguments: Tree.folders(in: "Tests/Vectors"))
    func vectors(folder: String) throws {
        let sources = try #require(Tree.read("Tests/Vectors/\(folder)/SOURCES.md")).text
        let names = Tree.files(under: ["Tests/Vectors/\(folder)"], suffix: "").map(\.path)
        for name in names where !name.hasSuffix("SOURCES.md") {
            let file = name.split(separator: "/").last.map(String.init) ?? name
            let stem = file.split(separator: ".").first.map(String.init) ?? file
            #expect(sources.contains(stem), "\(file) has no source")
        }
    }

    /// `Template` is an example, for which no vectors are published.
    @Test(
        "every plugin is tested against vectors",
        arguments: plugins.filter { $0 != "Template" })
    func vectorFolder(plugin: String) {
        let tests = Tree.swift.filter { $0.path.hasPrefix("Tests/\(plugin)Tests/") }
        #expect(
            Self.vectorFiles.contains { Self.isRead($0, by: tests) },
            "\(plugin) reads no file of Tests/Vectors")
    }

    private static let vectorFiles = Tree.files(under: ["Tests/Vectors"], suffix: "").map(\.path)
        .filter { !$0.hasSuffix("/SOURCES.md") }

    /// True if a test names a file, as a whole string or at the end of a path.
    private static func isRead(_ path: String, by tests: [Tree.File]) -> Bool {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let literals = ["\"\(name)\"", "/\(name)\""]
        return tests.contains { file in literals.contains { file.text.contains($0) } }
    }

    @Test("every vector file is read by a test")
    func vectorsUsed() {
        #expect(!Self.vectorFiles.isEmpty)
        let tests = Tree.swift.filter(\.isTest)
        for path in Self.vectorFiles {
            #expect(Self.isRead(path, by: tests), "\(path) is read by no test")
        }
    }

    /// CommandTests run `countersign`, and SigningTesting is a library for tests.
    @Test("every target has its tests")
    func mirrored() {
        let sources = Tree.folders(in: "Sources").filter {
            !["System", "SigningTesting", "countersign"].contains($0)
                && !Tree.groups.contains("Sources/\($0)")
        }
        #expect(sources.count >= 6)
        let grouped = Tree.groups.flatMap { Tree.folders(in: $0) }
        for target in sources + grouped + Tree.folders(in: "Plugins") {
            let prefix = "Tests/\(target)Tests/"
            #expect(
                Tree.swift.contains { $0.path.hasPrefix(prefix) && $0.text.contains("@Test") },
                "\(target) has no tests in \(prefix)")
        }
    }

    @Test("every client has its tests, an example and a part of their manual")
    func clients() throws {
        let manual = try #require(Tree.read("Clients/README.md"), "no README.md")
        let examples = Tree.folders(in: "Clients/Examples").filter { $0.hasPrefix("ask-") }
        let clients = Tree.folders(in: "Clients/Sources")
        #expect(examples.count == clients.count)
        let made = try #require(Tree.read("Makefile")).text
        let run = try #require(made.firstMatch(of: /for example in ([a-z0-9 ]+);/)).1
        #expect(Set(run.split(separator: " ").map { "ask-\($0)" }) == Set(examples))
        for client in clients {
            #expect(manual.lines.contains { $0.hasPrefix("| `\(client)` |") }, "\(client)")
            let prefix = "Clients/Tests/\(client)Tests/"
            #expect(Tree.swift.contains { $0.path.hasPrefix(prefix) && $0.text.contains("@Test") })
            #expect(
                Tree.swift.contains { $0.isExample && LayerTests.imports(of: $0).contains(client) })
        }
    }

    @Test("the manual of the clients shows lines of their examples")
    func shown() throws {
        let manual = try #require(Tree.read("Clients/README.md")).text
        let examples = Tree.swift.filter { $0.path.hasPrefix("Clients/Examples/") }
        let blocks = manual.split(separator: "```swift\n").dropFirst()
        #expect(blocks.count == Tree.folders(in: "Clients/Sources").count)
        for block in blocks {
            let lines = block.prefix { $0 != "`" }.split(separator: "\n").map { "        \($0)\n" }
            #expect(lines.count > 6)
            #expect(examples.contains { $0.text.contains(lines.joined()) }, "\(block)")
        }
    }

    /// The files of the ledger that reserve: the transaction that checks policy, limits, replay,
    /// grants, serial numbers and freeze, and writes the intent.
    private static let reservation =
        [
            "Appending", "CommitQueue", "LedgerClock", "LedgerFreeze", "LedgerGrants",
            "LedgerLimits", "LedgerSerials", "Reservation", "RunningTotal",
        ].map { "Sources/SigningStorage/Ledger/\($0).swift" } + [
            "Sources/SigningStorage/Index/Index.swift",
            "Sources/SigningStorage/Index/IntentRows.swift",
            "Sources/SigningFiles/SQLite/Access.swift",
            "Sources/SigningFiles/Forms/RecordLimits.swift",
        ]

    @Test("the code that guards the keys does not grow")
    func size() {
        let guarded =
            [
                "Sources/SigningCore/", "Sources/SigningPolicy/", "Sources/SigningCrypto/",
                "Sources/SigningDigests/", "Sources/SigningVault/",
            ] + Self.reservation
        #expect(Self.reservation.allSatisfy { name in Tree.product.contains { $0.path == name } })
        let lines = Tree.product.filter { file in guarded.contains { file.path.hasPrefix($0) } }
            .filter { !$0.path.contains("EnglishWordList") }
            .reduce(0) { sum, file in
                sum
                    + file.lines.count {
                        !$0.isEmpty && !$0.drop(while: { $0 == " " }).hasPrefix("//")
                    }
            }
        // This bound rises only with a reason in Docs/Design/Building.md. SECURITY.md names it.
        let bound = 18_895
        #expect(lines <= bound, "\(lines) lines of code")
        #expect(Tree.read("SECURITY.md")?.text.contains("at most 18,895 lines") == true)
    }
}
