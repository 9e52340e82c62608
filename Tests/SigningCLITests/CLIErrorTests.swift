// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCore
import SigningService
import SigningStorage
import SigningVault
import Testing

@testable import SigningCLI

@Suite("Errors of all layers at the command line")
struct CLIErrorTests {
    @Test("an error of the command line keeps its status and its reply")
    func own() {
        var own = CLIError("denied", hint: nil, status: .denied)
        own.reply = [1]
        let error = CLIError(own as any Error)
        #expect(error.status == .denied && error.reply == [1] && error.message == "denied")
    }

    @Test("a wrong argument of a service is wrong usage; other errors are failures")
    func statuses() throws {
        let misuse = try #require(throws: ServiceError.self) { try NEARChain().network("nowhere") }
        #expect(CLIError(misuse).status == .usage)
        for error in [VaultError.locked, LedgerError.frozen, CancellationError()] as [any Error] {
            let shown = CLIError(error)
            #expect(shown.status == .failed && shown.hint != nil && shown.reply == nil)
        }
    }
}
