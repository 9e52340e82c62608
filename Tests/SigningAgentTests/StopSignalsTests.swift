// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningFiles
import SigningHome
import SigningStorage
import Testing

@testable import SigningAgent

@Suite("How an agent is found and ended", .timeLimit(.minutes(10)))
struct StopSignalsTests {
    @Test("one that comes as soon as the body runs is not lost")
    func early() async {
        let isCancelled = await StopSignals.run { () -> Bool in
            kill(getpid(), SIGTERM)
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(10)) }
            return true
        }
        #expect(isCancelled)
    }

    @Test("a pipe in place of the lock file does not block a program that looks for an agent")
    func pipe() throws {
        let folder = "/tmp/countersign-seat-\(getpid())"
        try #require(unsafe mkdir(folder, 0o700) == 0)
        defer {
            unsafe unlink(Home.agentLockPath(in: folder))
            unsafe rmdir(folder)
        }
        try #require(unsafe mkfifo(Home.agentLockPath(in: folder), 0o600) == 0)
        #expect(try AgentPresence(in: folder) == .none)
    }
}
