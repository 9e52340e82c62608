// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService
import SigningStorage
import SigningVault
import Synchronization
import Testing

@testable import SigningAgent
@testable import Socket

/// Notes the ids of requests that need a question, and has no person to ask.
private final class NotingApproval: Approval {
    private let ids = Mutex<[[UInt8]]>([])

    var requestIDs: [[UInt8]] { ids.withLock { $0 } }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        ids.withLock { $0 += [question.requestID ?? []] }
        throw .unavailable
    }
}

@Suite("What programs may learn about a home", .timeLimit(.minutes(10)))
struct HomeResourceTests {
    private func json(_ rig: Rig, _ path: String) async throws -> JSON {
        let answer = try await rig.ask("GET", path)
        #expect(answer.status == 200)
        return try JSON.parse(answer.body.utf8.span)
    }

    private func frame(kind: Int) -> String {
        let url =
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
            + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22hello%22%7D"
        return #"{"wire":"nip155","frame":"\#(url)"}"#
    }

    private func explained(_ rig: Rig, kind: Int) async throws -> JSON {
        let answer = try await rig.ask("POST", "/v1/explain", frame(kind: kind))
        #expect(answer.status == 200)
        return try JSON.parse(answer.body.utf8.span)
    }

    @Test("keys by their public halves, the policy in force and its limits, locked or not")
    func told() async throws {
        let rig = try await Rig(asking: NoApproval())
        for _ in 0..<2 {
            let keys = try await json(rig, "/v1/keys")["keys"]?.list ?? []
            #expect(keys.map { $0["name"]?.text } == ["app"])
            #expect(keys.first?["public_key"]?.text?.utf8.count == 64)
            let policy = try await json(rig, "/v1/policy")
            #expect(policy["rules"]?.integerValue == 2 && policy["frozen"]?.isNull == true)
            #expect(try await json(rig, "/v1/limits")["limits"]?.list?.isEmpty == true)
            rig.home.vault.lock()
        }
        #expect(try await rig.ask("POST", "/v1/keys").status == 405)
        #expect(try await rig.ask("GET", "/v1/keys?all=1").status == 400)
        try await rig.stop()
    }

    @Test("a request is judged and neither recorded nor signed")
    func explained() async throws {
        let rig = try await Rig(asking: NoApproval())
        let before = try rig.signer.ledger.length().entries
        let allowed = try await explained(rig, kind: 1)
        #expect(allowed["verdict"]?.text == "allow" && allowed["would_be_allowed"]?.isNull == true)
        #expect(allowed["reasons"]?.list?.first?["code"]?.isNull == true)
        #expect(allowed["locked"] == false)
        let denied = try await explained(rig, kind: 5)
        #expect(denied["verdict"]?.text == "deny")
        #expect(denied["reasons"]?.list?.first?["code"]?.text == "policy_denied")
        let asked = try await explained(rig, kind: 7)
        #expect(asked["verdict"]?.text == "ask")
        #expect(asked["would_be_allowed"]?.text?.contains("kind") == true)
        #expect(asked["summary"]?.text?.contains("hello") == true)
        #expect(try rig.signer.ledger.length().entries == before)
        rig.home.vault.lock()
        #expect(try await explained(rig, kind: 1)["locked"] == true)
        try await rig.stop()
    }

    @Test(
        "a denial has advice if the client wants it, and its id leads to question and record"
    )
    func advice() async throws {
        let approval = NotingApproval()
        let rig = try await Rig(asking: approval)
        func submit(kind: Int, _ more: String) async throws -> JSON {
            let body = frame(kind: kind).dropLast() + ",\(more)}"
            let answer = try await rig.ask("POST", "/v1/requests", String(body))
            return try JSON.parse(answer.body.utf8.span)
        }
        let denied = try await submit(kind: 5, #""advice":true"#)
        #expect(denied["state"]?.text == "denied")
        #expect(denied["advice"]?["limits"]?.list?.isEmpty == true)
        #expect(denied["advice"]?["would_be_allowed"]?.isNull == true)
        #expect(try await submit(kind: 5, #""advice":false"#)["advice"] == nil)
        let done = try await submit(kind: 1, #""advice":true"#)
        #expect(done["advice"] == nil)
        #expect(
            try await rig.ask("POST", "/v1/requests", #"{"frame":"x","advice":1}"#).status == 400)
        // The agent opens no address, so no request may claim that its answer goes only there.
        let opening = frame(kind: 1).dropLast() + #","opens_callbacks":true}"#
        #expect(try await rig.ask("POST", "/v1/requests", String(opening)).status == 400)
        #expect(try await rig.ask("POST", "/v1/explain", String(opening)).status == 200)

        let log = try AuditLog.open(rig.home.home)
        func entries(_ answer: JSON) throws -> [(kind: String, body: JSON)] {
            let id = try #require(answer["id"]?.text)
            let found = try log.entries(limit: 10, before: .max, containing: "\"id\":\"\(id)\"")
            return try found.map { ($0.kind, try JSON.parse($0.body.utf8.span)) }
        }
        let asked = try await submit(kind: 7, #""advice":true"#)
        #expect(asked["state"]?.text == "denied")
        #expect(asked["advice"]?["would_be_allowed"]?.text?.contains("kind") == true)
        #expect(approval.requestIDs.map { Hex.encode($0.span) } == [asked["id"]?.text])
        // The result is written with the next request at the latest.
        #expect(try entries(denied).map(\.kind) == ["refusal"])
        let signed = try entries(done)
        #expect(signed.map(\.kind) == ["result", "intent"])
        let reply = try #require(done["reply"]?.text)
        let event = try #require(signed.first?.body["identifiers"]?.list?.first?.text)
        #expect(event.utf8.count == 64 && signed.first?.body["identifiers"]?.list?.count == 1)
        #expect(reply.contains(event))
        try await rig.stop()
    }

    @Test("each client has two slow calls at a time, and holds up no other client")
    func turns() async throws {
        let rig = try await Rig(asking: NoApproval())
        let turns = Turns()
        let resource = HomeResource(
            of: rig.home, by: rig.signer, knowing: OwnerSessions(vault: { nil }), turns)
        func status(_ path: String) async -> UInt32? {
            let head = HTTPHead(method: "GET", path: path, query: [], headers: [])
            let request = HTTPRequest(
                head: head, body: [], peer: Peer(channel: "socket"), process: 0)
            return await resource.respond(to: request)?.status
        }
        let own = Peer(channel: "socket").countedClient
        let token = Peer(channel: "socket", credential: .program("bot")).countedClient
        for countedClient in [own, token] { for _ in 0..<2 { #expect(turns.take(countedClient)) } }
        #expect(await status("/v1/limits") == 503)
        #expect(await status("/v1/explain") == 503)
        #expect(await status("/v1/known") == 503)
        #expect(await status("/v1/keys") == 200)
        #expect(await status("/v1/health") == nil)
        turns.giveBack(own)
        #expect(await status("/v1/limits") == 200)
        #expect(await status("/v1/limits") == 200)
        try await rig.stop()
    }

    @Test("a frozen home would deny it, and a request that no wire reads is reported as such")
    func stopped() async throws {
        let rig = try await Rig(asking: NoApproval())
        try rig.signer.ledger.freeze("a test", at: Timestamp(seconds: 1_700_000_000))
        let frozen = try await explained(rig, kind: 1)
        #expect(frozen["verdict"]?.text == "deny")
        #expect(frozen["reasons"]?.list?.first?["code"]?.text == "frozen")
        #expect(try await json(rig, "/v1/policy")["frozen"]?.text == "a test")
        for (body, status) in [
            (#"{"wire":"nip155","frame":"nostrsigner://?"}"#, 422),
            (#"{"frame":"what is this"}"#, 422), (#"{"frme":""}"#, 400), ("[]", 400), ("{", 400),
        ] {
            #expect(try await rig.ask("POST", "/v1/explain", body).status == status)
        }
        try await rig.stop()
    }
}
