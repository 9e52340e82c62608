// SPDX-License-Identifier: Apache-2.0

import NIP46
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningTesting
import SigningVault
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage

@Suite("Connections over relays")
struct BunkerRegistryTests {
    private static let client = String(repeating: "1b", count: 32)
    private static let other = String(repeating: "2c", count: 32)

    private let rig: Rig
    private let signer: LocalSigner
    private let registry: BunkerRegistry
    private let clock: FixedEnvironment

    init() throws {
        rig = try Rig()
        signer = try LocalSigner(of: rig.home)
        try signer.unlock(passphrase: rig.passphrase)
        clock = FixedEnvironment(seconds: SystemEnvironment().now().seconds)
        registry = BunkerRegistry(of: rig.home, signer.ledger, environment: clock)
    }

    private func offer(_ name: String? = nil) throws -> (BunkerConnection, String) {
        let account = try #require(try rig.home.accounts().first)
        let (connection, uri) = try rig.home.offerConnection(
            name, to: account, over: try RelayAddress.list(["wss://r.example"]), perms: "",
            passphrase: rig.passphrase)
        _ = try registry.refresh()
        return (connection, try #require(uri.secret))
    }

    /// Connects a client, as the transport does.
    private func connect(_ connection: BunkerConnection, _ secret: String) async throws {
        try registry.claim(connection.signer, by: Self.client, showing: secret)
        try await ask("connect", over: connection, expecting: "ack")
        _ = try registry.connect(
            connection.signer, to: Self.client, ClientMetadata(name: "Notes", url: nil, image: nil))
    }

    private func ask(
        _ method: String, over connection: BunkerConnection, expecting result: String
    ) async throws {
        let call = NIP46Call(id: "1", method: method, params: [])
        let key = ProvedKey(
            publicKey: Self.client, account: connection.account, connection: connection.signer,
            name: connection.name)
        let frame = Frame(bytes: call.bytes, peer: Peer(channel: .relay, provedKey: key))
        guard case .message(let reply) = await signer.answer(frame, over: AdapterID("nip46")).reply
        else {
            Issue.record("no answer")
            return
        }
        let answer = try JSON.parse(reply.span)
        #expect(answer["result"]?.text == result)
    }

    @Test("a secret is good for one client, within a day, and for nothing else")
    func secrets() async throws {
        let (connection, secret) = try offer()
        for wrong in ["", "x", secret.uppercased(), secret + "0", String(secret.dropLast())] {
            #expect(throws: NIP46Refusal.invalidSecret) {
                try registry.claim(connection.signer, by: Self.client, showing: wrong)
            }
        }
        try registry.claim(connection.signer, by: Self.client, showing: secret)
        // While one client waits for the owner's answer, another cannot use the secret.
        #expect(throws: NIP46Refusal.secretUsed) {
            try registry.claim(connection.signer, by: Self.other, showing: secret)
        }
        registry.release(connection.signer)
        try registry.claim(connection.signer, by: Self.other, showing: secret)
        registry.release(connection.signer)
        try await connect(connection, secret)
        for client in [Self.client, Self.other] {
            #expect(throws: NIP46Refusal.secretUsed) {
                try registry.claim(connection.signer, by: client, showing: secret)
            }
        }
        let (late, lateSecret) = try offer()
        clock.advance(seconds: BunkerConnection.offerSeconds + 3_600)
        #expect(throws: NIP46Refusal.invalidSecret) {
            try registry.claim(late.signer, by: Self.client, showing: lateSecret)
        }
        let left = try registry.refresh()
        #expect(left[late.signer] == nil && left[connection.signer] != nil)
        #expect(try rig.home.bunkerConnections().map(\.name) == ["client1"])
    }

    @Test("a refused client of its own URI is not asked about again, locked or not")
    func refused() throws {
        let account = try #require(try rig.home.accounts().first)
        func invite(_ name: String) throws -> BunkerConnection {
            let uri = try NostrConnectURI(
                "nostrconnect://\(Self.client)?relay=wss://r.example&secret=s")
            return try rig.home.acceptConnection(
                name, of: uri, to: account, passphrase: rig.passphrase)
        }
        let (one, other) = (try invite("one"), try invite("other"))
        #expect(try registry.refresh().count == 2)
        registry.refuse(one.signer)
        #expect(try rig.home.bunkerConnections().map(\.name) == ["other"])
        rig.home.vault.lock()
        registry.refuse(other.signer)
        #expect(try registry.refresh().isEmpty)
        try signer.unlock(passphrase: rig.passphrase)
        #expect(try registry.refresh().isEmpty)
        // A second process finds no connection either.
        let again = BunkerRegistry(of: rig.home, signer.ledger, environment: clock)
        #expect(try again.refresh().isEmpty && rig.home.bunkerConnections().isEmpty)
    }

    @Test("a connection outlives the process, and ends with its entry on record")
    func lives() async throws {
        let (connection, secret) = try offer("laptop")
        try await connect(connection, secret)
        let again = BunkerRegistry(of: rig.home, signer.ledger, environment: clock)
        let open = try #require(try again.refresh()[connection.signer])
        #expect(open.connection.state == .connected && open.connection.client == Self.client)
        #expect(open.connection.metadata?.name == "Notes")
        try await ask("logout", over: connection, expecting: "ack")
        let later = BunkerRegistry(of: rig.home, signer.ledger, environment: clock)
        #expect(try later.refresh().isEmpty)
        #expect(try rig.home.bunkerConnections().isEmpty)
    }

    @Test("while the vault is locked no client connects, and the open keys stay")
    func locked() async throws {
        let (connection, secret) = try offer()
        rig.home.vault.lock()
        #expect(try registry.refresh().count == 1)
        #expect(throws: NIP46Refusal.signerLocked) {
            try registry.claim(connection.signer, by: Self.client, showing: secret)
        }
        let fresh = BunkerRegistry(of: rig.home, signer.ledger, environment: clock)
        #expect(try fresh.refresh().isEmpty)
        try signer.unlock(passphrase: rig.passphrase)
        #expect(try fresh.refresh().count == 1)
    }

    @Test("the owner's acts take effect: names are unique, relays change, a revoked one is gone")
    func owner() async throws {
        let (connection, secret) = try offer("phone")
        #expect(throws: ServiceError.self) { try offer("phone") }
        #expect(throws: VaultError.self) { try offer("a b") }
        try await connect(connection, secret)
        try rig.home.setRelays(
            try RelayAddress.list(["wss://one.example", "wss://two.example"]), of: "phone",
            passphrase: rig.passphrase)
        let open = try #require(try registry.refresh()[connection.signer])
        #expect(open.connection.relays.count == 2 && open.connection.state == .connected)
        #expect(throws: ServiceError.self) {
            try rig.home.revokeConnection(named: "phnoe", passphrase: rig.passphrase)
        }
        // If the record cannot be written, the connection stays, so that it can be revoked later.
        let path = rig.home.home.ledgerPath
        let newest = Schema.ledger.version
        try SQLiteConnection(path: path).execute("PRAGMA user_version = \(newest + 1)")
        #expect(throws: LedgerError.self) {
            try rig.home.revokeConnection(named: "phone", passphrase: rig.passphrase)
        }
        try SQLiteConnection(path: path).execute("PRAGMA user_version = \(newest)")
        #expect(try !registry.refresh().isEmpty)
        try rig.home.revokeConnection(named: "phone", passphrase: rig.passphrase)
        #expect(try registry.refresh().isEmpty)
        // The record holds no connection any more.
        #expect(try signer.ledger.allConnections().isEmpty)
    }

    @Test("a move is reported once, and both sets of relays count for a day")
    func moves() async throws {
        let (connection, secret) = try offer("phone")
        try await connect(connection, secret)
        let before = connection.relays
        let after = try RelayAddress.list(["wss://one.example", "wss://two.example"])
        try rig.home.setRelays(after, of: "phone", passphrase: rig.passphrase)
        try rig.home.setRelays(after, of: "phone", passphrase: rig.passphrase)
        let open = try #require(try registry.refresh()[connection.signer]).connection
        #expect(open.move?.isNotified == false && open.move?.from == before)
        let now = try #require(open.move?.time)
        #expect(open.meetings(at: now.adding(seconds: 86_399)) == after + before)
        #expect(open.meetings(at: now.adding(seconds: 86_400)) == after)
        // While the vault is locked, the notice is kept for this run; it is stored later and stays.
        rig.home.vault.lock()
        #expect(
            try registry.noteMoveNotified(connection.signer).connection.move?.isNotified == true)
        try signer.unlock(passphrase: rig.passphrase)
        #expect(try registry.refresh()[connection.signer]?.connection.move?.isNotified == true)
        #expect(
            try registry.noteMoveNotified(connection.signer).connection.move?.isNotified == true)
        let again = BunkerRegistry(of: rig.home, signer.ledger, environment: clock)
        let kept = try #require(try again.refresh()[connection.signer]).connection
        #expect(kept.move?.isNotified == true && kept.relays == after)
        // A move back and forth: the relays before the second move still count.
        let back = open.moved(to: before, at: now)
        #expect(back.meetings(at: now) == before + after && back.move?.isNotified == false)
    }

    @Test("a connection that was ended on record by its owner is forgotten")
    func disconnected() async throws {
        let (connection, secret) = try offer("phone")
        try await connect(connection, secret)
        #expect(try !registry.isDisconnected(connection.signer))
        let ids = try signer.ledger.allConnections().map(\.id)
        try signer.ledger.end(connections: ids, at: clock.now())
        #expect(try registry.isDisconnected(connection.signer))
        try registry.end(connection.signer)
        #expect(try registry.refresh().isEmpty)
        #expect(try rig.home.bunkerConnections().isEmpty)
    }

    @Test("a logout that found the vault locked counts, and the key goes with the unlock")
    func endedWhileLocked() async throws {
        let (connection, secret) = try offer("phone")
        try await connect(connection, secret)
        rig.home.vault.lock()
        try await ask("logout", over: connection, expecting: "ack")
        try registry.end(connection.signer)
        #expect(try registry.refresh().isEmpty && rig.home.bunkerConnections().count == 1)
        try signer.unlock(passphrase: rig.passphrase)
        #expect(try registry.refresh().isEmpty)
        #expect(try rig.home.bunkerConnections().isEmpty)
    }

    @Test("before the first unlock it says how many get no answer, and nothing after it")
    func unanswered() async throws {
        let (connection, secret) = try offer("phone")
        try await connect(connection, secret)
        rig.home.vault.lock()
        let fresh = BunkerRegistry(of: rig.home, signer.ledger, environment: clock)
        #expect(fresh.waitingCount == 1 && registry.waitingCount == 0)
        try signer.unlock(passphrase: rig.passphrase)
        _ = try fresh.refresh()
        rig.home.vault.lock()
        #expect(fresh.waitingCount == 0)
    }

    @Test("a client's own URI makes a connection that waits to be answered")
    func invited() throws {
        let account = try #require(try rig.home.accounts().first)
        let uri = try NostrConnectURI(
            "nostrconnect://\(Self.client)?relay=wss://r.example&secret=abc&name=Notes")
        let connection = try rig.home.acceptConnection(
            nil, of: uri, to: account, passphrase: rig.passphrase)
        let open = try #require(try registry.refresh()[connection.signer])
        #expect(open.invitation == "abc" && open.connection.state == .invited)
        #expect(throws: NIP46Refusal.invalidSecret) {
            try registry.claim(connection.signer, by: Self.client, showing: "abc")
        }
    }
}
