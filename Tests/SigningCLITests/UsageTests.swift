// SPDX-License-Identifier: Apache-2.0

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
            for line in command.usage.split(separator: "\n") {
                #expect(line.utf8.count <= 95, "\(command.name): \(line)")
            }
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

    @Test("the overview lists every command")
    func overview() {
        for command in CommandLineTool.commands {
            #expect(CommandLineTool.overview.contains("countersign \(command.name)"))
        }
    }
}

@Suite("Words on the command line")
struct ArgumentTests {
    private func parse(_ words: [String]) throws -> Arguments {
        let options = [Option(name: "--name", value: "NAME"), Option(name: "--json", value: nil)]
        return try Arguments(words, options: options)
    }

    @Test("options may stand anywhere, with or without an equals sign")
    func options() throws {
        let arguments = try parse(["a", "--name", "x", "--json", "b", "--", "--name"])
        #expect(arguments.operands == ["a", "b", "--name"])
        #expect(arguments.value("--name") == "x" && arguments.has("--json"))
        #expect(try parse(["--name=x=y"]).value("--name") == "x=y")
        #expect(try parse(["-"]).operands == ["-"])
    }

    @Test(
        "what is not understood is a usage error with a hint",
        arguments: [
            ["--nam", "x"], ["--name"], ["--json=1"], ["--name", "a", "--name", "b"], ["-j"],
            [String](repeating: "x", count: 513),
        ])
    func refused(words: [String]) {
        do throws(CLIError) {
            _ = try Arguments(
                words,
                options: [
                    Option(name: "--name", value: "NAME"), Option(name: "--json", value: nil),
                ])
            Issue.record("accepted \(words)")
        } catch {
            #expect(error.status == .usage && error.hint != nil)
        }
    }
}

@Suite("Small helpers of the command")
struct HelperTests {
    @Test(
        "URLs are told from files",
        arguments: [
            ("nostrsigner://x", true), ("nostrsigner:x", true), ("./a:b", false), ("C:x", false),
            ("file.json", false), ("-", false), ("1a:b", false), ("a+b.c-d:x", true),
        ])
    func sources(text: String, isURL: Bool) {
        #expect(Source.isURL(text) == isURL)
    }
}
