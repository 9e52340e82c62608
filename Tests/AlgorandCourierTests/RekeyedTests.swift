// SPDX-License-Identifier: Apache-2.0

import Algorand
import AlgorandCourier
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import SigningVault
import Synchronization
import TestHome
import Testing

/// Runs an action, then says yes.
private final class YesAfter: Approval {
    private let acts: Mutex<[@Sendable () -> Void]>
    private let shown = Mutex<[ApprovalQuestion]>([])
    var questions: [ApprovalQuestion] { shown.withLock { $0 } }

    init(_ acts: @Sendable () -> Void...) { self.acts = Mutex(acts) }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        shown.withLock { $0.append(question) }
        let act = acts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        act?()
        return .approved(question.binding, remembering: nil)
    }
}

@Suite("Accounts that are rekeyed, and a node that says so")
struct RekeyedTests {
    private static let account = "AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMQ"
    private let home: TestHome
    private let chain: FakeAlgod
    private let other: String

    init() throws {
        home = try TestHome.ofAlgorand()
        chain = try FakeAlgod()
        let seed = [UInt8](1..<33)
        let key = try Ed25519Key(seed: SecretBytes(copying: seed.span)).publicKey
        other = AlgorandAddress.text(publicKey: key.span)
        _ = try home.vault.add(
            name: "b", protocolID: ProtocolID("algorand"), algorithm: .ed25519, address: other,
            network: nil, secret: SecretBytes(copying: seed.span))
    }

    /// The transaction of a vector, to be signed only.
    private var frame: Frame {
        Conversations.frame([
            "id": "1", "reference": "arc0027:sign_transactions:request",
            "params": ["txns": .array(Conversations.list("sign-and-post-ok"))],
        ])
    }

    private func answer(_ approval: any Approval) async -> JSON {
        let hub = home.hub(FixedPolicy(.ask), approval: approval)
        return json(await PostingChannel(hub: hub, courier: chain.courier).answer(frame))
    }

    /// The address that signed, from `sgnr`.
    private func signer(_ answer: JSON) throws -> String? {
        let text = try #require(answer["result"]?["stxns"]?.list?.first?.text)
        let bytes = try Base64.decode(text)
        let signed = try SignedTransaction(canonical: bytes.span)
        return signed.signer.map { AlgorandAddress.text(publicKey: $0.span) }
    }

    @Test("the key that the node names signs, and is asked about again once a person said yes")
    func named() async throws {
        chain.rekey(Self.account, to: other)
        let approval = YesAfter()
        #expect(try signer(await answer(approval)) == other)
        #expect(approval.questions.count == 1)
        #expect(approval.questions[0].dangers.contains(.rekeyedAccount))
        #expect(chain.asked.filter { $0.hasPrefix("GET /v2/accounts/") }.count == 2)
    }

    @Test("an account that is rekeyed while a person is asked is asked about once more")
    func meanwhile() async throws {
        let approval = YesAfter({ [chain, other] in chain.rekey(Self.account, to: other) })
        #expect(try signer(await answer(approval)) == other)
        #expect(approval.questions.map { $0.dangers.contains(.rekeyedAccount) } == [false, true])
        // A node that names another signer each time receives no signature.
        let again = YesAfter(
            { [chain] in chain.rekey(Self.account, to: nil) },
            { [chain, other] in chain.rekey(Self.account, to: other) })
        let reply = await answer(again)
        #expect(reply["result"] == nil && reply["error"]?["code"] == 4001)
    }

    @Test("a node that fails while a person is asked is reported before anything is signed")
    func away() async throws {
        let approval = YesAfter({ [chain] in chain.forgetAccounts() })
        #expect(try signer(await answer(approval)) == nil)
        let dangers = approval.questions.map { $0.dangers.contains(.authorityUnknown) }
        #expect(dangers == [false, true])
    }
}
