// SPDX-License-Identifier: Apache-2.0

import Algorand
import AlgorandCourier
import BuiltInProtocols
import NEAR
import Nostr
import SigningCore
import SigningCrypto
import SigningNetwork
import SigningPolicy
import SigningService
import SigningVault
import TestHome
import Testing

@Suite("One open home")
struct OpenHomeTests {
    @Test("make, unlock, answer: a program needs no terminal")
    func answers() async throws {
        let rig = try Rig(atLeastCost: false)
        let signer = try LocalSigner(of: rig.home)
        try signer.unlock(passphrase: rig.passphrase)
        let answer = await signer.answer(rig.note(kind: 1))
        guard case .outcome(.done) = answer.ending, case .message(let reply) = answer.reply else {
            Issue.record("\(answer.ending)")
            return
        }
        #expect(String(decoding: reply, as: UTF8.self).hasPrefix("myapp://signed?"))
        try signer.finish()
    }

    @Test("without a passphrase nothing is signed, and it says why")
    func locked() async throws {
        let rig = try Rig()
        let signer = try LocalSigner(of: rig.home)
        let answer = await signer.answer(rig.note(kind: 1))
        guard case .outcome(.failed(let reason)) = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
        #expect(reason.code == .keyUnavailable)
        #expect(signer.unlockingError?.message == "the vault is locked")
    }

    @Test("a wrong passphrase unlocks nothing")
    func wrongPassphrase() async throws {
        let rig = try Rig()
        let signer = try LocalSigner(of: rig.home)
        #expect(throws: ServiceError.self) {
            try signer.unlock(passphrase: SecretBytes(copying: "not this one".utf8.span))
        }
        let answer = await signer.answer(rig.note(kind: 1))
        guard case .outcome(.failed) = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
    }

    @Test("a request that no rule allows is denied where there is no person")
    func denied() async throws {
        let rig = try Rig()
        let signer = try LocalSigner(of: rig.home)
        try signer.unlock(passphrase: rig.passphrase)
        let answer = await signer.answer(rig.note(kind: 4))
        guard case .outcome(.denied(let reason)) = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
        #expect(reason.code == .approvalUnavailable)
    }

    @Test("a frame of no wire is an error, and a named wire is taken at its word")
    func wires() async throws {
        let rig = try Rig()
        let signer = try LocalSigner(of: rig.home)
        let frame = Frame(bytes: Array("hello".utf8), peer: Rig.peer)
        for wire in [nil, AdapterID("nobody")] {
            let answer = await signer.answer(frame, over: wire)
            guard case .refused(let error) = answer.ending, case .silence = answer.reply else {
                Issue.record("it was answered")
                continue
            }
            #expect(error.code == "unknown_wire" && error.hint == "name the wire")
        }
        let answer = await signer.answer(frame, over: AdapterID("nip155"))
        guard case .refused = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
    }

    @Test("a new policy stops requests that the previous one judged")
    func otherPolicy() throws {
        let rig = try Rig()
        let policy = PolicyInForce(try rig.home.attestedPolicy(), of: rig.home.vault)
        let before = policy.hash
        #expect(before.contains { $0 != 0 })
        try OpenHome(at: rig.path, speaking: .builtIn).attest(
            policy: "version = 1\ndefault = \"deny\"\n", passphrase: rig.passphrase)
        #expect(policy.hash.allSatisfy { $0 == 0 })
        #expect(try rig.home.attestedPolicy().hash != before)
    }

    @Test("a policy and settings that change while a home is open count from the next request on")
    func changesWhileOpen() async throws {
        let rig = try Rig()
        let signer = try LocalSigner(of: rig.home)
        try signer.unlock(passphrase: rig.passphrase)
        #expect(await signer.reason(of: rig.note(kind: 1)) == nil)
        let owner = try OpenHome(at: rig.path, speaking: .builtIn)
        try owner.attest(
            policy: "version = 1\ndefault = \"deny\"\n", passphrase: rig.passphrase)
        #expect(await signer.reason(of: rig.note(kind: 1)) == .policyDenied)
        #expect(!rig.home.speaksRaw)
        try owner.change(with: rig.passphrase) { vault in
            try vault.setSetting(
                AlgorandClients.setting, to: #"{"dapp.example":{"messages":"raw"}}"#)
        }
        #expect(rig.home.speaksRaw)
        try owner.change(with: rig.passphrase) { vault in
            try vault.setSetting(AlgorandClients.setting, to: nil)
        }
        #expect(!rig.home.speaksRaw)
    }

    @Test("a setting that cannot be read answers nothing, and says so")
    func unreadableSetting() async throws {
        let rig = try Rig()
        let signer = try LocalSigner(of: rig.home)
        try OpenHome(at: rig.path, speaking: .builtIn).change(with: rig.passphrase) {
            vault in
            try vault.setSetting(AlgorandClients.setting, to: "{")
        }
        let answer = await signer.answer(rig.note(kind: 1))
        guard case .refused(let error) = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
        #expect(error.code == "unavailable")
        #expect(error.hint == "countersign repair vault")
    }

    @Test("errors in a policy are reported with their line, and it is not put in force")
    func mistakes() throws {
        let rig = try Rig()
        let before = try rig.home.attestedPolicy().hash
        do throws(ServiceError) {
            try rig.home.attest(policy: "version = 1\ndefalt = 3\n", passphrase: rig.passphrase)
            Issue.record("it was put in force")
        } catch {
            #expect(error.message.contains("mistake"))
            #expect(error.hint?.hasPrefix("line ") == true)
        }
        #expect(try rig.home.attestedPolicy().hash == before)
    }

    @Test("a limit that bounds nothing is not put in force, and goes on where it was before")
    func openBudget() throws {
        let rig = try Rig()
        let source = """
            version = 1
            default = "ask"
            [[rule]]
            id = "sizes"
            effect = "allow"
            protocol = "nostr"
            key = "app"
            limit = [{ count = 1, per = "1h", by = ["size"] }]
            """
        do throws(ServiceError) {
            try rig.home.attest(policy: source, passphrase: rig.passphrase)
            Issue.record("it was put in force")
        } catch {
            #expect(error.hint?.hasPrefix("line 8: the limit bounds nothing") == true)
        }
        #expect(try rig.home.attestedPolicy().openBudget == nil)
        // An earlier version stored the policy in this form.
        let old = PolicyLoading(
            Array(source.utf8), fileName: "policy.toml", adapters: rig.home.adapters,
            isInForce: true)
        let policy = try #require(old.policy)
        try rig.home.attest(policy, old.source, rig.passphrase)
        let other = try OpenHome(at: rig.path, speaking: .builtIn)
        #expect(try other.attestedPolicy().hash == policy.hash)
        #expect(try other.attestedPolicy().openBudget?.line == 8)
    }

    @Test("a record that is not shared any more corrects the note in the vault")
    func unshared() throws {
        let rig = try Rig()
        try rig.home.unlock(rig.passphrase)
        try rig.home.vault.noteSharing(true)
        try rig.home.unshare(try rig.home.openLedger(), withoutLog: false)
        #expect(try !rig.home.vault.sharesRecord())
    }

    @Test("a home is made once")
    func once() throws {
        let rig = try Rig()
        #expect(throws: ServiceError.self) {
            try OpenHome.create(at: rig.path, speaking: .builtIn, passphrase: rig.passphrase)
        }
        #expect(throws: ServiceError.self) { try OpenHome.refuseTaken(rig.path) }
        #expect(throws: ServiceError.self) {
            try OpenHome(at: rig.path + "/nowhere", speaking: .builtIn)
        }
    }

    @Test("keys are made in the form of their chain")
    func keys() throws {
        let rig = try Rig()
        let near = try rig.home.makeKey(.near, name: "n", passphrase: rig.passphrase)
        #expect(near.address.count == 64)
        let algorand = try rig.home.makeKey(
            .algorand, name: "a", network: "testnet", passphrase: rig.passphrase)
        #expect(algorand.address.count == 58 && algorand.network == "testnet")
        do throws(ServiceError) {
            _ = try rig.home.makeKey(
                .nostr, name: "x", account: "alice.near", passphrase: rig.passphrase)
            Issue.record("a nostr key of a NEAR account was made")
        } catch {
            #expect(error.isMisuse)
        }
        #expect(try rig.home.accounts().map(\.name) == ["a", "app", "n"])
    }

    @Test("no client is served before a rule or a person allowed it")
    func dealtWith() async throws {
        let rig = try Rig()
        let signer = try LocalSigner(of: rig.home)
        try signer.unlock(passphrase: rig.passphrase)
        let stranger = rig.note(kind: 4)
        let before = await signer.answer(stranger)
        #expect(!signer.hasDecided(stranger, before))
        _ = await signer.answer(rig.note(kind: 1))
        let after = await signer.answer(stranger)
        #expect(signer.hasDecided(stranger, after))
    }

    @Test("a URL that cannot be a node's is reported")
    func nodes() throws {
        #expect(AlgorandCourier(nodes: []).problem == nil)
        let node = AlgorandNode(Algod(url: "ftp://node", token: nil), on: .testnet)
        #expect(AlgorandCourier(nodes: [node]).problem?.hint.contains("Algorand") == true)
    }
}

extension OpenHome {
    /// True if texts without a prefix may be signed.
    fileprivate var speaksRaw: Bool {
        (try? inForce())?.adapters.domains.contains { $0.id.text == "algorand/raw-message" }
            ?? false
    }
}

extension LocalSigner {
    /// The reason that a frame was not carried out; nil if it was.
    fileprivate func reason(of frame: Frame) async -> ReasonCode? {
        switch await answer(frame).ending {
        case .outcome(.done): nil
        case .outcome(.denied(let reason)), .outcome(.failed(let reason)): reason.code
        case .refused: .policyUnavailable
        }
    }
}

/// A home with one Nostr key and a policy for notes.
final class Rig: Sendable {
    static let peer = Peer(channel: "app")

    let passphrase = SecretBytes(copying: "correct horse".utf8.span)
    let home: OpenHome
    private let folder = TemporaryFolder()

    /// Creates the home at the lowest cost, or with the cost of `OpenHome`.
    init(atLeastCost isCheap: Bool = true) throws {
        if isCheap {
            let made = try TemporaryHome(in: folder)
            try made.makeVault(DomainRegistry([]), passphrase: "correct horse")
                .setSetting(ProviderID.setting, to: ProviderID.make())
            _ = try made.makeLedger()
        } else {
            try OpenHome.create(at: folder.path, speaking: .builtIn, passphrase: passphrase)
        }
        home = try OpenHome(at: folder.path, speaking: .builtIn)
        try home.makeKey(.nostr, name: "app", passphrase: passphrase)
        try home.attest(
            policy: """
                version = 1
                default = "ask"
                [[rule]]
                id = "notes"
                effect = "allow"
                protocol = "nostr"
                operation = "sign_event"
                kind = 1
                client = "myapp"
                acknowledge = ["new_client"]
                """, passphrase: passphrase)
        home.vault.lock()
    }

    var path: String { folder.path }

    func note(kind: Int) -> Frame {
        let url =
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
            + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22hello%22%7D"
        return Frame(bytes: Array(url.utf8), peer: Self.peer)
    }
}
