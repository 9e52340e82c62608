// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCodecs
import SigningDigests
import Testing

@testable import Socket

@Suite("The process that calls", .timeLimit(.minutes(10)))
struct PeerProcessTests {
    /// Another process that waits, with its process id.
    private final class Other {
        let process = Process()
        private let input = Pipe()

        init(_ program: String, _ words: [String] = []) throws {
            process.executableURL = URL(filePath: program)
            process.arguments = words
            process.standardInput = input
            try process.run()
            // Waits until the process runs the program.
            let path = real(program)
            while PeerProcess.program(of: process.processIdentifier) != path {
                try #require(process.isRunning)
                usleep(1_000)
            }
        }

        var facts: PeerProcess { PeerProcess(process.processIdentifier, at: -1) }

        func end() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    @Test("its file is hashed, and its parent programs are reported, the nearest first")
    func described() throws {
        let other = try Other("/bin/cat")
        let facts = other.facts
        #expect(facts.executable == real("/bin/cat"))
        let file = try Data(contentsOf: URL(filePath: "/bin/cat"))
        #expect(facts.executableHash == Digest.sha256(Array(file).span))
        #expect(facts.executableHash == other.facts.executableHash)
        let own = PeerProcess.program(of: getpid())
        #expect(facts.parents?.first == own && own != nil)
        #expect((facts.parents?.count ?? 99) <= PeerProcess.parentsMax)
        other.end()
    }

    @Test("an ended process has no more facts, and a missing one has none")
    func ended() throws {
        let other = try Other("/bin/cat")
        let facts = other.facts
        other.end()
        #expect(facts.executable == real("/bin/cat"))
        #expect(facts.executableHash == nil && facts.parents == nil)
        let gone = other.facts
        #expect(gone.executable == nil && gone.unit == nil)
        #expect(gone.executableHash == nil && gone.parents == nil)
    }

    @Test("a program that replaced itself is not hashed as either program")
    func swapped() throws {
        let other = try Other("/bin/sh", ["-c", "read line; exec cat"])
        let facts = other.facts
        #expect(facts.executable == real("/bin/sh"))
        other.process.standardInput.flatMap { $0 as? Pipe }?.fileHandleForWriting
            .write(Data("\n".utf8))
        let number = other.process.processIdentifier
        let cat = real("/bin/cat")
        while PeerProcess.program(of: number) != cat {
            try #require(other.process.isRunning)
            usleep(1_000)
        }
        #expect(facts.executableHash == nil)
        other.end()
    }

    @Test("the name that a process chooses may hold anything, also what joins its parenthesis")
    func line() throws {
        let rest = " S 5 6 7 8 9 0 0 0 0 0 0 0 0 0 20 0 1 0 500 0 0\n"
        let names = [
            "a b", "x) R 1 2 3 4 5 (", ")", "(", "", "x) R 9 \u{0600}", "\u{0301}(\u{0301}",
            "\u{FFFD}",
        ]
        for name in names {
            let line = try #require(ProcessLine("4 (\(name))" + rest))
            #expect([line.number, line.parent, line.group, line.session] == [4, 5, 6, 7])
            #expect(line.terminal == 8 && line.foreground == 9)
            #expect(line.state == "S" && line.start == "500")
        }
        for broken in ["", "7", "7 (x)", "7 )x(" + rest, "x (x)" + rest, "(x)" + rest] {
            #expect(ProcessLine(broken) == nil)
        }
    }
}

/// The path without symbolic links.
private func real(_ path: String) -> String {
    URL(filePath: path).resolvingSymlinksInPath().path
}
