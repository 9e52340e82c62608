// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Foundation
import SigningCodecs
import SigningCore
import SigningCrypto
import Synchronization

@testable import SigningAgent
@testable import SigningFiles
@testable import SigningService
@testable import SigningVault
@testable import Socket

/// Requests of any local program to the owner's part of the API, with and without an owner session.
///
/// The first bytes choose the session, the method and the path; a line of query and the body
/// follow.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count > 3 else { return 0 }
    let isOwner = input[0] & 1 == 1
    let method = ["GET", "POST", "DELETE", "PUT"][Int(input[1] % 4)]
    let parts = input.dropFirst(3).split(
        separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let line = String(decoding: parts[0], as: UTF8.self)
    // A long poll would only slow the run.
    guard !line.contains("wait") else { return 0 }
    OwnerHome.shared.take(
        isOwner: isOwner, method, place: Int(input[2]), line,
        body: parts.count > 1 ? Array(parts[1]) : [])
    return 0
}

/// A home with an agent's resources, and one waiting question for its owner.
private final class OwnerHome: Sendable {
    static let shared = OwnerHome()

    private static let paths = [
        "/v1/owner/key", "/v1/owner/sessions", "/v1/owner/terminals", "/v1/unlock",
        "/v1/questions", "/v1/questions/*",
        "/v1/questions/*/details", "/v1/questions/*/answer", "/v1/approvals", "/v1/approvals/*",
        "/v1/approvals/*/answer", "/v1/grants", "/v1/grants/*", "/v1/connections",
        "/v1/connections/*", "/v1/audit", "/v1/audit/*", "/v1/activity", "/v1/events", "/v1/keys",
        "/v1/policy", "/v1/limits", "/v1/explain", "/v1/known", "/v1/liquid", "/v1/liquid/*",
    ]
    /// Paths that every program of the user may read; all others need the owner or an access token.
    private static let open = [
        "/v1/owner/key", "/v1/owner/terminals", "/v1/keys", "/v1/policy", "/v1/limits",
        "/v1/explain", "/v1/known",
    ]
    private static let frame =
        "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
        + "&event=%7B%22kind%22%3A1%2C%22content%22%3A%22hello%22%7D"

    /// The clock of the home stands still, so that the question does not expire.
    private let queue: QuestionQueue
    private let question: ApprovalQuestion
    private let signer: LocalSigner
    private let sessions: OwnerSessions
    private let resources: [any SocketResource]

    init() {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "fuzz-owner-\(UUID())").path
        do {
            let passphrase = SecretBytes(copying: "correct horse".utf8.span)
            try OpenHome.create(at: path, speaking: .builtIn, passphrase: passphrase)
            let home = try OpenHome(at: path, speaking: .builtIn)
            try home.makeKey(.nostr, name: "app", passphrase: passphrase)
            let noted = NotedQuestion()
            let signer = try LocalSigner(of: home, asking: noted)
            try signer.unlock(passphrase: passphrase)
            let start = SystemEnvironment().now()
            queue = QuestionQueue(schemas: [], now: { start })
            question = Self.question(of: signer, asking: noted)
            let owner = OwnerCheck(of: home, by: signer)
            let sessions = OwnerSessions(vault: { home.vault.unlocking })
            let terminals = OwnerTerminals(vault: { home.vault.unlocking }, freeze: { 0 })
            let readers = Readers(sessions: sessions, authenticator: TokenAuthenticator(of: signer))
            resources = [
                OwnerResource(owner, remembering: terminals, lock: {}),
                OwnerSessionResource(sessions, of: owner, remembering: terminals),
                OwnerTerminalResource(terminals, opening: sessions),
                QuestionResource(queue, for: sessions),
                ApprovalResource(
                    ApproverInbox(of: home, signer.ledger), reportingTo: queue, for: sessions),
                RecordResource(
                    of: home, by: signer, for: readers, schemas: [],
                    reportingBy: RecordEvents(of: home, signer.ledger, reportingTo: queue.events)),
                EventResource(queue.events, for: readers),
                HomeResource(of: home, by: signer, knowing: sessions),
                LiquidResource(nil, in: home, for: sessions),
            ]
            self.signer = signer
            self.sessions = sessions
        } catch {
            fatalError("no home: \(error)")
        }
        atexit {
            try? FileManager.default.removeItem(atPath: OwnerHome.shared.signer.home.home.path)
        }
    }

    /// Answers a request and checks that the response is allowed for its sender.
    func take(isOwner: Bool, _ method: String, place: Int, _ line: String, body: [UInt8]) {
        let id = waiting()
        let names = line.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        // `*` stands for the waiting question, or for the id in the query.
        let named = names.first { $0.0 == "id" }?.1 ?? id
        let known = Self.paths[place % Self.paths.count]
        let path = place < 200 ? known.replacing("*", with: named) : "/v1/\(line)"
        let token = isOwner ? sessions.open(since: sessions.unlocking) ?? "" : named
        let head = HTTPHead(
            method: method, path: path,
            query: names.filter { $0.0 != "id" }.map { (name: $0.0, value: $0.1) },
            headers: [
                (name: "Content-Type", value: "application/json"),
                (name: "Authorization", value: "Bearer \(token)"),
            ])
        // `SEEN` stands for the digest of the question's text.
        let text = String(decoding: body, as: UTF8.self)
            .replacing("SEEN", with: queue.find(id)?.digest ?? "")
        let request = HTTPRequest(
            head: head, body: Array(text.utf8), peer: .inProcess(), process: 0)
        guard let response = respond(to: request) else { return }
        precondition((200..<600).contains(response.status), "a status that is none")
        let type = response.type
        precondition(
            !type.hasSuffix("json")
                || (try? JSON.parse(
                    response.body.span, limits: JSONLimits(bytesMax: 8 << 20, depthMax: 16)))
                    != nil,
            "an answer that is no JSON")
        guard !isOwner else { return sessions.close(token) }
        precondition(
            response.status >= 400 || Self.open.contains(path), "\(path) is answered to anybody")
        precondition(queue.find(id) != nil, "who is not the owner ended a question")
    }

    private func respond(to request: HTTPRequest) -> HTTPResponse? {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var found: HTTPResponse?
        Task { [resources] in
            for resource in resources where found == nil {
                found = await resource.respond(to: request)
            }
            done.signal()
        }
        done.wait()
        return found
    }

    /// The id of the waiting question; asks it again if it was answered.
    private func waiting() -> String {
        if let id = queue.overview.waiting.first?.id { return id }
        Task { [queue, question] in _ = try? await queue.decide(question) }
        while true {
            if let id = queue.overview.waiting.first?.id { return id }
            usleep(100)
        }
    }

    /// The question that a signer asks about a note.
    private static func question(of signer: LocalSigner, asking noted: NotedQuestion)
        -> ApprovalQuestion
    {
        let done = DispatchSemaphore(value: 0)
        Task {
            _ = await signer.answer(
                Frame(frame, from: .inProcess("fuzz")), over: AdapterID("nip155"))
            done.signal()
        }
        done.wait()
        guard let question = noted.question.withLock({ $0 }) else {
            fatalError("nothing was asked")
        }
        return question
    }
}

/// Notes the question, and never answers.
private final class NotedQuestion: Approval {
    let question = Mutex<ApprovalQuestion?>(nil)

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        self.question.withLock { $0 = question }
        throw .unavailable
    }
}
