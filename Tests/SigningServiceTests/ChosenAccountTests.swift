// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningStorage
import SigningVault
import Synchronization
import TestHome
import Testing

@testable import SigningService

/// A person who chooses accounts by name in order, then says yes or no.
final class Chooser: Approval {
    struct Shown: Equatable {
        let account: String
        let others: [String]
    }

    private struct State {
        var wanted: [String] = []
        var foreign: KeyID?
        var remembering: Remembering?
        var saysYes = true
        var shown: [Shown] = []
    }

    private let state = Mutex(State())
    var shown: [Shown] { state.withLock { $0.shown } }

    func choose(_ names: String...) { state.withLock { $0.wanted = names } }
    func choose(foreign id: KeyID) { state.withLock { $0.foreign = id } }
    func remember(_ wish: Remembering) { state.withLock { $0.remembering = wish } }
    func sayNo() { state.withLock { $0.saysYes = false } }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        state.withLock { state in
            state.shown.append(
                Shown(
                    account: question.accounts.map(\.name).joined(separator: " "),
                    others: question.otherAccounts.map(\.name)))
            if let id = state.foreign { return .another(id) }
            if let name = state.wanted.first,
                let account = question.otherAccounts.first(where: { $0.name == name })
            {
                state.wanted.removeFirst()
                return .another(account.id)
            }
            return state.saysYes
                ? .approved(question.binding, remembering: state.remembering) : .denied()
        }
    }
}

/// A home with three Nostr keys, and pages of a browser.
final class ChoosingRig {
    let person = Chooser()
    let home: OpenHome
    let signer: LocalSigner
    let passphrase = SecretBytes(copying: "correct horse".utf8.span)
    private let folder = TemporaryFolder()

    init(
        default fallback: String = "ask", _ rules: String = "", asking other: (any Approval)? = nil
    ) throws {
        let made = try TemporaryHome(in: folder)
        try made.makeVault(DomainRegistry([]), passphrase: "correct horse")
            .setSetting(ProviderID.setting, to: ProviderID.make())
        _ = try made.makeLedger()
        home = try OpenHome(at: folder.path, speaking: .builtIn)
        for name in ["first", "second", "third"] {
            try home.makeKey(.nostr, name: name, passphrase: passphrase)
        }
        try home.attest(
            policy: "version = 1\ndefault = \"\(fallback)\"\n\(rules)", passphrase: passphrase)
        let token = AccessToken(
            named: "firefox", isBrowser: true, scope: .init(nil), at: SystemEnvironment().now(),
            days: 1, text: AccessToken.makeText())
        try home.change(with: passphrase) { vault in
            try vault.setSetting(token.setting, to: token.settingText)
        }
        signer = try LocalSigner(of: home, asking: other ?? person)
        try signer.unlock(passphrase: passphrase)
    }

    func set(_ names: [String]?, for client: String) throws {
        var clients = try NostrClients(in: home.vault)
        clients.names[client] = names
        let text = try clients.text()
        try home.change(with: passphrase) { vault in
            try vault.setSetting(NostrClients.setting, to: text)
        }
    }

    func key(_ name: String) throws -> String {
        let account = try home.accounts().first { $0.name == name }
        return Hex.encode(try #require(account).publicKey.span)
    }

    func id(_ name: String) throws -> KeyID {
        try #require(try home.accounts().first { $0.name == name }).id
    }

    /// The answer of a page's call.
    func call(
        _ method: String, _ params: String = "", from origin: String = "https://app.example"
    ) async throws -> JSON {
        try await Self.call(signer, method, params, from: origin)
    }

    static func call(
        _ signer: LocalSigner, _ method: String, _ params: String,
        from origin: String = "https://app.example"
    ) async throws -> JSON {
        let peer = Peer(
            channel: "socket", provedUserID: 1_000,
            credential: .page(
                BrowserPage(
                    profile: "firefox", origin: origin, party: "app.example", topOrigin: origin,
                    document: nil)))
        let text = #"{"nip07":"\#(method)","params":[\#(params)]}"#
        let answer = await signer.answer(Frame(text, from: peer), over: AdapterID("nip07"))
        guard case .message(let bytes) = answer.reply else { return .null }
        return try JSON.parse(bytes.span)
    }

    func publicKey(_ origin: String = "https://app.example") async throws -> String? {
        try await call("getPublicKey", from: origin)["result"]?.text
    }

    func author(_ kind: Int = 1) async throws -> String? {
        let event = #"{"kind":\#(kind),"content":"x","tags":[],"created_at":1700000000}"#
        return try await call("signEvent", event)["result"]?["pubkey"]?.text
    }
}

private func rule(_ effect: String, key: String, _ more: String = "") -> String {
    """
    [[rule]]
    id = "\(effect)-\(key)"
    effect = "\(effect)"
    protocol = "nostr"
    key = "\(key)"
    \(effect == "allow" ? #"acknowledge = ["new_client", "odd_time"]"# : "")
    \(more)

    """
}

@Suite("A person chooses which Nostr key a page gets")
struct ChosenAccountTests {
    @Test("the question comes again about the key that was chosen, and the page keeps that key")
    func choosing() async throws {
        let rig = try ChoosingRig()
        rig.person.choose("second")
        #expect(try await rig.publicKey() == (try rig.key("second")))
        #expect(
            rig.person.shown == [
                .init(account: "first", others: ["second", "third"]),
                .init(account: "second", others: ["first", "third"]),
            ])
        #expect(try await rig.author() == (try rig.key("second")))
        // After the choice, questions about events offer no other account.
        #expect(rig.person.shown.last == .init(account: "second", others: []))
        // The choice does not apply to another client.
        #expect(try await rig.publicKey("https://other.example") == (try rig.key("first")))
    }

    @Test("a person may look at each key in turn, as often as it takes, and change it later")
    func turns() async throws {
        let rig = try ChoosingRig()
        rig.person.choose("second", "third", "second", "third", "first", "third")
        #expect(try await rig.publicKey() == (try rig.key("third")))
        #expect(rig.person.shown.count == 7)
        rig.person.choose("first")
        #expect(try await rig.publicKey() == (try rig.key("first")))
        #expect(try await rig.author() == (try rig.key("first")))
    }

    @Test("a no after a choice is a no, and leaves nothing behind")
    func noes() async throws {
        let rig = try ChoosingRig()
        rig.person.choose("second")
        rig.person.sayNo()
        #expect(try await rig.call("getPublicKey")["error"]?["code"]?.text == "user_rejected")
        #expect(rig.person.shown.count == 2)
        _ = try await rig.publicKey()
        #expect(rig.person.shown.last?.account == "first")
    }

    @Test("a yes that is remembered is for the chosen key alone")
    func remembered() async throws {
        let rig = try ChoosingRig()
        rig.person.choose("second")
        rig.person.remember(Remembering(.hour))
        _ = try await rig.publicKey()
        let grants = try rig.signer.ledger.allGrants()
        #expect(grants.map(\.sealed.grant.scope.key) == [try rig.id("second")])
        #expect(try await rig.publicKey() == (try rig.key("second")))
        #expect(rig.person.shown.count == 2)
    }

    @Test("an account that the question does not offer is not an answer")
    func foreign() async throws {
        let rig = try ChoosingRig(rule("deny", key: "third"))
        rig.person.choose(foreign: try rig.id("third"))
        #expect(try await rig.call("getPublicKey")["result"] == nil)
        #expect(rig.person.shown == [.init(account: "first", others: ["second"])])
        rig.person.choose(foreign: KeyID("no such key"))
        #expect(try await rig.call("getPublicKey")["result"] == nil)
    }

    @Test("without a choice it is the first key that rules allow, else the first they ask about")
    func rules() async throws {
        let allowed = try ChoosingRig(default: "deny", rule("allow", key: "second"))
        #expect(try await allowed.publicKey() == (try allowed.key("second")))
        #expect(try await allowed.author() == (try allowed.key("second")))
        let asked = try ChoosingRig(default: "deny", rule("ask", key: "third"))
        #expect(try await asked.publicKey() == (try asked.key("third")))
        #expect(asked.person.shown == [.init(account: "third", others: [])])
        let both = try ChoosingRig(
            default: "deny", rule("ask", key: "second") + rule("allow", key: "third"))
        #expect(try await both.publicKey() == (try both.key("third")))
        #expect(both.person.shown.isEmpty)
        let none = try ChoosingRig(default: "deny")
        #expect(try await none.call("getPublicKey")["error"]?["code"]?.text == "permission_denied")
    }

    @Test("a page that signs before it asks for a key keeps the key that it got")
    func signsFirst() async throws {
        let rig = try ChoosingRig(default: "deny", rule("allow", key: "second", "kind = 1"))
        #expect(try await rig.author() == (try rig.key("second")))
        // Rules for another key do not change the client's account.
        try rig.home.attest(
            policy: "version = 1\ndefault = \"deny\"\n" + rule("allow", key: "first"),
            passphrase: rig.passphrase)
        #expect(try await rig.author() == nil)
    }

    @Test("a setting decides before rules and people, and a removed key is not replaced")
    func settings() async throws {
        let rig = try ChoosingRig()
        try rig.set(["third"], for: "https://app.example")
        #expect(try await rig.publicKey() == (try rig.key("third")))
        #expect(rig.person.shown == [.init(account: "third", others: [])])
        // The `pubkey` in an event template does not change the account either.
        let event =
            #"{"kind":1,"content":"x","tags":[],"created_at":1700000000,"#
            + #""pubkey":"\#(try rig.key("first"))"}"#
        #expect(
            try await rig.call("signEvent", event)["result"]?["pubkey"]?.text == rig.key("third"))
        try rig.set(["second", "third"], for: "https://app.example")
        #expect(try await rig.publicKey() == (try rig.key("third")))
        #expect(rig.person.shown.last == .init(account: "third", others: ["second"]))
        try rig.set(["gone"], for: "https://app.example")
        #expect(try await rig.call("getPublicKey")["result"] == nil)
        #expect(try await rig.author() == nil)
        try rig.set(nil, for: "https://app.example")
        #expect(try await rig.publicKey() == (try rig.key("third")))
    }
}
