// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import BuiltInProtocols
import SigningCodecs
import SigningService
import Testing

@testable import SigningCLI

@Suite("Settings of Algorand clients") struct AlgorandClientTests {
    @Test("a written file is read again")
    func roundTrip() {
        for settings in [
            ARC27ClientSettings(),
            ARC27ClientSettings(stxns: .signature, messages: .raw, accounts: ["one", "two"]),
            ARC27ClientSettings(accounts: []),
        ] {
            #expect(ARC27ClientSettings(settings.json) == settings)
        }
    }

    @Test("an unreadable setting never opens more: accounts are none, messages need MX")
    func damaged() {
        #expect(ARC27ClientSettings(["accounts": "one"]).accounts == [])
        #expect(ARC27ClientSettings(["accounts": ["one", 2]]).accounts == ["one"])
        #expect(ARC27ClientSettings(["messages": "loud", "stxns": 1]) == ARC27ClientSettings())
        #expect(ARC27ClientSettings(.null).accounts == nil)
    }
}
