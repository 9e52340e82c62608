// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Foundation
import SigningCore
import Testing

@testable import SigningCLI

@Suite("Help that is complete")
struct UsageTests {
    static let manual: String = {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try? String(
            contentsOf: root.appending(path: "Docs/man/countersign.1"), encoding: .utf8)
        return text ?? ""
    }()

    @Test("usage names every option and operand, and gives an example")
    func usage() {
        for command in CommandLineTool.commands {
            #expect(command.usage.hasPrefix("usage: countersign \(command.name)"))
            #expect(command.usage.contains("\nexample: countersign "), "\(command.name)")
            for option in command.options {
                let shown = option.value.map { "\(option.name) \($0)" } ?? option.name
                #expect(command.usage.contains(shown), "\(command.name): \(shown)")
            }
            for line in FittedHelp.text(command.usage).split(separator: "\n") {
                #expect(line.utf8.count <= 79, "\(command.name): \(line)")
            }
        }
    }

    @Test(
        "a wrong number of operands names the operand, and no hint is cut",
        arguments: [
            ("handle", [], "handle: missing SOURCE: a URL, a file, or - for standard input"),
            ("policy explain", [], "policy explain: missing SOURCE"),
            ("near send", ["bob.near"], "near send: missing AMOUNT"),
            ("key list", ["x"], "key list: unexpected argument \"x\""),
            ("audit show", [], "audit show: missing N|ID"),
            ("audit show", ["1", "2"], "audit show: unexpected argument \"2\""),
        ])
    func wrongOperands(_ name: String, _ given: [String], _ text: String) throws {
        let command = try #require(CommandLineTool.commands.first { $0.name == name })
        let error = command.wrongOperands(given)
        #expect(error.message.hasPrefix(text))
        let hint = try #require(error.hint)
        #expect(hint == "usage: \(command.synopsis)" || hint.hasSuffix("--help\""))
        #expect(hint.utf8.count <= 79)
    }

    @Test("a secret among the arguments is refused and not repeated")
    func secretArgument() throws {
        let command = try #require(CommandLineTool.commands.first { $0.name == "key import" })
        let error = command.wrongOperands(["nsec1secret", "words"])
        #expect(error.message.contains("a secret does not belong among the arguments"))
        #expect(error.hint?.contains("standard input") == true)
        #expect(!"\(error)".contains("nsec1"))
    }

    @Test("a second file is not called a secret")
    func secondFile() throws {
        let command = try #require(CommandLineTool.commands.first { $0.name == "key import" })
        let error = command.wrongOperands(["/", "/dev/null"])
        #expect(error.message == "key import: unexpected argument \"/dev/null\"")
    }

    @Test("every operand that a command needs has a name in its usage line")
    func operandNames() {
        for command in CommandLineTool.commands where command.operands.lowerBound > 0 {
            let message = command.wrongOperands([]).message
            #expect(message.contains(": missing "), "\(command.name): \(message)")
        }
    }

    @Test("the manual names every command and every option")
    func manualPage() {
        for command in CommandLineTool.commands {
            #expect(Self.manual.contains(".It Ic \(command.name)"), "\(command.name)")
            for option in command.options + Option.global {
                #expect(Self.manual.contains(option.name.dropFirst(2)), "\(option.name)")
            }
        }
    }

    @Test("the overview fits on one screen and has every topic once")
    func overview() {
        let topics = Topic.sections.flatMap(\.topics)
        let words = CommandLineTool.commands.filter { !$0.traits.contains(.isForPrograms) }
            .compactMap(\.words.first)
        #expect(topics.map(\.word).count == Set(topics.map(\.word)).count)
        #expect(Set(topics.map(\.word)) == Set(words))
        let lines = Help.overview.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 24)
        for line in lines { #expect(line.utf8.count <= 79, "\(line)") }
    }

    @Test("every command of a topic has its line")
    func topics() {
        for topic in Topic.sections.flatMap(\.topics) {
            let text = Help.text(about: topic)
            #expect(text.hasPrefix("countersign \(topic.word): \(topic.summary)\n"))
            #expect(!topic.commands.isEmpty, "\(topic.word)")
            for command in topic.commands {
                #expect(command.words.first == topic.word, "\(command.name)")
                #expect(text.contains("\n  \(command.name) "), "\(command.name)")
            }
            // The help of a command that is a topic by itself is its usage text.
            guard !topic.commands.contains(where: { $0.name == topic.word }) else { continue }
            for line in text.split(separator: "\n") { #expect(line.utf8.count <= 79, "\(line)") }
        }
    }

    @Test("every command and every topic has its texts, and no name is used twice")
    func texts() {
        let commands = CommandLineTool.commands
        #expect(Set(commands.map(\.name)).count == commands.count)
        for command in commands {
            #expect(command.summary.contains { $0 != " " }, "\(command.name)")
            let text = command.description.joined().joined(separator: " ")
            #expect(text.utf8.count > command.summary.utf8.count / 2, "\(command.name)")
        }
        for topic in Topic.sections.flatMap(\.topics) {
            #expect(topic.summary.contains { $0 != " " }, "\(topic.word)")
        }
    }

    @Test("the help of a topic that shares its line in the overview has a description")
    func neighbours() throws {
        for (word, summary) in [
            ("hub", "manage the machines that share the record"),
            ("nostr", "sign notes, events and logins, set up clients"),
        ] {
            let text = try #require(try Help.asked([word, "--help"], speaking: .builtIn))
            #expect(text.hasPrefix("countersign \(word): \(summary)\n"))
        }
    }

    @Test(
        "slips in the words of a command are recognised",
        arguments: [
            (["key", "lst"], "key list"), (["kye", "lst"], "key list"),
            (["polcy", "check"], "policy check"), (["list", "key"], "key list"),
            (["hadnle", "x.json"], "handle"), (["gratn", "revok", "5d"], "grant revoke"),
            (["keys"], "key"),
        ])
    func slips(words: [String], meant: String) {
        #expect(CommandLineTool.unknown(words).hint == "did you mean \"\(meant)\"?")
    }
}

@Suite("Words on the command line")
struct ArgumentTests {
    private func parse(_ words: [String]) throws -> Arguments {
        let options = [Option(name: "--name", value: "NAME"), Option(name: "--json", value: nil)]
        return try Arguments(words, options: options, of: "key new")
    }

    @Test("options may be anywhere, with or without an equals sign")
    func options() throws {
        let arguments = try parse(["a", "--name", "x", "--json", "b", "--", "--name"])
        #expect(arguments.operands == ["a", "b", "--name"])
        #expect(arguments.value("--name") == "x" && arguments.has("--json"))
        #expect(try parse(["--name=x=y"]).value("--name") == "x=y")
        #expect(try parse(["-"]).operands == ["-"])
    }

    @Test(
        "an unknown word is a usage error with a hint",
        arguments: [
            ["--nam", "x"], ["--name"], ["--json=1"], ["--name", "a", "--name", "b"], ["-j"],
            [String](repeating: "x", count: 513),
        ])
    func refused(words: [String]) {
        do {
            _ = try Arguments(
                words,
                options: [
                    Option(name: "--name", value: "NAME"), Option(name: "--json", value: nil),
                ], of: "key new")
            Issue.record("accepted \(words)")
        } catch {
            let error = CLIError(error)
            #expect(error.status == .usage && error.hint != nil)
        }
    }
}

@Suite("Where to read on")
struct HintTests {
    @Test("a missing option points to the help of its command")
    func missing() throws {
        let arguments = try Arguments([String](), options: [], of: "key new")
        do {
            _ = try arguments.required("--protocol")
            Issue.record("nothing was missing")
        } catch {
            #expect(CLIError(error).hint == "see \"countersign key new --help\"")
        }
    }
}

@Suite("Small helpers of the command")
struct HelperTests {
    @Test(
        "URLs and files are distinguished",
        arguments: [
            ("nostrsigner://x", true), ("nostrsigner:x", true), ("./a:b", false), ("C:x", false),
            ("file.json", false), ("-", false), ("1a:b", false), ("a+b.c-d:x", true),
        ])
    func sources(text: String, isURL: Bool) {
        #expect(Source.isURL(text) == isURL)
    }
}
