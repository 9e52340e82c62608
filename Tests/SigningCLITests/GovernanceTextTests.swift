// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningService
import SigningStorage
import TestHome
import Testing

@testable import SigningCLI

@Suite("An owner's act, in words")
struct GovernanceTextTests {
    @Test("words are every key that was made from them, and another form is one key")
    func words() {
        let account = Account(
            id: KeyID("k"), name: "cheap", protocolID: ProtocolID("nostr"), algorithm: .bip340,
            publicKey: [UInt8](repeating: 1, count: 32), address: "a", network: nil)
        #expect(GovernanceText.export(of: account, as: "words").contains("EVERY key"))
        #expect(!GovernanceText.export(of: account, as: "nsec").contains("EVERY key"))
    }

    @Test("the newest freezes are listed, with the number of the others")
    func freezes() throws {
        let home = try TemporaryHome()
        let ledger = try home.makeLedger()
        let reason = String(repeating: "\u{202E}", count: 170)
        for second in 0..<60 {
            try ledger.freeze(reason, at: Timestamp(seconds: 1_000 + Int64(second)))
        }
        let text = Freeze.text(ofEnding: try ledger.freezes())
        #expect(text.utf8.count < JointQuestion.textBytesMax / 4)
        #expect(text.contains("and 40 times before"))
        #expect(!text.contains("\u{202E}"))
    }
}
