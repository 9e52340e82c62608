// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningTesting
import TestHome

@testable import NEAR
@testable import NEP413

/// A hub with one NEAR account and grants, whose policy asks about everything.
final class AskedHub {
    private let signer: Signer
    private let rig: TestRig
    private var nonce: UInt64 = 100

    init(network: String? = "mainnet") throws {
        signer = try Signer(network: network)
        rig = TestRig(
            [signer.account], domains: adapter.domains,
            environment: FixedEnvironment(seconds: 1_800_000_000))
    }

    var account: Account { signer.account }
    /// The ledger with the intents and refusals.
    var ledger: MemoryLedger { rig.ledger }
    /// The number of times that a key was used.
    var usesCount: Int { rig.keys.usesCount }

    /// The outcome of a frame; with `remembering`, a person says yes for that time, otherwise no
    /// person is there.
    func ending(
        _ frame: [UInt8], _ answer: Grant.Answer = .yes, remembering: Remembering? = nil,
        client: String = "app",
        finding found: NEARLookup.Found? = nil, policy: FixedPolicy.Answer = .askByDefault
    ) async -> String {
        await ending(
            Frame(frame, from: client), answer, remembering: remembering, finding: found,
            policy: policy)
    }

    func ending(
        _ frame: Frame, _ answer: Grant.Answer = .yes, remembering: Remembering? = nil,
        finding found: NEARLookup.Found? = nil, policy: FixedPolicy.Answer = .askByDefault
    ) async -> String {
        let approval = FixedApproval(remembering.map { .remember(answer, $0) } ?? .unavailable)
        let hub = rig.hub(policy, approval: approval)
        guard let found else { return await hub.answer(frame, with: adapter).word }
        return await hub.answer(frame, with: adapter, by: Finder(found: found)).word
    }

    /// The answer if a rule asks a person.
    func answer(_ frame: [UInt8], asking approval: some Approval) async -> Answer {
        await rig.hub(.ask, approval: approval)
            .answer(Frame(frame, from: "app"), with: adapter)
    }

    /// A transaction of these actions with a fresh nonce.
    func transaction(_ actions: [NEARAction], to receiver: String = "app.near") -> [UInt8] {
        nonce += 1
        let bytes = NEARTransaction(
            signer: account.address, key: KeyText(curve: .ed25519, bytes: account.publicKey),
            nonce: nonce, receiver: receiver, blockHash: [UInt8](repeating: 1, count: 32),
            actions: actions
        ).preimage
        let frame: JSON = [
            "method": "signTransaction",
            "params": ["transaction": .string(Base64.encode(bytes.span))],
        ]
        return frame.write()
    }
}

/// A courier with the same lookup result for every call.
private struct Finder: Courier {
    let found: NEARLookup.Found

    var protocolID: ProtocolID { .near }

    func lookUp(
        _ need: NEARLookupNeed, in _: DecodingContext
    ) async throws(NEARLookupError) -> NEARLookup { NEARLookup(for: need, found: found) }

    func reaches(_: String) -> Bool { false }

    func send(_: Broadcast.Item, to _: String) async -> Broadcast.Result { .notSent("") }

    func resend(_: Broadcast.Item, to _: String) async -> Broadcast.Result { .unknown("") }
}

extension Remembering {
    /// A yes for an hour with an unreachable total, so that only other bounds matter.
    static let anyAmount = Remembering(
        .hour, totals: [Outflow(AssetNetwork("mainnet").near, .max)])
}
