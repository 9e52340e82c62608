// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import SigningCore
import SigningCrypto

@testable import Nostr

/// A task for a key, as a wire passes it on.
struct NostrCall {
    static let now = Timestamp(seconds: 1_700_000_100)

    var secret = NostrKeys.aliceSecret
    var limits = NostrLimits()
    /// The notes of earlier requests.
    var notes: [Note] = []

    var account: Account { get throws { try NostrKeys.accounts([secret])[0] } }

    var context: DecodingContext {
        get throws {
            DecodingContext(
                accounts: [try account], peer: Peer(channel: "test"), now: Self.now, freshID: [],
                wasSeen: { _ in nil },
                noted: { [notes] name, subject in
                    notes.last { $0.name == name && $0.subject == subject }
                })
        }
    }

    func task(
        _ method: NostrMethod, _ payload: String = "", peer: String? = NostrKeys.bobHex
    ) throws -> NostrTask {
        try NostrTask(
            method, payload: payload, peer: peer, now: Self.now, limits: limits,
            verify: { holds($0) })
    }

    func use(_ method: NostrMethod, _ payload: String = "") throws -> NostrUse {
        NostrUse(try task(method, payload), by: try account, in: try context)
    }

    /// An event to sign.
    func use(_ event: String) throws -> NostrUse { try use(.signEvent, event) }

    /// The event with its signature.
    func signed(_ event: String) throws -> String? {
        let use = try use(event)
        guard case .sign(let input) = use.operation.operation else { return nil }
        let message = try DomainRegistry([NostrEvent.domain]).message(for: input, by: use.account)
        let signature = try NostrKeys.key(secret).sign(message.span)
        return use.signedEvent(.signature(signature, message: message))
    }
}

extension NostrUse {
    /// The summary of a request from an unknown client.
    var shown: Summary { summary(about: [], dangers: []) }
}
