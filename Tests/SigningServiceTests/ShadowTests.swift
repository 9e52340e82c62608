// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningFiles
import Testing

@testable import SigningService

@Suite("A shadow policy")
struct ShadowTests {
    private static let rules = """
        version = 2
        default = "deny"
        [[rule]]
        id = "notes"
        effect = "allow"
        protocol = "nostr"
        kind = 1
        acknowledge = ["new_client"]
        limit = [{ count = 3, per = "1h" }]
        """

    /// A home with `rules` in force, and a signer that is unlocked.
    private final class ShadowRig {
        let rig: Rig
        let signer: LocalSigner
        let file: String

        init() throws {
            rig = try Rig()
            try rig.home.attest(policy: ShadowTests.rules, passphrase: rig.passphrase)
            signer = try LocalSigner(of: rig.home)
            try signer.unlock(passphrase: rig.passphrase)
            file = rig.home.home.path + "/other.toml"
        }

        func start(_ text: String) throws {
            _ = FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            _ = try rig.home.startShadow(file)
        }

        /// Sends a note and returns the end of the request.
        func send(kind: Int) async -> String { await send(rig.note(kind: kind)) }

        func send(_ frame: Frame) async -> String {
            switch await signer.answer(frame).ending {
            case .outcome(.done): "done"
            case .outcome(.denied(let reason)), .outcome(.failed(let reason)): reason.code.rawValue
            case .refused(let error): error.code
            }
        }

        /// The report after all answered requests were judged, as `2 deny->allow`.
        func found() throws -> [String] {
            try signer.finish()
            return try #require(try rig.home.shadowReport()).differences.map {
                "\($0.count) \($0.kind.before.verdict)->\($0.kind.after.verdict)"
            }
        }
    }

    @Test("differences are counted, and answers stay those of the policy in force")
    func differences() async throws {
        let rig = try ShadowRig()
        try rig.start(Self.rules.replacingOccurrences(of: "kind = 1", with: "kind = 7"))
        for kind in [1, 7, 7] {
            #expect(await rig.send(kind: kind) == (kind == 1 ? "done" : "policy_denied"))
        }
        #expect(try rig.found() == ["2 deny->allow", "1 allow->deny"])
        let report = try #require(try rig.rig.home.shadowReport())
        #expect(report.state.judged == 3)
        #expect(report.state.skipped == 0)
        #expect(report.differences.first?.kind.after.rules == ["notes"])
        #expect(report.differences.first?.keys == ["app"])
        #expect(report.unknownLimits == [])
    }

    @Test("shared counters have the uses on record, without those of the judged request")
    func counters() async throws {
        let rig = try ShadowRig()
        try rig.start(Self.rules.replacingOccurrences(of: "count = 3", with: "count = 2"))
        for _ in 0..<2 { #expect(await rig.send(kind: 1) == "done") }
        #expect(try rig.found() == [])
        #expect(await rig.send(kind: 1) == "done")
        #expect(try rig.found() == ["1 allow->deny"])
        // The fourth request is denied by both.
        #expect(await rig.send(kind: 1) == "limit_exceeded")
        #expect(try rig.found() == ["1 allow->deny"])
    }

    @Test("a limit that counts something else is named as unknown")
    func unknownLimits() throws {
        let rig = try ShadowRig()
        try rig.start(Self.rules.replacingOccurrences(of: "notes", with: "others"))
        #expect(try rig.rig.home.shadowReport()?.unknownLimits == ["others"])
    }

    @Test("a request whose verdict depends on a first use that is not on record is not judged")
    func firstUses() async throws {
        let rig = try ShadowRig()
        let encrypt = Frame(
            bytes: Array(
                ("nostrsigner://nip44_encrypt?type=nip44_encrypt&plaintext=hi&x-success=myapp://x"
                    + "&pubkey=f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9")
                    .utf8), peer: rig.rig.note(kind: 1).peer)
        let open = Self.rules.replacingOccurrences(
            of: "kind = 1", with: "operation = \"nip44_encrypt\"")
        try rig.rig.home.attest(policy: open, passphrase: rig.rig.passphrase)
        try rig.signer.unlock(passphrase: rig.rig.passphrase)
        try rig.start(open + "\nfirst_use.peer = { min = \"1s\" }")
        for _ in 0..<2 { #expect(await rig.send(encrypt) == "done") }
        #expect(try rig.found() == [])
        #expect(try #require(try rig.rig.home.shadowReport()).state.skipped == 2)
        // The policy in force names the field from now on, so that first uses are recorded.
        try rig.rig.home.attest(
            policy: open + "\n[[rule]]\nid = \"x\"\neffect = \"deny\"\nprotocol = \"nostr\"\n"
                + "operation = \"nip44_decrypt\"\nfirst_use.peer = { max = \"0s\" }",
            passphrase: rig.rig.passphrase)
        try rig.signer.unlock(passphrase: rig.rig.passphrase)
        #expect(await rig.send(encrypt) == "done")
        #expect(try rig.found() == ["1 allow->deny"])
    }

    @Test("another file replaces it under an open signer, and after the end nothing is judged")
    func replaced() async throws {
        let rig = try ShadowRig()
        try rig.start(Self.rules.replacingOccurrences(of: "kind = 1", with: "kind = 7"))
        _ = await rig.send(kind: 7)
        #expect(try rig.found() == ["1 deny->allow"])
        try rig.start(Self.rules)
        _ = await rig.send(kind: 7)
        #expect(try rig.found() == [])
        #expect(try rig.rig.home.shadowReport()?.state.judged == 1)
        #expect(try rig.rig.home.stopShadow())
        #expect(try rig.rig.home.stopShadow() == false)
        #expect(await rig.send(kind: 1) == "done")
        try rig.signer.finish()
        #expect(try rig.rig.home.shadowReport() == nil)
    }

    @Test("a policy with mistakes is not started, and the earlier one stays")
    func mistakes() throws {
        let rig = try ShadowRig()
        try rig.start(Self.rules)
        let hash = try rig.rig.home.shadowReport()?.state.hash
        #expect(throws: ServiceError.self) {
            try rig.start(Self.rules.replacingOccurrences(of: "kind", with: "knid"))
        }
        #expect(try rig.rig.home.shadowReport()?.state.hash == hash)
    }

    @Test("a damaged, foreign or readable file changes no answer")
    func damaged() async throws {
        let rig = try ShadowRig()
        let path = rig.rig.home.home.path + "/shadow.db"
        let contents = [Data(), Data("not a database".utf8), Data(count: 8_192)]
        for content in contents {
            _ = try rig.rig.home.stopShadow()
            _ = FileManager.default.createFile(
                atPath: path, contents: content, attributes: [.posixPermissions: 0o600])
            #expect(await rig.send(kind: 7) == "policy_denied")
            try rig.signer.finish()
            #expect(throws: ServiceError.self) { try rig.rig.home.shadowReport() }
        }
        try rig.start(Self.rules)
        #expect(await rig.send(kind: 1) == "done")
        #expect(try rig.found() == [])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: ServiceError.self) { try rig.rig.home.shadowReport() }
        #expect(await rig.send(kind: 1) == "done")
    }

    @Test("a text that is not the policy that was started ends it, with a notice")
    func changedText() async throws {
        let rig = try ShadowRig()
        try rig.start(Self.rules)
        try ShadowFile.start(
            Array("version = 2".utf8), hash: [UInt8](repeating: 1, count: 32), named: "x.toml",
            at: Timestamp(seconds: 0), in: rig.rig.home.home)
        #expect(await rig.send(kind: 1) == "done")
        #expect(try rig.found() == [])
        let ended = try rig.rig.home.shadowReport()?.state.ended
        #expect(ended?.hasPrefix("its text is not the policy") == true)
        #expect(try rig.rig.home.shadowReport()?.state.judged == 0)
    }

    @Test("kinds of differences are bounded; further requests are counted")
    func bounds() throws {
        let rig = try ShadowRig()
        try rig.start(Self.rules)
        let file = try ShadowFile(of: rig.rig.home.home)
        let side = ShadowSide(
            Judgement(verdict: .ask([]), claims: [], policyHash: []))
        let differences = (0..<ShadowFile.kindsMax + 5).map { number in
            ShadowDifference(
                kind: .init(
                    inForce: [1], protocolName: "nostr", method: "m\(number)", before: side,
                    after: side),
                count: 1, first: Timestamp(seconds: 1), last: Timestamp(seconds: 1), client: nil,
                keys: [])
        }
        try file.add(differences, judged: differences.count, skipped: 2)
        let report = try #require(try rig.rig.home.shadowReport())
        #expect(report.differences.count == ShadowFile.kindsMax)
        #expect(report.state.uncounted == 5)
        #expect(report.state.skipped == 2)
    }
}
