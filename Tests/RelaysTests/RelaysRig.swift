// SPDX-License-Identifier: Apache-2.0

import AllAdapters
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
@testable import SigningService
@testable import SigningStorage

/// A home with one Nostr key, and a relay.
final class RelaysRig: Sendable {
    let home: OpenHome
    let signer: LocalSigner
    let relay: LoopbackRelay
    private let made: TemporaryHome
    private let count = Mutex(0)

    init() throws {
        made = try TemporaryHome()
        try made.makeVault(DomainRegistry([]), passphrase: "correct horse")
            .setSetting(OpenHome.providerIDSetting, to: OpenHome.makeProviderID())
        _ = try made.makeLedger()
        home = try OpenHome(at: made.home.path)
        relay = try LoopbackRelay()
        let passphrase = Self.passphrase
        try home.makeKey(.nostr, name: "alice", passphrase: passphrase)
        try home.attest(policy: "version = 1\ndefault = \"ask\"\n", passphrase: passphrase)
        signer = try LocalSigner(of: home)
        try signer.unlock(passphrase: passphrase)
    }

    static var passphrase: SecretBytes { SecretBytes(copying: "correct horse".utf8.span) }

    func transport(_ limits: TransportLimits) -> RelayTransport {
        RelayTransport(
            BunkerBook(of: home, signer.ledger), environment: SystemEnvironment(), limits: limits)
    }

    /// A client that is connected, and whose letters the transport waits for.
    func client(of transport: RelayTransport) async throws -> RelayClient {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let account = try #require(try home.accounts().first)
        let (connection, uri) = try home.offerConnection(
            "client\(number)", to: account, over: try RelayAddress.list([relay.url]), perms: "",
            passphrase: Self.passphrase)
        let client = try RelayClient(of: connection, over: relay) { [home] in
            try home.revokeConnection(named: connection.name, passphrase: RelaysRig.passphrase)
        }
        while transport.book.known[connection.signer] == nil {
            try await Task.sleep(for: .milliseconds(20))
        }
        try transport.book.claim(
            connection.signer, by: client.key, showing: try #require(uri.secret))
        let key = ProvedKey(
            publicKey: client.key, account: account.id, connection: connection.signer,
            name: connection.name)
        let call = NIP46Call(id: "0", method: "connect", params: [])
        let answer = await signer.answer(
            Frame(bytes: call.bytes, peer: Peer(door: .relay, provedKey: key)),
            over: AdapterID("nip46"))
        #expect(answer.word == "done")
        transport.note(try transport.book.connect(connection.signer, to: client.key, nil))
        while !relay.isAsked(for: connection.signer) {
            try await Task.sleep(for: .milliseconds(20))
        }
        return client
    }
}

/// A client by hand, whose letters a relay brings and takes.
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

    /// Sends a call under a name of its own, which is returned.
    func post(_ method: String, _ params: [String] = []) throws -> NIP46Call {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let call = NIP46Call(id: "\(number)", method: method, params: params)
        let peer = try Hex.decode(signer)
        guard
            case .ciphertext(let sealed) = try own.perform(
                .encrypt(.nip44, peer: peer, plaintext: call.bytes))
        else { return call }
        let letter = RelayEnvelope.letter(
            Base64.encode(sealed.span), to: signer, at: SystemEnvironment().now())
        let input = SigningInput(
            domain: RelayEnvelope.domain.id, preimage: letter.preimage(publicKey: key))
        guard case .signature(let signature, let id) = try own.perform(.sign(input)) else {
            return call
        }
        relay.bring(
            letter.json(id: id, publicKey: own.publicKey, signature: signature), to: signer)
        return call
    }

    /// What came back so far, as it was sealed.
    func letters() throws -> [[UInt8]] {
        try relay.published(for: key).map { text in
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
