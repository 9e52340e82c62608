// SPDX-License-Identifier: Apache-2.0

import Algorand
import BuiltInProtocols
import NEAR
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

/// All observations by which a client could distinguish requests.
struct Traces: Hashable {
    let reply: String
    /// The number of requests to a node.
    let lookups: Int
    /// The number of questions for a person.
    let asked: Int
    /// The number of new entries in the record.
    let entries: Int64
}

/// A home with one key of each chain, a counting node, and a person who says no.
final class HeldRig {
    static let name = "alice.near"

    let approval: CountingApproval
    let signer: LocalSigner
    private let accounts: [Account]
    private let provider: String
    private let courier: CountingCourier
    private let folder: TemporaryFolder

    init(default fallback: String, _ rules: String = "") throws {
        let folder = TemporaryFolder()
        let home = try Self.makeHome(
            in: folder, "version = 1\ndefault = \"\(fallback)\"\n\(rules)")
        let (approval, courier) = (CountingApproval(), CountingCourier())
        let signer = try LocalSigner(of: home, asking: approval, couriers: [courier])
        try signer.unlock(passphrase: SecretBytes(copying: "correct horse".utf8.span))
        let (accounts, provider) = (try home.accounts(), try ProviderID.of(home))
        self.approval = approval
        self.courier = courier
        self.signer = signer
        self.accounts = accounts
        self.provider = provider
        self.folder = folder
    }

    private static func makeHome(
        in folder: TemporaryFolder, _ policy: String
    ) throws -> OpenHome {
        let passphrase = SecretBytes(copying: "correct horse".utf8.span)
        let made = try TemporaryHome(in: folder)
        try made.makeVault(DomainRegistry([]), passphrase: "correct horse")
            .setSetting(ProviderID.setting, to: ProviderID.make())
        _ = try made.makeLedger()
        let home = try OpenHome(at: folder.path, speaking: .builtIn)
        try home.makeKey(
            .near, name: "alice", account: name, network: "mainnet", passphrase: passphrase)
        try home.makeKey(.nostr, name: "app", passphrase: passphrase)
        try home.makeKey(.algorand, name: "money", passphrase: passphrase)
        try home.attest(policy: policy, passphrase: passphrase)
        let tokens = tokens.map(token)
        try home.change(with: passphrase) { vault in
            for token in tokens { try vault.setSetting(token.setting, to: token.settingText) }
        }
        return home
    }

    private static func token(name: String, isBrowser: Bool, scope: [String]?) -> AccessToken {
        let text = AccessToken.makeText()
        return AccessToken(
            named: name, isBrowser: isBrowser, scope: .init(scope),
            at: SystemEnvironment().now(), days: 1, text: text)
    }

    private static let tokens: [(String, Bool, [String]?)] = [
        ("firefox", true, nil), ("bot", false, ["near", "algorand", "nostr"]),
        ("lister", false, ["near", "keys"]),
    ]

    /// The held account's name as a call writes it.
    func held(_ call: HeldCall) throws -> String { try #require(call.name(among: accounts)) }

    func peer(_ clientKind: ClientKind) throws -> Peer {
        let origin = "https://app.example"
        return switch clientKind {
        case .page, .framedPage:
            Peer(
                channel: "socket", provedUserID: 1_000,
                credential: .page(
                    BrowserPage(
                        profile: "firefox", origin: origin, party: "app.example",
                        topOrigin: clientKind == .page ? origin : "https://top.example",
                        document: nil)))
        case .windowPage:
            Peer(
                channel: "web", provedUserID: 1_000,
                visit: .message(origin: origin, party: "app.example", isFramed: false))
        case .link: Peer(channel: "web", provedUserID: 1_000, claim: origin, visit: .link)
        case .app: Peer(channel: "web", provedUserID: 1_000, claim: "app")
        case .token: Peer(channel: "socket", provedUserID: 1_000, credential: .program("bot"))
        case .liquid:
            Peer(
                channel: "liquid",
                provedServer: ProvedServer(origin: origin, party: "app.example"))
        }
    }

    func word(
        _ call: HeldCall, naming name: String, _ clientKind: ClientKind
    ) async throws -> String {
        let frame = Frame(bytes: bytes(call, naming: name), peer: try peer(clientKind))
        return await signer.answer(frame, over: call.wire).word
    }

    func traces(
        _ call: HeldCall, naming name: String, _ clientKind: ClientKind
    ) async throws -> Traces {
        try await traces(call, naming: name, from: try peer(clientKind))
    }

    func traces(
        _ call: HeldCall, naming name: String, from peer: Peer
    ) async throws -> Traces {
        let (lookups, asked) = (courier.count, approval.count)
        let entries = try signer.ledger.length().entries
        let frame = Frame(bytes: bytes(call, naming: name), peer: peer)
        let answer = await signer.answer(frame, over: call.wire)
        return Traces(
            reply: Self.text(of: answer.reply).replacing(name, with: "NAME"),
            lookups: courier.count - lookups, asked: approval.count - asked,
            entries: try signer.ledger.length().entries - entries)
    }

    /// The reads of the record and of the accounts while a call is decoded.
    func reads(_ call: HeldCall, naming name: String) throws -> [String] {
        var reads: [String] = []
        let context = DecodingContext(
            accounts: accounts.filter { $0.protocolID.name == call.chain }, peer: try peer(.page),
            client: Client(id: "https://app.example", name: nil, proof: .browser(profile: "p")),
            now: Timestamp(seconds: 1_800_000_000), freshID: [UInt8](repeating: 1, count: 16),
            wasSeen: { _ in
                reads.append("token")
                return false
            },
            noted: { name, _ in
                reads.append("note \(name)")
                return nil
            },
            connections: { _ in
                reads.append("connections")
                return []
            },
            nameable: { _ in
                reads.append("accounts")
                return []
            })
        let adapter = try #require(signer.home.adapters.adapter(named: call.wire.name))
        _ = try? adapter.decode(bytes(call, naming: name).span, in: context)
        return reads
    }

    private func bytes(_ call: HeldCall, naming name: String) -> [UInt8] {
        let text = String(decoding: call.frame(naming: name), as: UTF8.self)
        return Array(text.replacing("PROVIDER", with: provider).utf8)
    }

    /// The reply without its random identifier.
    private static func text(of reply: Reply) -> String {
        guard case .message(let bytes) = reply else { return "\(reply)" }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let json = try? JSON.parse(bytes.span), let object = json.object,
            object["reference"] != nil
        else { return text }
        return object.members.filter { $0.name != "id" }.map { "\($0)" }.joined()
    }
}

/// Answers with yes or no, and counts the questions.
final class CountingApproval: Approval {
    private let state = Mutex((count: 0, answersYes: false))

    var count: Int { state.withLock { $0.count } }
    var answersYes: Bool {
        get { state.withLock { $0.answersYes } }
        set { state.withLock { $0.answersYes = newValue } }
    }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        let answersYes = state.withLock { state in
            state.count += 1
            return state.answersYes
        }
        return answersYes ? .approved(question.binding) : .denied()
    }
}

/// A NEAR node that finds everything, and counts its requests.
final class CountingCourier: Courier {
    typealias Lookup = NEARLookup

    private let lookups = Mutex(0)
    var count: Int { lookups.withLock { $0 } }
    var protocolID: ProtocolID { .near }

    func lookUp(
        _ need: NEARLookupNeed, in _: DecodingContext
    ) async throws(NEARLookupError) -> NEARLookup {
        let number = lookups.withLock { count in
            count += 1
            return UInt64(count)
        }
        let found = NEARLookup.Found(
            nonces: (0..<UInt64(need.nonceCount)).map { number * 100 + $0 },
            blockHash: [UInt8](repeating: 1, count: 32), blockHeight: 100_000_000)
        return NEARLookup(for: need, found: found)
    }

    func reaches(_: String) -> Bool { true }

    func send(_: Broadcast.Item, to _: String) async -> Broadcast.Result { .accepted([]) }

    func resend(_: Broadcast.Item, to _: String) async -> Broadcast.Result { .accepted([]) }
}
