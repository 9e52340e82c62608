// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import SigningStorage
package import Socket

/// `/v1/approvals`: questions to several approvers, only in an owner session.
///
/// An answer is the signature of an approver key in this home. The record decides whether it
/// counts, as for an answer from elsewhere.
package struct ApprovalResource: SocketResource {
    private let inbox: ApproverInbox
    private let queue: QuestionQueue
    private let sessions: OwnerSessions

    init(_ inbox: ApproverInbox, reportingTo queue: QuestionQueue, for sessions: OwnerSessions) {
        self.inbox = inbox
        self.queue = queue
        self.sessions = sessions
    }

    /// The answer to a request below `/v1/approvals`.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        let parts = request.head.path.split(separator: "/").map(String.init)
        guard parts.count >= 2, parts[0] == "v1", parts[1] == "approvals" else { return nil }
        // A client without a session learns nothing, not even which questions exist.
        let isUse = parts.count > 2
        if let refusal = sessions.refusal(of: request, isUse: isUse) { return refusal }
        let acts: [ServedAct<any Error>] = [
            ServedAct(OwnerActs.approvalList) { _ in try list() },
            ServedAct(OwnerActs.approvalShow) { id in try one(id) },
            ServedAct(OwnerActs.approvalAnswer) { id in try await answer(id, request) },
        ]
        // Reads the record and may wait for it, which blocks.
        return await withTaskExecutorPreference(BlockingThreads.shared) {
            do {
                return try await acts.served(request, at: "/" + parts.joined(separator: "/"))
            } catch {
                return .problem(409, "not_possible", ServiceError(error).message)
            }
        }
    }

    private func list() throws -> HTTPResponse {
        let now = queue.now()
        let items = try inbox.waiting(at: now).map { $0.listed(at: now) }
        return HTTPResponse(200, ["waiting": .array(items)])
    }

    private func one(_ id: String) throws -> HTTPResponse {
        let now = queue.now()
        guard let digest = Self.digest(id), let item = try inbox.item(digest, at: now) else {
            return Self.unknown
        }
        return HTTPResponse(200, item.json(at: now))
    }

    private func answer(_ id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.head.isJSON else { return .notJSON }
        let given: ApprovalAnswerBody
        do throws(QuestionAnswer.ParseError) {
            given = try ApprovalAnswerBody(request.body)
        } catch {
            return .problem(400, error.code, error.detail)
        }
        let now = queue.now()
        guard let digest = Self.digest(id), let item = try inbox.item(digest, at: now) else {
            return Self.unknown
        }
        guard given.seen == item.wordsDigest(at: now) else {
            return .problem(
                409, "other_words", "seen is not the digest of this question's text")
        }
        let open = given.isYes ? item.mayApprove : item.mayDeny
        switch try inbox.key(for: item.question, named: given.name, among: open) {
        case .failure(.none):
            return .problem(
                409, "no_approver_key", "this home has no approver key that the question asks")
        case .failure(.several(let names)):
            return .problem(
                409, "several_keys", "name one in \"as\": \(names.joined(separator: ", "))")
        case .success(let key):
            let signed = try inbox.sign(given.isYes, to: item.question, by: key)
            if let refusal = try await inbox.deliver(signed, to: digest, at: now) {
                return .problem(409, refusal.code, "the answer is not valid: \(refusal.text)")
            }
            queue.note(approvals: try inbox.waiting(at: now))
            return HTTPResponse(
                200, ["id": .string(id), "answer": .string(given.isYes ? "yes" : "no")])
        }
    }

    private static var unknown: HTTPResponse {
        .problem(404, JointAnswerError.unknown.code, JointAnswerError.unknown.text)
    }

    private static func digest(_ id: String) -> [UInt8]? {
        guard id.utf8.count == 64 else { return nil }
        return try? Hex.decode(id)
    }
}

/// The body of an answer to a question for several approvers.
private struct ApprovalAnswerBody {
    let isYes: Bool
    /// The digest of the words that were shown.
    let seen: String
    /// The name of the approver key; nil if there is only one.
    let name: String?

    private static let members = OwnerActs.approvalAnswer.description.arguments.map(\.name)

    init(_ body: [UInt8]) throws(QuestionAnswer.ParseError) {
        let json = try QuestionAnswer.object(body, members: Self.members)
        guard let word = json["answer"]?.text, word == "yes" || word == "no" else {
            throw QuestionAnswer.ParseError(
                code: "bad_member",
                detail: "answer must be yes or no: these answers are not remembered")
        }
        guard let seen = json["seen"]?.text, seen.utf8.count == 64 else {
            throw QuestionAnswer.ParseError(
                code: "bad_member", detail: "seen must be the digest of the words that were shown")
        }
        if let member = json["as"] {
            guard let text = member.text, !text.isEmpty,
                text.utf8.count <= GivenAnswer.textBytesMax
            else {
                throw QuestionAnswer.ParseError(
                    code: "bad_member",
                    detail: "as must be the name of an approver key of this home")
            }
        }
        isYes = word == "yes"
        self.seen = seen
        name = json["as"]?.text
    }
}

extension JointAnswerError {
    fileprivate var code: String {
        switch self {
        case .notAsked: "no_approver_key"
        case .retired: "retired"
        case .ownRequest: "own_request"
        case .ambiguous: "ambiguous"
        case .unsigned: "unsigned"
        case .late: "expired"
        case .repeated: "already_answered"
        case .unknown: "gone"
        }
    }
}
