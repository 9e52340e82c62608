// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import LoopbackServer
import NIP46
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import Synchronization
import TestHome
import Testing

@testable import Relays
@testable import SigningFiles
@testable import SigningService
@testable import SigningStorage
@testable import SigningVault

/// A home with one Nostr key, and a relay.
final class RelaysRig: Sendable {
    let home: OpenHome
    let signer: LocalSigner
    let registry: BunkerRegistry
    let relay: LoopbackRelay
    /// A second relay, on which the clients of one test subscribe too.
    let second: LoopbackRelay
    private let made: TemporaryHome
    private let count = Mutex(0)

    /// Creates a home with the rules in `policy`; questions go to `approval`.
    init(
        policy: String = "default = \"ask\"", asking approval: any Approval = NoApproval(),
        relay habit: RelayManners.Habit = .plain
    ) throws {
        made = try TemporaryHome()
        try made.makeVault(DomainRegistry([]), passphrase: "correct horse")
            .setSetting(ProviderID.setting, to: ProviderID.make())
        _ = try made.makeLedger()
        home = try OpenHome(at: made.home.path, speaking: .builtIn)
        relay = try LoopbackRelay(habit)
        second = try LoopbackRelay()
        let passphrase = Self.passphrase
        try home.makeKey(.nostr, name: "alice", passphrase: passphrase)
        try home.attest(policy: "version = 1\n\(policy)\n", passphrase: passphrase)
        signer = try LocalSigner(of: home, asking: approval)
        registry = BunkerRegistry(of: home, signer.ledger)
        try signer.unlock(passphrase: passphrase)
    }

    static var passphrase: SecretBytes { SecretBytes(copying: "correct horse".utf8.span) }

    func transport(
        _ limits: TransportLimits, hasNetwork: (@Sendable () -> Bool)? = nil
    ) -> RelayTransport {
        RelayTransport(
            of: HomeBunker(
                of: registry, following: HomeWatch(of: home, records: [signer.ledger])),
            environment: SystemEnvironment(), limits: limits,
            hasNetwork: hasNetwork)
    }

    /// Offers a `bunker://` URI that no client uses, so that the transport connects to the relay.
    @discardableResult
    func offer(_ name: String = "offer") throws -> BunkerConnection {
        let account = try #require(try home.accounts().first)
        return try home.offerConnection(
            name, to: account, over: try RelayAddress.list([relay.url]), perms: "",
            passphrase: Self.passphrase
        ).0
    }

    /// A connected client; the transport subscribes to its envelopes.
    func client(
        of transport: RelayTransport, alsoBySecond: Bool = false
    ) async throws -> RelayClient {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let account = try #require(try home.accounts().first)
        let relays = alsoBySecond ? [relay, second] : [relay]
        let (connection, uri) = try home.offerConnection(
            "client\(number)", to: account, over: try RelayAddress.list(relays.map(\.url)),
            perms: "",
            passphrase: Self.passphrase)
        let client = try RelayClient(of: connection, over: relay) { [home] in
            try home.revokeConnection(named: connection.name, passphrase: RelaysRig.passphrase)
        }
        while registry.known[connection.signer] == nil {
            try await Task.sleep(for: .milliseconds(20))
        }
        try registry.claim(
            connection.signer, by: client.key, showing: try #require(uri.secret))
        let key = ProvedKey(
            publicKey: client.key, account: account.id, connection: connection.signer,
            name: connection.name)
        let call = NIP46Call(id: "0", method: "connect", params: [])
        let answer = await signer.answer(
            Frame(bytes: call.bytes, peer: Peer(channel: .relay, provedKey: key)),
            over: AdapterID("nip46"))
        #expect(answer.word == "done")
        _ = try registry.connect(connection.signer, to: client.key, nil)
        for relay in relays {
            while !relay.isAsked(for: connection.signer) {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        return client
    }
}

/// A hand-written client that sends and receives envelopes through a relay.
final class RelayClient: Sendable {
    let key: String
    let signer: String
    private let own: TransportKey
    private let relay: LoopbackRelay
    private let end: @Sendable () throws -> Void
    private let count = Mutex(0)

    init(
        of connection: BunkerConnection, over relay: LoopbackRelay,
        _ end: @escaping @Sendable () throws -> Void
    ) throws {
        own = try TransportKey(.random(count: 32), signing: RelayEnvelope.domain)
        key = Hex.encode(own.publicKey.span)
        signer = connection.signer
        self.relay = relay
        self.end = end
    }

    /// Ends the connection, as its owner does.
    func leave() throws { try end() }

    /// Sends a call under a fresh id, which is returned.
    @discardableResult
    func post(_ method: String, _ params: [String] = []) throws -> NIP46Call {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let call = NIP46Call(id: "\(number)", method: method, params: params)
        relay.bring(try envelope(call), to: signer)
        return call
    }

    /// Encrypts a text for another key (NIP-44).
    func seal(_ text: String, to peer: [UInt8]) throws -> String {
        let operation = KeyOperation.encrypt(.nip44, peer: peer, plaintext: Array(text.utf8))
        guard case .ciphertext(let sealed) = try own.perform(operation) else { throw Unsealed() }
        return Base64.encode(sealed.span)
    }

    /// Seals and signs a call as the JSON of a new event.
    func envelope(_ call: NIP46Call) throws -> String {
        let peer = try Hex.decode(signer)
        guard
            case .ciphertext(let sealed) = try own.perform(
                .encrypt(.nip44, peer: peer, plaintext: call.bytes))
        else { throw Unsealed() }
        let envelope = RelayEnvelope.envelope(
            Base64.encode(sealed.span), to: signer, at: SystemEnvironment().now())
        let input = SigningInput(
            domain: RelayEnvelope.domain.id, preimage: envelope.preimage(publicKey: key))
        guard case .signature(let signature, let id) = try own.perform(.sign(input)) else {
            throw Unsealed()
        }
        return envelope.json(id: id, publicKey: own.publicKey, signature: signature)
    }

    private struct Unsealed: Error {}

    /// The answers to a call that one relay has received.
    func answers(to id: String, from other: LoopbackRelay? = nil) throws -> [JSON] {
        try envelopes(from: other).compactMap { try? JSON.parse($0.span) }
            .filter { $0["id"]?.text == id }
    }

    /// Waits for the first answer to a call.
    func answer(to id: String, from other: LoopbackRelay? = nil) async throws -> JSON {
        while true {
            if let answer = try answers(to: id, from: other).first { return answer }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The sealed envelopes that one relay has received for the client.
    func envelopes(from other: LoopbackRelay? = nil) throws -> [[UInt8]] {
        // The ids of events so far, as a repeated event is not another answer.
        var known: Set<String> = []
        return try (other ?? relay).published(for: key).filter { known.insert($0).inserted }.map {
            text in
            let event = try SignedEvent(
                try #require(try JSON.parse(text.utf8.span).object))
            let payload = try NIP44Text.payload(
                of: event.event.content, plaintextBytesMax: NIP46Call.bytesMax)
            guard
                case .plaintext(let bytes) = try own.perform(
                    .decrypt(.nip44, peer: event.author, payload: payload))
            else { return [] }
            return bytes
        }
    }
}
