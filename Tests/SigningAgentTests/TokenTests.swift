// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Foundation
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import SigningTesting
import SigningVault
import Testing

@testable import SigningAgent

/// An agent, and its owner in another process, who creates and revokes tokens.
private struct Owned {
    let queue = QuestionQueue(schemas: [])
    let rig: Rig
    private let own: OpenHome

    init(asking approval: (any Approval)? = nil) async throws {
        rig = try await Rig(asking: approval ?? queue)
        own = try OpenHome(at: rig.home.home.path, speaking: .builtIn)
        let source = """
            version = 1
            default = "ask"
            [[rule]]
            id = "bot"
            effect = "allow"
            protocol = "nostr"
            client = "token:bot"
            kind = [1, 7]
            limit = [{ count = 3, per = "1h", by = ["client"] }]
            [[rule]]
            id = "page"
            effect = "allow"
            protocol = "nostr"
            client = "https://app.example"
            "client.proof" = "browser"
            "client.profile" = "fox"
            kind = 1
            """
        try own.attest(policy: source, passphrase: Self.passphrase)
    }

    private static var passphrase: SecretBytes {
        SecretBytes(copying: "correct horse".utf8.span)
    }

    func make(
        _ name: String, isBrowser: Bool = false, days: Int64? = 1, scope: [String]? = nil,
        at time: Timestamp = SystemEnvironment().now()
    ) throws -> String {
        let text = AccessToken.makeText()
        let token = AccessToken(
            named: name, isBrowser: isBrowser, scope: .init(scope), at: time, days: days,
            text: text)
        try keep(token)
        return text.withSpan { bytes in
            String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        }
    }

    func revoke(_ name: String) throws {
        let token = try #require(try own.accessTokens().first { $0.name == name })
        try keep(token.revoking(at: SystemEnvironment().now()))
    }

    private func keep(_ token: AccessToken) throws {
        try own.change(with: Self.passphrase) { vault in
            try vault.setSetting(token.setting, to: token.settingText)
        }
    }

    func post(
        kind: Int, token: String?, members: String = "", path: String = "/v1/requests",
        waitSeconds: Int = 0
    ) async throws -> Rig.Answer {
        let url =
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
            + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22hello%22%7D"
        let wait = waitSeconds > 0 ? #","wait_seconds":\#(waitSeconds)"# : ""
        let body = #"{"wire":"nip155","frame":"\#(url)"\#(members)\#(wait)}"#
        return try await rig.ask("POST", path, body, token: token)
    }
}

@Suite("Access tokens at an agent", .timeLimit(.minutes(10)))
struct TokenTests {
    private static let page = #","origin":"https://app.example""#

    @Test("a rule about a token is for the client that sends it, not for a name that looks like it")
    func program() async throws {
        let owned = try await Owned(asking: NoApproval())
        let token = try owned.make("bot")
        #expect(try await owned.post(kind: 1, token: token).state == "done")
        for members in [
            #","client":"bot""#, #","client":"myapp""#, #","client":"token_bot""#, "",
        ] {
            let other = try await owned.post(kind: 1, token: nil, members: members)
            #expect(other.code == "approval_unavailable", "\(members)")
        }
        let claim = try await owned.post(kind: 1, token: nil, members: #","client":"token:bot""#)
        #expect(claim.status == 400 && claim.code == "reserved_name")
        // A token's limit is separate: two more requests, under any claimed name and for any
        // callback.
        for name in ["x", "y"] {
            let more = try await owned.post(
                kind: 1, token: token, members: #","client":"\#(name)""#)
            #expect(more.state == "done")
        }
        #expect(try await owned.post(kind: 1, token: token).code != nil)
        try await owned.rig.stop()
    }

    @Test("an access token reaches no act of the owner that does not name it")
    func acts() async throws {
        let owned = try await Owned()
        let token = try owned.make("bot", scope: [])
        let operations = OwnerActs.all.compactMap(\.operation)
        for operation in operations {
            let path = operation.path(of: String(repeating: "0", count: 32))
            let body = operation.hasBody ? "{}" : nil
            let asked = try await owned.rig.ask(operation.method, path, body, token: token)
            let unnamed = try await owned.rig.ask(operation.method, path, body)
            switch operation.permission {
            case .owner:
                #expect([401, 403].contains(asked.status), "\(path)")
                #expect(asked.code == "owner_session_needed", "\(path)")
                #expect(unnamed.status == 401, "\(path)")
            case .ownerAndClient:
                // There is no connection of this client.
                #expect(asked.status == (path.hasSuffix("0") ? 404 : 200), "\(path)")
                #expect(unnamed.status == 401, "\(path)")
            case .programs:
                #expect(asked.status == 403 && unnamed.status == 200, "\(path)")
            }
        }
        #expect(operations.count { $0.permission == .owner } >= 3)
        #expect(try owned.rig.home.freezeReason() == nil)
        try await owned.rig.stop()
    }

    @Test("revoked, expired, unknown and foreign tokens are refused, from the next request on")
    func ended() async throws {
        let owned = try await Owned(asking: NoApproval())
        let other = try await Owned(asking: NoApproval())
        let token = try owned.make("bot")
        #expect(try await owned.post(kind: 1, token: token).state == "done")
        let foreign = try await other.post(kind: 1, token: token)
        #expect(foreign.status == 401 && foreign.code == "token_unknown")
        let old = try owned.make("old", at: Timestamp(seconds: 1_700_000_000))
        #expect(try await owned.post(kind: 1, token: old).code == "token_expired")
        try owned.revoke("bot")
        for path in ["/v1/requests", "/v1/explain"] {
            let refused = try await owned.post(kind: 1, token: token, path: path)
            #expect(refused.status == 401 && refused.code == "token_revoked")
        }
        #expect(try await owned.rig.ask("GET", "/v1/keys", token: token).status == 401)
        // A program without a token is still a client without a name.
        #expect(try await owned.rig.ask("GET", "/v1/keys").status == 200)
        try await owned.rig.stop()
        try await other.rig.stop()
    }

    @Test("a token revoked while a person is asked makes the yes void")
    func revokedMeanwhile() async throws {
        let person = HeldApproval()
        let owned = try await Owned(asking: person)
        let token = try owned.make("bot")
        let pending = try await owned.post(kind: 4, token: token)
        #expect(pending.state == "pending")
        await person.isAsked()
        try owned.revoke("bot")
        let before = try owned.rig.signer.ledger.length().entries
        person.say(yes: true)
        while try owned.rig.signer.ledger.length().entries == before {
            try await Task.sleep(for: .milliseconds(10))
        }
        // The token was revoked meanwhile, and other clients cannot see the request.
        #expect(try await owned.rig.ask("GET", pending.place, token: token).status == 401)
        #expect(try await owned.rig.ask("GET", pending.place).status == 404)
        let last = try AuditLog.open(owned.rig.home.home).entries(limit: 1)
        #expect(last.first?.body.contains("revoked or expired meanwhile") == true)
        try await owned.rig.stop()
    }

    @Test("a page is its origin, in one profile, and not within another's page")
    func pages() async throws {
        let owned = try await Owned(asking: NoApproval())
        let fox = try owned.make("fox", isBrowser: true)
        let den = try owned.make("den", isBrowser: true)
        let bot = try owned.make("bot")
        #expect(try await owned.post(kind: 1, token: fox, members: Self.page).state == "done")
        let framed = Self.page + #","top_origin":"https://evil.example""#
        for (token, members) in [(den, Self.page), (fox, framed)] {
            let asked = try await owned.post(kind: 1, token: token, members: members)
            #expect(asked.code == "approval_unavailable")
        }
        let claimed = try await owned.post(
            kind: 1, token: nil, members: #","client":"https://app.example""#)
        #expect(claimed.code == "approval_unavailable")
        #expect(try await owned.post(kind: 1, token: bot, members: Self.page).status == 403)
        #expect(try await owned.post(kind: 1, token: nil, members: Self.page).status == 403)
        #expect(try await owned.post(kind: 1, token: fox).status == 422)
        try await owned.rig.stop()
    }

    @Test("a token's scope bounds its use")
    func scope() async throws {
        let owned = try await Owned(asking: NoApproval())
        let near = try owned.make("near", scope: ["near", "keys"])
        let refused = try await owned.post(kind: 1, token: near)
        #expect(refused.state == "failed" && refused.code == "out_of_scope")
        let entry = try AuditLog.open(owned.rig.home.home).entries(limit: 1).first
        #expect(entry?.kind == "refusal" && entry?.body.contains("token:near") == true)
        #expect(
            entry?.body.contains("the scope of the access token does not include nostr") == true)
        for (path, status) in [
            ("/v1/keys", 200), ("/v1/limits", 403), ("/v1/policy", 403),
        ] {
            #expect(try await owned.rig.ask("GET", path, token: near).status == status)
        }
        let explained = try await owned.post(kind: 1, token: near, path: "/v1/explain")
        #expect(explained.status == 403 && explained.code == "out_of_scope")
        let nostr = try owned.make("nostr", scope: ["nostr", "explain"])
        let reply = try await owned.post(kind: 1, token: nostr, path: "/v1/explain")
        #expect(reply.status == 200 && reply.body.contains("token:nostr"))
        try await owned.rig.stop()
    }

    @Test("a person sees proved, described and claimed facts of a client apart")
    func shown() async throws {
        let owned = try await Owned()
        let fox = try owned.make("fox", isBrowser: true)
        let members =
            Self.page + #","top_origin":"https://evil.example","client":"me","document":"A1""#
        let pending = try await owned.post(kind: 4, token: fox, members: members)
        #expect(pending.state == "pending")
        while owned.queue.overview.waiting.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        let held = try #require(owned.queue.overview.waiting.first)
        let json = held.whole(at: Timestamp(seconds: 0))
        let client = try #require(json["client"])
        #expect(client["proved"]?["token"]?.text == "fox")
        #expect(client["known_by"]?.text == "browser")
        #expect(client["proved"]?["answer_goes_to"]?.isNull == true)
        #expect(client["page"]?["origin"]?.text == "https://app.example")
        #expect(client["page"]?["top_origin"]?.text == "https://evil.example")
        #expect(client["page"]?["document"]?.text == "A1")
        #expect(client["claimed"]?.text == "me")
        #expect(held.text.contains("https://app.example (a page, says the browser fox)"))
        #expect(held.text.contains("https://evil.example"))
        #expect(held.text.contains("the page is inside a page of another site"))
        #expect(json["remember"]?["yes"]?.list?.isEmpty == true)
        _ = try await owned.rig.ask("DELETE", pending.place, token: fox)
        try await owned.rig.stop()
    }

    @Test("the text of a token is kept nowhere, its identity is on record")
    func record() async throws {
        let owned = try await Owned(asking: NoApproval())
        let token = try owned.make("bot")
        #expect(try await owned.post(kind: 1, token: token).state == "done")
        _ = try await owned.post(kind: 5, token: token)
        _ = try await owned.post(kind: 1, token: token + "0")
        let entries = try AuditLog.open(owned.rig.home.home).entries(limit: 10)
        #expect(entries.contains { $0.body.contains(#""id":"token:bot""#) })
        let folder = owned.rig.home.home.path
        let digits = token.dropFirst(AccessToken.prefix.utf8.count)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
                continue
            }
            #expect(data.range(of: Data(digits.utf8)) == nil, "\(name)")
        }
        try await owned.rig.stop()
    }

    @Test(
        "a clock that is set back makes no token valid again, and none is valid before its creation"
    )
    func clock() throws {
        let now = Timestamp(seconds: 1_800_000_000)
        let text = AccessToken.makeText()
        let token = AccessToken(
            named: "bot", isBrowser: false, scope: .init(nil), at: now, days: 1, text: text)
        let kept = AccessToken.all(in: [token.setting: token.settingText])
        #expect(kept == [token])
        let words = text.withSpan { bytes in
            String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        }
        #expect(words.utf8.count == AccessToken.textCount)
        #expect(try kept.holder(of: words, at: now) == token)
        let end = now.adding(seconds: 86_400)
        #expect(throws: AccessToken.Refusal.expired) { try kept.holder(of: words, at: end) }
        #expect(throws: AccessToken.Refusal.unknown) {
            try kept.holder(of: words.uppercased(), at: now)
        }
        let gone = AccessToken.all(
            in: [token.setting: token.revoking(at: now).settingText, "agent.token.x": "{}"])
        #expect(throws: AccessToken.Refusal.revoked) { try gone.holder(of: words, at: now) }
        // A scope that cannot be parsed grants nothing.
        let bad = token.settingText.replacing("\"browser\"", with: "\"scope\":7,\"browser\"")
        #expect(AccessToken.all(in: [token.setting: bad]).first?.scope.holds("nostr") == false)
    }
}
