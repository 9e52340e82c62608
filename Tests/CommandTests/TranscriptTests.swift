// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The command, as people use it")
struct TranscriptTests {
    static let own = names(in: "Tests/CommandTests/Transcripts")
    /// Every page with commands; the tests run them and compare the output.
    static let pages =
        ["README.md", "SECURITY.md"] + names(in: "Docs") + names(in: "Docs/Start")
        + ["Plugins", "Examples"].flatMap { folder in
            folders(in: folder).map { "\(folder)/\($0)/README.md" }
        }

    /// The subfolders that have a manual.
    static func folders(in folder: String) -> [String] {
        let place = Scratch.root.appending(path: folder)
        let found = try? FileManager.default.contentsOfDirectory(atPath: place.path)
        return (found ?? []).sorted().filter {
            let readme = place.appending(path: "\($0)/README.md")
            return FileManager.default.fileExists(atPath: readme.path)
        }
    }

    static func names(in folder: String) -> [String] {
        let found = try? FileManager.default.contentsOfDirectory(
            atPath: Scratch.root.appending(path: folder).path)
        return (found ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }

    @Test(
        "the binaries under test are there",
        arguments: [Scratch.binary, Scratch.doors, Scratch.oneAdapter])
    func binary(url: URL) {
        #expect(
            FileManager.default.isExecutableFile(atPath: url.path),
            "build it first: make build examples")
    }

    @Test("transcripts hold", arguments: own)
    func transcript(path: String) async throws { try await check(path, mustHaveSteps: true) }

    @Test("the commands in the documentation do what it shows", arguments: pages)
    func page(path: String) async throws { try await check(path, mustHaveSteps: false) }

    @Test("the program that Docs/Start/Swift.md shows is the example that is built")
    func shownProgram() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: Scratch.root.appending(path: path), encoding: .utf8)
        }
        let page = try text("Docs/Start/Swift.md")
        let example = "Examples/OneAdapter"
        let program = try text("\(example)/Sources/OneAdapter/Main.swift")
        #expect(page.contains("```swift\n\(program)```"))
        // The page's package lies beside this one, and the example inside of it.
        let manifest = try text("\(example)/Package.swift")
            .replacing("path: \"../..\"", with: "path: \"../countersign\"")
        #expect(page.contains("```swift\n\(manifest)```"))
    }

    /// Transcripts that sign.
    ///
    /// Each runs without a question, because an agent would wait for a person. Each leaves the
    /// files of the record in place, because the agent may have them open.
    private static let signing = [
        "algorand-sessions", "algorand-shell", "desktop", "guarded", "json", "near-links",
        "near-messages", "near-node", "near-shell", "nostr-keys",
    ]

    @Test("transcripts hold where commands find an agent as well", arguments: signing)
    func withAgent(name: String) async throws {
        let path = "Tests/CommandTests/Transcripts/\(name).md"
        try await check(path, mustHaveSteps: true, withAgent: true)
    }

    /// True if the environment names this page or no pages at all; `make quick` names some.
    private static func isWanted(_ path: String) throws -> Bool {
        let pages = ProcessInfo.processInfo.environment["COUNTERSIGN_PAGES"]
        return try pages.map { path.contains(try Regex($0)) } ?? true
    }

    private func check(
        _ path: String, mustHaveSteps: Bool, withAgent hasAgent: Bool = false
    ) async throws {
        guard try Self.isWanted(path) else { return }
        let text = try String(contentsOf: Scratch.root.appending(path: path), encoding: .utf8)
        let transcript = Transcript(name: path, markdown: text)
        #expect(!mustHaveSteps || !transcript.steps.isEmpty, "\(path) shows nothing")
        let scratch = try Scratch(withAgent: hasAgent)
        for step in transcript.steps {
            let printed = try await scratch.run(step.command)
            #expect(
                Transcript.matches(step.expected, printed),
                "\(path):\(step.line): \(step.command)\n\(printed.joined(separator: "\n"))"
            )
        }
        #expect(scratch.hadAgent == hasAgent)
    }

    @Test("the demonstration runs to its end, every reply checked by code that did not make it")
    func demonstration() async throws {
        let script = Scratch.root.appending(path: "Examples/demo.sh").path
        let printed = try await Scratch().run("sh '\(script)' '\(Scratch.binary.path)'")
        #expect(printed.last?.hasPrefix("audit verify: ok") == true, "\(printed.suffix(5))")
        #expect(printed.count { $0 == "independent check: ok" } == 7)
    }

    @Test("the matcher itself can fail")
    func matcher() {
        #expect(Transcript.matches(["a...c", "..."], ["abc", "x", "y"]))
        #expect(Transcript.matches([], []))
        #expect(!Transcript.matches(["a...c"], ["abd"]))
        #expect(!Transcript.matches(["a"], ["a", "b"]))
        #expect(!Transcript.matches([], ["b"]))
        #expect(!Transcript.matches(["...", "z"], ["a", "b"]))
    }
}
