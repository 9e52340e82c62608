// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import SigningAgent

@Suite("Signals that end an agent", .timeLimit(.minutes(1)))
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
}
