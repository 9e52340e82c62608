// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import SigningVault
import Testing

@testable import SigningAgent
@testable import Socket

/// An agent with an owner session, and clients with access tokens.
private struct Connected {
    let queue = QuestionQueue(schemas: [])
    let rig: Rig
    let owner: String
    private let own: OpenHome

    init() async throws {
        rig = try await Rig(asking: queue)
        own = try OpenHome(at: rig.home.home.path, speaking: .builtIn)
        let passphrase = try SealedPassphrase(
            sealing: SecretBytes(copying: "correct horse".utf8.span), to: rig.owner.publicKey)
        let answer = try await rig.ask(
            "POST", "/v1/owner/sessions", #"{"passphrase":"\#(passphrase.text)"}"#)
        owner = try #require(try JSON.parse(answer.body.utf8.span)["token"]?.text)
    }

    func make(_ name: String, scope: [String]? = nil) throws -> String {
        let text = AccessToken.makeText()
        try keep(
            AccessToken(
                named: name, isBrowser: false, scope: .init(scope),
                at: SystemEnvironment().now(), days: 1, text: text))
        return text.withSpan { bytes in
            String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        }
    }

    func revoke(_ name: String) throws {
        let token = try #require(try own.accessTokens().first { $0.name == name })
        try keep(token.revoking(at: SystemEnvironment().now()))
    }

    /// Stores a token; tries again if the agent signed the record meanwhile.
    private func keep(_ token: AccessToken, attempts: Int = 5) throws {
        let passphrase = SecretBytes(copying: "correct horse".utf8.span)
        do {
            try own.change(with: passphrase) { vault in
                try vault.setSetting(token.setting, to: token.settingText)
            }
        } catch {
            guard attempts > 1, "\(error)".contains("try again") else { throw error }
            try keep(token, attempts: attempts - 1)
        }
    }

    /// Requests reactions, deletions and events of any kind for two hours.
    func ask(_ token: String?) async throws -> Rig.Answer {
        let call =
            #"{\"keys\":[\"app\"],\"scopes\":[{\"method\":\"sign_event\",\"kind\":7},"#
            + #"{\"method\":\"sign_event\",\"kind\":4},{\"method\":\"sign_event\"}],"#
            + #"\"seconds\":7200}"#
        return try await rig.ask(
            "POST", "/v1/requests",
            #"{"wire":"connect-nostr","frame":"\#(call)","wait_seconds":0}"#, token: token)
    }

    func question() async throws -> HeldQuestion {
        while queue.overview.waiting.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        return try #require(queue.overview.waiting.first)
    }

    /// Grants some of the requested permissions as the owner.
    func grant(_ choice: String) async throws -> Rig.Answer {
        let held = try await question()
        return try await rig.ask(
            "POST", "/v1/questions/\(held.id)/answer",
            #"{"answer":"once","seen":"\#(held.digest)","grant":"\#(choice)"}"#, token: owner)
    }

    func connect(_ token: String, granting choice: String) async throws -> JSON {
        let pending = try await ask(token)
        #expect(try await grant(choice).status == 200)
        let done = try await rig.ask("GET", "\(pending.place)?wait_seconds=60", token: token)
        return try JSON.parse(try #require(done.reply).utf8.span)
    }

    func connections(_ token: String) async throws -> [JSON] {
        let answer = try await rig.ask("GET", "/v1/connections", token: token)
        #expect(answer.status == 200)
        let json = try JSON.parse(
            answer.body.utf8.span, limits: JSONLimits(bytesMax: 1 << 20, depthMax: 12))
        return try #require(json["connections"]?.list)
    }

    /// The outcome of a client's reaction, or the state of a question.
    func react(_ token: String, kind: Int = 7) async throws -> String? {
        let url =
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
            + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22hello%22%7D"
        var answer = try await rig.ask(
            "POST", "/v1/requests", #"{"wire":"nip155","frame":"\#(url)","wait_seconds":0}"#,
            token: token)
        let place = answer.place
        while answer.state == "pending" {
            guard queue.overview.waiting.isEmpty else {
                _ = try await rig.ask("DELETE", place, token: token)
                while !queue.overview.waiting.isEmpty {
                    try await Task.sleep(for: .milliseconds(10))
                }
                break
            }
            try await Task.sleep(for: .milliseconds(10))
            answer = try await rig.ask("GET", place, token: token)
        }
        return answer.state
    }
}

private func text(_ stream: EventStream) -> String {
    var bytes: [UInt8] = []
    while case .bytes(let part) = stream.next(4_096, wake: {}) { bytes += part }
    return String(decoding: bytes, as: UTF8.self)
}

@Suite("Connections at an agent", .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test("a client asks, its owner grants a part, both read it, and the client gives it back")
    func whole() async throws {
        let connected = try await Connected()
        let (bot, other) = (try connected.make("bot"), try connected.make("other"))
        let reader = Reader.client(TokenClient(name: "bot", isBrowser: false))
        let events = try #require(connected.queue.events.follow(after: nil, as: reader) { true })
        let others = try #require(
            connected.queue.events.follow(
                after: nil, as: .client(TokenClient(name: "other", isBrowser: false))
            ) { true })
        let response = try await connected.connect(bot, granting: "1 1d")
        #expect(response["granted"]?.list?.count == 1 && response["asked"]?.list?.count == 2)
        let id = try #require(response["connections"]?.list?.first?["id"]?.text)
        for token in [bot, connected.owner] {
            let rows = try await connected.connections(token)
            #expect(rows.map { $0["id"]?.text } == [id])
            #expect(rows.first?["client"] == "token:bot" && rows.first?["key"] == "app")
            #expect(rows.first?["expires"]?.text != nil)
            let scope = try #require(rows.first?["scopes"]?.list?.first)
            #expect(scope["method"] == "sign_event" && scope["expires"]?.text != nil)
        }
        #expect(try await connected.connections(other).isEmpty)
        #expect(try await connected.react(bot) == "done")
        #expect(try await connected.react(bot, kind: 4) == "pending")
        #expect(try await connected.react(other) == "pending")
        let place = "/v1/connections/\(id)"
        #expect(try await connected.rig.ask("DELETE", place, token: other).status == 404)
        #expect(try await connected.rig.ask("DELETE", place).status == 401)
        #expect(try await connected.react(bot) == "done")
        #expect(try await connected.rig.ask("DELETE", place, token: bot).state == "revoked")
        #expect(try await connected.rig.ask("DELETE", place, token: bot).status == 404)
        #expect(try await connected.react(bot) == "pending")
        #expect(try await connected.connections(connected.owner).isEmpty)
        let seen = text(events)
        for name in ["connected", "remembered", "disconnected"] {
            #expect(seen.contains("event: \(name)\n"), "\(name)")
        }
        #expect(!seen.contains("event: question"))
        #expect(!text(others).contains("event: "))
        try await connected.rig.stop()
    }

    @Test("the question says all that is asked, and the owner takes a part of it back")
    func shown() async throws {
        let connected = try await Connected()
        let bot = try connected.make("bot")
        _ = try await connected.ask(bot)
        let words = try await connected.question().text
        for part in [
            "token:bot", "app", "sign_event", "kind 7", "kind 4", "every kind of event", "2 hours",
        ] {
            #expect(words.contains(part), "\(part) in \(words)")
        }
        // A wish with an unknown number is refused, and so is one that is too wide.
        for choice in ["3 1d", "4 1d", "0 1d", "1 2d"] {
            #expect(try await connected.grant(choice).status == 422, "\(choice)")
        }
        #expect(try await connected.grant("1,2 always").status == 200)
        while try await connected.connections(connected.owner).isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        let scopes = try #require(
            try await connected.connections(connected.owner).first?["scopes"]?.list)
        #expect(scopes.count == 2)
        for scope in scopes {
            let value = scope["facts"]?.list?.first?["value"]?.text
            guard value?.contains("7") == true else { continue }
            let place = "/v1/grants/\(try #require(scope["id"]?.text))"
            #expect(try await connected.rig.ask("DELETE", place, token: bot).status == 403)
            #expect(
                try await connected.rig.ask("DELETE", place, token: connected.owner).status == 200)
        }
        #expect(try await connected.react(bot) == "pending")
        #expect(try await connected.react(bot, kind: 4) == "done")
        try await connected.rig.stop()
    }

    @Test("a client without a token is not connected, nor one with a token for another protocol")
    func refused() async throws {
        let connected = try await Connected()
        let near = try connected.make("near", scope: ["near"])
        let unproved = try await connected.rig.ask(
            "GET", "\(try await connected.ask(nil).place)?wait_seconds=60")
        #expect(unproved.state == "failed" && unproved.code == "not_proved")
        #expect(unproved.reply?.contains(#""status":403"#) == true)
        let pending = try await connected.ask(near)
        let foreign = try await connected.rig.ask(
            "GET", "\(pending.place)?wait_seconds=60", token: near)
        #expect(foreign.code == "out_of_scope")
        for path in ["/v1/grants", "/v1/audit"] {
            let answer = try await connected.rig.ask("GET", path, token: near)
            #expect(answer.status == 403 && answer.code == "owner_session_needed")
        }
        let unknown = AccessToken.prefix + String(repeating: "0", count: 64)
        let answer = try await connected.rig.ask("GET", "/v1/connections", token: unknown)
        #expect(answer.status == 401 && answer.code == "token_unknown")
        try await connected.rig.stop()
    }

    @Test("a question is withdrawn with the access token of its client")
    func withdrawn() async throws {
        let connected = try await Connected()
        let bot = try connected.make("bot")
        _ = try await connected.ask(bot)
        let held = try await connected.question()
        try connected.revoke("bot")
        #expect(await held.waitForEnd() == .withdrawn)
        #expect(connected.queue.overview.waiting.isEmpty)
        let late = try await connected.rig.ask(
            "POST", "/v1/questions/\(held.id)/answer",
            #"{"answer":"once","seen":"\#(held.digest)","grant":"all 1d"}"#,
            token: connected.owner)
        #expect(late.status == 410)
        #expect(try await connected.connections(connected.owner).isEmpty)
        try await connected.rig.stop()
    }

    @Test("the owner's session reads what every program may read")
    func owner() async throws {
        let connected = try await Connected()
        for path in ["/v1/keys", "/v1/policy", "/v1/limits"] {
            #expect(
                try await connected.rig.ask("GET", path, token: connected.owner).status == 200)
        }
        _ = try await connected.rig.ask("DELETE", "/v1/owner/sessions", token: connected.owner)
        let ended = try await connected.rig.ask("GET", "/v1/limits", token: connected.owner)
        #expect(ended.status == 401 && ended.code == "owner_session_needed")
        try await connected.rig.stop()
    }

    @Test("a client follows at two places, and takes no place of its owner's")
    func followers() throws {
        let ring = EventRing()
        func follow(_ name: String) -> EventStream? {
            ring.follow(after: nil, as: .client(TokenClient(name: name, isBrowser: false))) {
                true
            }
        }
        let taken = (0..<EventRing.followersOfClientMax).compactMap { _ in follow("bot") }
        #expect(taken.count == EventRing.followersOfClientMax && follow("bot") == nil)
        let more = (0..<EventRing.followersMax).compactMap { follow("bot\($0)") }
        #expect(more.count == EventRing.followersMax - taken.count)
        let owners = (0..<EventRing.followersMax).compactMap { _ in
            ring.follow(after: nil) { true }
        }
        #expect(owners.count == EventRing.followersMax)
        #expect(ring.follow(after: nil) { true } == nil)
    }
}
