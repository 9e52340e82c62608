// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import SigningCLI

@Suite("A process that holds secrets")
struct HardeningTests {
    @Test("hands its memory to no handler of crashes and to no other program")
    func dumps() async {
        await #expect(processExitsWith: .success) {
            let before = ProcessHardening.allowsDumps
            ProcessHardening.apply()
            exit(before && !ProcessHardening.allowsDumps ? 0 : 1)
        }
    }
}
