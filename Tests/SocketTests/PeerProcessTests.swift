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

    @Test("the second field of stat may hold anything")
    func stat() {
        #expect(PeerProcess.parent(in: "7 (a b) S 5 7 7 0") == 5)
        #expect(PeerProcess.parent(in: "7 (x) S 9 ) R 5 7 7 0") == 5)
        #expect(PeerProcess.parent(in: "7 (x)") == nil && PeerProcess.parent(in: "") == nil)
    }
}

/// The path without symbolic links.
private func real(_ path: String) -> String {
    URL(filePath: path).resolvingSymlinksInPath().path
}
