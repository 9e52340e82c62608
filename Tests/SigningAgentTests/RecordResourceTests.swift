// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import SigningVault
import Testing

@testable import SigningAgent
@testable import SigningCore

/// An agent with an owner session, and a grant on record.
private struct Owned {
    let rig: Rig
    let token: String
    let queue = QuestionQueue(schemas: [])

    init() async throws {
        rig = try await Rig(asking: queue)
        let passphrase = try SealedPassphrase(
            sealing: SecretBytes(copying: "correct horse".utf8.span), to: rig.owner.publicKey)
        let answer = try await rig.ask(
            "POST", "/v1/owner/sessions", #"{"passphrase":"\#(passphrase.text)"}"#)
        token = try #require(try JSON.parse(answer.body.utf8.span)["token"]?.text)
    }

    func json(_ path: String, status: Int = 200) async throws -> JSON {
        try await json(path, status: status, token: token)
    }

    func json(_ path: String, status: Int = 200, token: String?) async throws -> JSON {
        let answer = try await rig.ask("GET", path, token: token)
        #expect(answer.status == status, "\(path)")
        return try JSON.parse(
            answer.body.utf8.span, limits: JSONLimits(bytesMax: 1 << 20, depthMax: 12))
    }

    /// Says yes to a reaction for an hour.
    func remember() async throws {
        let pending = try await rig.post(kind: 7, waitSeconds: 0)
        #expect(pending.state == "pending")
        while queue.overview.waiting.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        let held = try #require(queue.overview.waiting.first)
        let answered = try await rig.ask(
            "POST", "/v1/questions/\(held.id)/answer",
            #"{"answer":"1h","seen":"\#(held.digest)"}"#, token: token)
        #expect(answered.status == 200)
        let done = try await rig.ask("GET", "\(pending.place)?wait_seconds=60")
        #expect(done.state == "done")
    }
}

@Suite("The owner's view of an agent", .timeLimit(.minutes(10)))
struct RecordResourceTests {
    private static let paths = [
        "/v1/grants", "/v1/grants/0000000000000000", "/v1/connections", "/v1/audit",
        "/v1/connections/00000000000000000000000000000000", "/v1/activity",
    ]

    @Test("a client without a session learns nothing, not even that there is a vault")
    func closed() async throws {
        let owned = try await Owned()
        for path in Self.paths {
            for method in ["GET", "DELETE"] {
                #expect(try await owned.rig.ask(method, path).status == 401)
                let wrong = try await owned.rig.ask(
                    method, path, token: String(repeating: "0", count: 64))
                #expect(wrong.status == 401 && wrong.code == "owner_session_needed")
            }
        }
        owned.rig.home.vault.lock()
        for path in Self.paths {
            #expect(try await owned.rig.ask("GET", path, token: owned.token).status == 401)
        }
        try await owned.rig.stop()
    }

    @Test("a remembered answer is listed, taken back, and asked about again")
    func grants() async throws {
        let owned = try await Owned()
        #expect(try await owned.json("/v1/grants")["grants"]?.list?.isEmpty == true)
        try await owned.remember()
        #expect(try await owned.rig.post(kind: 7).state == "done")
        let grant = try #require(try await owned.json("/v1/grants")["grants"]?.list?.first)
        #expect(grant["client"]?.text == "myapp" && grant["proof"]?.text == "claimed")
        #expect(grant["key"]?.text == "app" && grant["uses"]?.integerValue == 1)
        let place = "/v1/grants/\(try #require(grant["id"]?.text))"
        for _ in 0..<2 {
            let gone = try await owned.rig.ask("DELETE", place, token: owned.token)
            #expect(gone.status == 200 && gone.state == "revoked")
        }
        #expect(try await owned.json("/v1/grants")["grants"]?.list?.isEmpty == true)
        let all = try await owned.json("/v1/grants?all=true")["grants"]?.list
        #expect(all?.first?["state"]?.text == "revoked")
        let again = try await owned.rig.post(kind: 7, waitSeconds: 0)
        #expect(again.state == "pending")
        _ = try await owned.rig.ask("DELETE", again.place)
        for path in ["/v1/grants/0000000000000000", "/v1/grants/x"] {
            #expect(try await owned.rig.ask("DELETE", path, token: owned.token).status == 404)
        }
        _ = try await owned.json("/v1/grants?all=2", status: 400)
        try await owned.rig.stop()
    }

    @Test("a freeze stops all signing, with its reason on record")
    func freeze() async throws {
        let owned = try await Owned()
        func freeze(_ body: String?, token: String?) async throws -> Rig.Answer {
            try await owned.rig.ask("POST", "/v1/freeze", body, token: token)
        }
        for (body, status) in [
            (nil, 415), ("[]", 400), (#"{"reason":1}"#, 400), (#"{"why":"lost"}"#, 400),
        ] {
            #expect(try await freeze(body, token: owned.token).status == status, "\(body ?? "")")
        }
        let wrong = try await owned.rig.ask(
            "POST", "/v1/freeze?reason=lost", "{}", token: owned.token)
        #expect(wrong.status == 400)
        #expect(try await freeze("{}", token: nil).status == 401)
        #expect(try await owned.json("/v1/freeze", status: 405)["code"]?.text != nil)
        #expect(try owned.rig.home.freezeReason() == nil)
        let pending = try await owned.rig.post(kind: 7, waitSeconds: 0)
        while owned.queue.overview.waiting.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        let done = try await freeze(#"{"reason":"lost laptop"}"#, token: owned.token)
        let json = try JSON.parse(done.body.utf8.span)
        #expect(done.status == 200 && json["reason"]?.text == "lost laptop")
        #expect(json["on_record"] == true && json["frozen"] == true)
        #expect(try await owned.json("/v1/policy")["frozen"]?.text == "lost laptop")
        let unasked = try await owned.rig.post(kind: 7)
        #expect(unasked.code == "frozen" && owned.queue.overview.waiting.count == 1)
        let held = try #require(owned.queue.overview.waiting.first)
        let answered = try await owned.rig.ask(
            "POST", "/v1/questions/\(held.id)/answer",
            #"{"answer":"once","seen":"\#(held.digest)"}"#, token: owned.token)
        #expect(answered.status == 409 && answered.code == "void")
        _ = try await owned.rig.ask("DELETE", pending.place)
        #expect(try owned.rig.home.record(last: 10).contains { $0.kind == "freeze" })
        #expect(try await freeze("{}", token: owned.token).status == 200)
        #expect(try owned.rig.home.freezeReason() == "by the owner")
        try await owned.rig.stop()
    }

    @Test("a connection is listed and ended, on record")
    func connections() async throws {
        let owned = try await Owned()
        let ledger = owned.rig.signer.ledger
        let key = try #require(try owned.rig.home.accounts().first)
        let connection = ClientConnection(
            id: [UInt8](repeating: 7, count: 16), protocolID: key.protocolID,
            client: Client(id: "https://a.example", name: nil, proof: .browser(profile: "fox")),
            network: "mainnet", key: key.id, address: "a", started: Timestamp(seconds: 5))
        let now = SystemEnvironment().now()
        let policy = try Hex.decode(
            try #require(try await owned.json("/v1/policy", token: nil)["hash"]?.text))
        let intent = Intent(
            id: [UInt8](repeating: 1, count: 16), time: now, adapter: AdapterID("arc27"),
            protocolID: key.protocolID, method: "enable", client: connection.client,
            channel: "socket", login: nil, keys: [key.id],
            requestDigest: [UInt8](repeating: 1, count: 32), policyHash: policy,
            decidedBy: "policy", grants: [], scopes: [], facts: [[]], decoding: .full,
            frameBytes: 10, rules: [], effects: [], dangers: [], claims: [], replayToken: nil,
            serials: [], tokenWasSeen: nil)
        try await ledger.reserve(intent, currentPolicyHash: policy)
        try await ledger.settle(
            intent.id, .done(resultDigests: [], connections: [.opens(connection)]), at: now)
        let row = try #require(
            try await owned.json("/v1/connections")["connections"]?.list?.first)
        #expect(row["client"]?.text == "https://a.example" && row["profile"]?.text == "fox")
        let place = "/v1/connections/\(try #require(row["id"]?.text))"
        #expect(try await owned.rig.ask("DELETE", place, token: owned.token).status == 200)
        #expect(try await owned.rig.ask("DELETE", place, token: owned.token).status == 404)
        #expect(try await owned.json("/v1/connections")["connections"]?.list?.isEmpty == true)
        let last = try await owned.json("/v1/audit?limit=1")["entries"]?.list?.first
        #expect(last?["kind"]?.text == "revoke")
        #expect(last?["body"]?["sessions"]?.list?.count == 1)
        try ledger.flush()
        let report = try AuditLog.open(owned.rig.home.home).verify(
            logPublicKey: owned.rig.home.vault.logPublicKey(),
            lastKnownCheckpoint: owned.rig.home.vault.lastCheckpoint())
        #expect(report.problem == nil)
        try await owned.rig.stop()
    }

    @Test(
        "an amount is compared without rounding, in its own unit",
        arguments: [
            ("5", "5 NEAR", true), ("5", "4.999999999999999999999999 NEAR", false),
            ("5 near", "50 NEAR", true), ("5 ALGO", "50 NEAR", false), ("0.25", "0.3 ALGO", true),
            ("0.30", "0.3", true), ("007", "7", true), ("1000000000000000000000", "99", false),
            ("3", "[1 ALGO, 3 ALGO]", true), ("1", "\"2\"", false), ("0", "absent", false),
        ])
    func amounts(asked: String, words: String, isMet: Bool) throws {
        let amount = try #require(ComparedAmount(asked))
        #expect(ComparedAmount.all(in: words).contains(where: amount.isMet) == isMet)
    }

    @Test("the record comes in pages, and a search goes on where it ended")
    func audit() async throws {
        let owned = try await Owned()
        for kind in [1, 5, 1, 5, 1] { _ = try await owned.rig.post(kind: kind) }
        var seen: [Int64] = []
        var before = ""
        while true {
            let page = try await owned.json("/v1/audit?limit=2\(before)")
            let entries = page["entries"]?.list ?? []
            #expect(entries.count <= 2)
            seen += entries.compactMap { $0["sequence"]?.integerValue }
            guard let next = page["next"]?.integerValue else { break }
            before = "&before=\(next)"
        }
        #expect(seen == seen.sorted(by: >) && Set(seen).count == seen.count)
        #expect(seen.last == 1 && seen.count >= 8)
        let denied = try await owned.json("/v1/audit?outcome=denied")["entries"]?.list ?? []
        #expect(denied.count == 2 && denied.allSatisfy { $0["kind"]?.text == "refusal" })
        let named = try await owned.json("/v1/audit?client=myapp&text=KIND")["entries"]?.list ?? []
        // A request comes with its result.
        #expect(named.map { $0["kind"]?.text }.count { $0 != "result" } == 5)
        #expect(named.count { $0["kind"]?.text == "result" } == 3)
        let done = try await owned.json("/v1/audit?client=myapp&outcome=done&limit=2")
        let kinds = done["entries"]?.list?.compactMap { $0["kind"]?.text }
        #expect(kinds == ["result", "intent", "result", "intent"])
        // The page begins between a result and its request.
        let split = try #require(done["entries"]?.list?.first?["sequence"]?.integerValue)
        let rest = try await owned.json("/v1/audit?outcome=done&before=\(split)")["entries"]?.list
        #expect(rest?.count { $0["kind"]?.text == "intent" } == 3)
        let key = try #require(
            done["entries"]?.list?.last?["body"]?["keys"]?.list?.first?.text)
        for query in ["key=\(key)", "since=0", "until=9999999999", "text=kind&outcome=denied"] {
            let found = try await owned.json("/v1/audit?\(query)")["entries"]?.list ?? []
            #expect(!found.isEmpty, "\(query)")
        }
        for query in [
            "client=other", "text=nowhere", "key=0", "since=9999999999", "until=1", "amount=1",
        ] {
            #expect(try await owned.json("/v1/audit?\(query)")["entries"]?.list?.isEmpty == true)
        }
        for query in [
            "limit=0", "limit=201", "before=0", "before=x", "outcome=maybe", "other=1",
            "limit=1&limit=2", "since=-1", "since=x", "since=2&until=1", "amount=", "amount=-1",
            "amount=1.", "amount=1%20NEAR%20x", "amount=about%201",
        ] {
            _ = try await owned.json("/v1/audit?\(query)", status: 400)
        }
        try await owned.rig.stop()
    }

    @Test("requests are counted by client and verdict, in hours or days")
    func activity() async throws {
        let owned = try await Owned()
        try await owned.remember()
        for kind in [1, 5, 1, 7] { _ = try await owned.rig.post(kind: kind) }
        for (path, spans) in [
            ("/v1/activity", 48), ("/v1/activity?per=hour", 48), ("/v1/activity?per=day", 30),
        ] {
            let found = try await owned.json(path)
            #expect(found["spans"]?.integerValue == Int64(spans))
            #expect(found["since"] == found["start"] && found["others"] == .null)
            let row = try #require(found["clients"]?.list?.first)
            #expect(found["clients"]?.list?.count == 1)
            #expect(row["client"]?.text == "myapp" && row["proof"]?.text == "claimed")
            #expect(row["total"]?.integerValue == 5 && row["clients"]?.integerValue == 1)
            let verdicts = try #require(row["verdicts"]?.object)
            let counts = verdicts.members.map { verdict in
                (verdict.value.list ?? []).compactMap(\.integerValue).reduce(0, +)
            }
            #expect(verdicts.names == ["allowed", "approved", "denied", "remembered"])
            #expect(counts == [2, 1, 1, 1])
            #expect(row["verdicts"]?["denied"]?.list?.count == spans)
        }
        for query in ["per=week", "per=", "per=hour&per=day", "of=1"] {
            _ = try await owned.json("/v1/activity?\(query)", status: 400)
        }
        #expect(
            try await owned.rig.ask("DELETE", "/v1/activity", token: owned.token).status == 405)
        try await owned.rig.stop()
    }
}
