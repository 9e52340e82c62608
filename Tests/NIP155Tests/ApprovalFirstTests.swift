// SPDX-License-Identifier: Apache-2.0

import NIP155
import NIP155Rig
import NostrSamples
import SigningCodecs
import SigningCore
import SigningTesting
import TestHome
import Testing

@Suite("No key is used before a person said yes")
struct ApprovalFirstTests {
    private static let requests: [(String, String)] = [
        ("get_public_key", ""),
        ("sign_event", "event=%7B%22kind%22%3A1%2C%22content%22%3A%22%22%7D"),
        ("nip04_encrypt", "plaintext=x&pubkey=\(NostrKeys.bobHex)"),
        (
            "nip04_decrypt",
            "encryptedText=AAAAAAAAAAAAAAAAAAAAAA%3D%3D%3Fiv%3DAAAAAAAAAAAAAAAAAAAAAA%3D%3D"
                + "&pubkey=\(NostrKeys.bobHex)"
        ),
        ("nip44_encrypt", "plaintext=x&pubkey=\(NostrKeys.bobHex)"),
        (
            "nip44_decrypt",
            "encryptedText=Ag\(String(repeating: "A", count: 130))&pubkey=\(NostrKeys.bobHex)"
        ),
        ("decrypt_zap_event", ""),
    ]

    private static func url(_ index: Int) throws -> String {
        let (method, query) = requests[index]
        var rest = query
        if method == "decrypt_zap_event" {
            let zap = try #require(try Vectors.json("nip57.private-zap.json")["profile_zap"])
            let event = String(
                decoding: try #require(zap["zap_request"]).write(), as: UTF8.self)
            rest = "event=\(PercentEncoding.encode(event))"
        }
        return "nostrsigner://\(method)?type=\(method)&x-success=myapp://ok&x-error=myapp://no&"
            + rest
    }

    private func answer(
        _ index: Int, _ policy: FixedPolicy.Answer, _ approval: any Approval, _ rig: TestRig
    ) async throws -> Answer {
        await rig.hub(policy, approval: approval)
            .answer(Frame(Array(try Self.url(index).utf8)), with: Rig().adapter)
    }

    private func rig() throws -> TestRig {
        TestRig(try Rig().accounts, domains: Rig().adapter.domains)
    }

    @Test("denied, unasked, refused or late: the key store is not touched", arguments: 0..<7)
    func untouched(index: Int) async throws {
        let rig = try rig()
        let refusing: [(FixedPolicy.Answer, any Approval)] = [
            (.deny, FixedApproval(.approve)), (.ask, NoApproval()),
            (.ask, FixedApproval(.deny)), (.ask, FixedApproval(.approveSomethingElse)),
            (.askByDefault, FixedApproval(.unavailable)), (.breakDown, FixedApproval(.approve)),
        ]
        for (policy, approval) in refusing {
            let answer = try await answer(index, policy, approval, rig)
            if case .outcome(.done) = answer.ending { Issue.record("\(policy) was answered") }
        }
        rig.ledger.breakReserving()
        _ = try await answer(index, .ask, FixedApproval(.approve), rig)
        #expect(rig.keys.usesCount == 0)
    }

    @Test("the control: with a yes it is used once", arguments: 0..<7)
    func used(index: Int) async throws {
        let rig = try rig()
        _ = try await answer(index, .ask, FixedApproval(.approve), rig)
        #expect(rig.keys.usesCount == 1)
    }
}
