// SPDX-License-Identifier: Apache-2.0

import NIP46
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import Synchronization
import TestHome
import Testing

@testable import SigningService

/// The decisions about clients over relays, by the verdicts of a signer.
@Suite("Decisions about clients over relays")
struct HomeBunkerTests {
    private static let client = String(repeating: "1b", count: 32)
    private static let other = String(repeating: "2c", count: 32)

    private let rig: Rig
    private let signer: LocalSigner
    private let registry: BunkerRegistry
    private let bunker: HomeBunker
    private let relay: RelayAddress

    init() throws {
        rig = try Rig()
        signer = try LocalSigner(of: rig.home)
        try signer.unlock(passphrase: rig.passphrase)
        registry = BunkerRegistry(of: rig.home, signer.ledger)
        bunker = HomeBunker(
            of: registry, following: HomeWatch(of: rig.home, records: [signer.ledger]))
        relay = try RelayAddress("wss://r.example")
    }

    private func offer(perms: String = "") throws -> (ServedConnection, secret: String) {
        let account = try #require(try rig.home.accounts().first)
        let (connection, uri) = try rig.home.offerConnection(
            "phone", to: account, over: [relay], perms: perms, passphrase: rig.passphrase)
        _ = try bunker.refresh()
        return (
            try #require(bunker.connection(of: connection.signer)), try #require(uri.secret)
        )
    }

    private func invite(perms: String = "sign_event:1") throws -> ServedConnection {
        let account = try #require(try rig.home.accounts().first)
        let uri = try NostrConnectURI(
            "nostrconnect://\(Self.client)?relay=wss://r.example&secret=s&perms=\(perms)")
        let connection = try rig.home.acceptConnection(
            "phone", of: uri, to: account, passphrase: rig.passphrase)
        _ = try bunker.refresh()
        return try #require(bunker.connection(of: connection.signer))
    }

    private func envelope(
        _ method: String, _ params: [String] = [], over connection: ServedConnection,
        by author: String = client
    ) -> OpenedEnvelope {
        let call = NIP46Call(id: "1", method: method, params: params)
        return OpenedEnvelope(
            over: connection, by: author, Randomness.bytes(32), call, call.bytes, .nip44)
    }

    /// A signer that carries out each call and writes this reply.
    private func done(_ reply: String = "{}") -> Asked {
        Asked(.outcome(.done([])), reply, after: signer)
    }

    /// Connects the client by its secret.
    private func connected() async throws -> ServedConnection {
        let (connection, secret) = try offer()
        let call = envelope("connect", [connection.signer, secret], over: connection)
        #expect(bunker.admit(call, from: relay) == .connecting)
        let reply = try #require(await bunker.connect(call, by: done().ask))
        #expect(reply.connection.client == Self.client && !reply.isLast)
        return reply.connection
    }

    private static let rejected = Answer.Result.outcome(.denied(Reason(.personDenied, "no")))

    @Test("the verdict connects a client, not the text of the reply")
    func verdict() async throws {
        let (connection, secret) = try offer()
        let call = envelope("connect", [connection.signer, secret], over: connection)
        for ending in [Self.rejected, .outcome(.failed(Reason(.keyFailed, "broken")))] {
            #expect(bunker.admit(call, from: relay) == .connecting)
            let asked = Asked(ending, #"{"id":"1","result":"ack"}"#)
            let reply = try #require(await bunker.connect(call, by: asked.ask))
            #expect(reply.connection.client == nil)
        }
        // The secret is free again for another client.
        let second = envelope(
            "connect", [connection.signer, secret], over: connection, by: Self.other)
        #expect(bunker.admit(second, from: relay) == .connecting)
        let reply = try #require(await bunker.connect(second, by: done("not JSON").ask))
        #expect(reply.connection.client == Self.other)
        #expect(reply.messages == [Array("not JSON".utf8)])
    }

    @Test("only a connected client is served, and a connect without the secret is refused")
    func admission() async throws {
        let (connection, secret) = try offer()
        let ping = envelope("ping", over: connection)
        #expect(bunker.admit(ping, from: relay) == .refused(ping.call.reply(.notConnected)))
        // The next refusals within a minute get no reply.
        #expect(bunker.admit(ping, from: relay) == .ignored)
        let wrong = envelope("connect", [connection.signer, "guess"], over: connection)
        #expect(bunker.admit(wrong, from: relay) == .refused(wrong.call.reply(.invalidSecret)))
        let right = envelope("connect", [connection.signer, secret], over: connection)
        #expect(bunker.admit(right, from: relay) == .connecting)
        let kept = try #require(await bunker.connect(right, by: done().ask)).connection
        #expect(bunker.admit(envelope("ping", over: kept), from: relay) == .served)
        let stranger = envelope("ping", over: kept, by: Self.other)
        #expect(bunker.admit(stranger, from: relay) == .ignored)
    }

    @Test("a connect without permissions asks for those that the owner offers")
    func rewritten() async throws {
        let (connection, secret) = try offer(perms: "sign_event:1")
        let call = envelope("connect", [connection.signer, secret], over: connection)
        let asked = Asked(Self.rejected, "{}")
        #expect(bunker.admit(call, from: relay) == .connecting)
        _ = await bunker.connect(call, by: asked.ask)
        let frame = try #require(asked.frames.first)
        #expect(
            NIP46Call(frame.bytes.span)?.params == [connection.signer, secret, "sign_event:1"])
        #expect(frame.enclosure == call.eventID && frame.peer.channel == .relay)
        #expect(frame.peer.provedKey?.publicKey == Self.client)
        #expect(frame.peer.provedKey?.hasSigned == true)
    }

    @Test("new relays are reported once, and only by a call that was carried out")
    func moved() async throws {
        let connection = try await connected()
        try rig.home.setRelays(
            try RelayAddress.list(["wss://one.example"]), of: "phone", passphrase: rig.passphrase)
        _ = try bunker.refresh()
        let call = { envelope("switch_relays", over: connection) }
        let plain = #"{"id":"1","result":"null"}"#
        for (asked, reports) in [(Asked(Self.rejected, plain), false), (done(plain), true)] {
            let reply = try #require(await bunker.serve(call(), by: asked.ask))
            let moved = call().call.reply(result: .string(#"["wss://one.example"]"#))
            #expect(reply.messages == [reports ? moved : Array(plain.utf8)])
        }
        let again = await bunker.serve(call(), by: done(plain).ask)
        #expect(again?.messages == [Array(plain.utf8)])
    }

    @Test("a logout ends a connection if it was carried out, and so does an end on record")
    func ends() async throws {
        let connection = try await connected()
        let logout = envelope("logout", over: connection)
        let denied = await bunker.serve(
            logout, by: Asked(Self.rejected, #"{"id":"1","result":"ack"}"#).ask)
        #expect(denied?.isLast == false)
        let ping = envelope("ping", over: connection)
        let unconnected = Answer.Result.refused(
            AdapterError(code: "not connected", reason: "", reply: .silence("")))
        // The record still holds the connection, so the refusal has another reason.
        #expect(await bunker.serve(ping, by: Asked(unconnected, "{}").ask)?.isLast == false)
        #expect(await bunker.serve(logout, by: done().ask)?.isLast == true)
        #expect(await bunker.serve(ping, by: Asked(unconnected, "{}").ask)?.isLast == true)
        let bytes = String(decoding: ping.call.reply(.notConnected), as: UTF8.self)
        #expect(await bunker.serve(ping, by: Asked(Self.rejected, bytes).ask)?.isLast == false)
        #expect(try rig.home.bunkerConnections().count == 1)
        bunker.end(connection)
        #expect(bunker.connection(of: connection.signer) == nil)
        #expect(try rig.home.bunkerConnections().isEmpty)
    }

    @Test("a person's no to a client's own URI is final, and a rule's is not")
    func invited() async throws {
        let connection = try invite()
        let reply = #"{"id":"1","error":"user rejected"}"#
        let byRule = Answer.Result.outcome(.denied(Reason(.policyDenied, "no")))
        #expect(await bunker.invite(connection, by: Asked(byRule, reply).ask) == nil)
        #expect(try rig.home.bunkerConnections().count == 1)
        #expect(await bunker.invite(connection, by: Asked(Self.rejected, "{}").ask) == nil)
        #expect(try rig.home.bunkerConnections().isEmpty)
    }

    @Test("an invited client gets its secret, and then the reply of the signer")
    func welcome() async throws {
        let asked = done(#"{"id":"1","result":"ack"}"#)
        let connection = try invite(perms: "")
        let reply = try #require(await bunker.invite(connection, by: asked.ask))
        let texts = try reply.messages.map { try JSON.parse($0.span)["result"]?.text }
        #expect(texts == ["s", "ack"])
        #expect(connection.isInvited && !reply.connection.isInvited)
        #expect(asked.frames.first?.peer.provedKey?.hasSigned == false)
    }

    @Test("too many calls are refused in words, and a transport that stops sends nothing")
    func limits() async throws {
        let connection = try await connected()
        let call = envelope("ping", over: connection)
        let busy = await bunker.serve(call) { _ throws(Connections.Refusal) in
            throw .tooManyOfPeer
        }
        #expect(busy?.messages == [call.call.reply(.rateLimited)] && busy?.isLast == false)
        let stopping = await bunker.serve(call) { _ throws(Connections.Refusal) in
            throw .draining
        }
        #expect(stopping == nil)
    }

    @Test("wrong secrets are answered ever more slowly, and calls before connect once a minute")
    func slowly() throws {
        let (limit, start) = (UnknownClientLimit(), Int64(1_714_078_911))
        let (served, _) = try offer()
        let offered = try #require(registry.known[served.signer]).connection
        #expect(limit.mayReply(.notConnected, of: offered, by: relay, at: start))
        #expect(!limit.mayReply(.notConnected, of: offered, by: relay, at: start + 59))
        #expect(limit.mayReply(.notConnected, of: offered, by: relay, at: start + 60))
        var (now, waits) = (start + 100, [Int64]())
        for _ in 0..<8 {
            var wait: Int64 = 0
            while !limit.mayReply(.invalidSecret, of: offered, by: relay, at: now + wait) {
                wait += 1
            }
            waits.append(wait)
            now += wait
        }
        #expect(waits == [0, 1, 2, 4, 8, 16, 32, 60])
    }

    @Test("of unknown clients one event in ten seconds is opened once a client is connected")
    func unknown() async throws {
        let (offered, _) = try offer()
        let limit = UnknownClientLimit()
        let connection = try #require(registry.known[offered.signer]).connection
        #expect((0..<50).allSatisfy { _ in limit.admits(connection, by: relay, at: 0) })
        let taken = connection.connected(to: Self.client, nil)
        #expect((0..<50).count { _ in limit.admits(taken, by: relay, at: 100) } == 1)
        #expect(limit.admits(taken, by: relay, at: 110))
    }
}

/// A signer with one verdict and one reply, which keeps the frames.
private final class Asked: Sendable {
    private let ending: Answer.Result
    private let reply: [UInt8]
    /// The signer that carries out each frame, if any.
    private let signer: LocalSigner?
    private let kept = Mutex<[Frame]>([])

    init(_ ending: Answer.Result, _ reply: String, after signer: LocalSigner? = nil) {
        self.ending = ending
        self.reply = Array(reply.utf8)
        self.signer = signer
    }

    var frames: [Frame] { kept.withLock { $0 } }

    /// Answers a frame.
    @Sendable
    func ask(_ frame: Frame) async throws(Connections.Refusal) -> Answer {
        kept.withLock { $0.append(frame) }
        if let signer {
            let answer = await signer.answer(frame, over: AdapterID("nip46"))
            #expect(answer.word == "done")
        }
        return .handledElsewhere(.message(reply), ending, deliveries: [])
    }
}
