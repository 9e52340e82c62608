// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningService
import SigningStorage
import SigningVault
import Testing

@Suite("Errors of a home in words")
struct ServiceErrorTests {
    private struct Strange: Error {}

    @Test("an error of any layer has its own words, and a service error stays as it is")
    func conversions() {
        let misuse = ServiceError("wrong", hint: "do it right", isCancelled: true)
        let cases: [(any Error, ServiceError)] = [
            (misuse, misuse),
            (VaultError.wrongPassphrase, VaultError.wrongPassphrase.explained),
            (LedgerError.frozen, LedgerError.frozen.explained),
            (
                AccountError("no such account", hint: "h"),
                ServiceError("no such account", hint: "h")
            ),
        ]
        for (error, words) in cases { #expect(ServiceError(error) == words) }
        #expect(VaultError.wrongPassphrase.explained.hint != LedgerError.frozen.explained.hint)
    }

    @Test("an error without words is named, with a hint")
    func unexpected() {
        let error = ServiceError(Strange())
        #expect(error.message == "unexpected error: Strange()" && error.hint != nil)
    }
}
