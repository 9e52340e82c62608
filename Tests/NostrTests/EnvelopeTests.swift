// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Nostr

@Suite("Envelopes between clients and signers")
struct EnvelopeTests {
    private let key = try! Hex.decode(NostrKeys.aliceHex)

    private func claims(_ event: NostrEvent, by key: [UInt8]? = nil) -> Bool {
        RelayEnvelope.domain.isValid(
            event.preimage(publicKey: NostrKeys.aliceHex), key ?? self.key)
    }

    @Test("envelopes and logins are the only events that the key of a connection signs")
    func kinds() throws {
        let now = Timestamp(seconds: 1_700_000_000)
        #expect(claims(RelayEnvelope.envelope("x", to: NostrKeys.bobHex, at: now)))
        #expect(claims(RelayEnvelope.login(to: "wss://r.example", challenge: "c", at: now)))
        for kind: UInt16 in [0, 1, 4, 13, 1_059, 9_734, 22_241, 24_132, 27_235] {
            let event = NostrEvent(createdAt: 1, kind: EventKind(kind), tags: [], content: "")
            #expect(!claims(event), "\(kind)")
        }
        let envelope = RelayEnvelope.envelope("x", to: NostrKeys.bobHex, at: now)
        #expect(!claims(envelope, by: try Hex.decode(NostrKeys.bobHex)))
        #expect(!RelayEnvelope.domain.isValid(Array("[0,\"".utf8), key))
    }

    @Test("no user's key is asked for it: the chain does not have it")
    func unregistered() {
        #expect(!NostrChain.domains.contains { $0.id == RelayEnvelope.domain.id })
    }
}
