// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService

/// One frame from a page, with its client as the browser reports it.
struct BrowserCall {
    let id: String
    let wire: String
    let frame: String
    let origin: String
    let topOrigin: String
    /// The page that fills the tab; nil if an older extension does not report it.
    let tabOrigin: String?
    let document: String
    /// The access token of the browser; nil if it was never paired.
    let token: String?
    /// True if the call is answered only when rules allow it, without a question.
    let isUnasked: Bool

    /// The result for the page: a reply of the wire, or a code and a text.
    enum Outcome: Hashable {
        case reply(String)
        /// A reply that reports an unusable key: the vault may be locked.
        case failed(String)
        case refused(code: String, text: String)
        /// The wire has no answer.
        case silent

        /// The result in the form that the extension reads.
        func json(to id: String) -> JSON {
            switch self {
            case .reply(let text): ["id": .string(id), "reply": .string(text)]
            case .failed(let text):
                ["id": .string(id), "reply": .string(text), "failed": true]
            case .refused(let code, let text):
                ["id": .string(id), "code": .string(code), "message": .string(text)]
            case .silent: ["id": .string(id), "code": "silent", "message": ""]
            }
        }
    }

    private static let waitSeconds: Int64 = 100

    /// The client that the call counts for: the site of the page that fills the tab.
    var countedClient: CountedClient {
        let text = tabOrigin ?? topOrigin
        guard let tab = try? WebOrigin(text) else { return .page(of: "", inTabOf: text) }
        // An IP address has no registrable domain: each of its ports is a separate server.
        let site = tab.host.isAddress ? tab.place : tab.host.registrableDomain
        return .page(of: "", inTabOf: site)
    }

    /// Sends the call to the agent and returns the result; cancelling the task withdraws the
    /// request.
    func made(with agent: AgentClient) async throws(ServiceError) -> Outcome {
        let agent = agent.bearing(token)
        if isUnasked {
            let explained = try await agent.ask("POST", "/v1/explain", submission())
            guard explained.isGood, explained.json["verdict"] == "allow" else { return .silent }
        }
        var reply = try await agent.ask(
            "POST", "/v1/requests", submission(waitSeconds: Self.waitSeconds),
            headers: [("Idempotency-Key", id)], waitSeconds: Self.waitSeconds)
        if reply.isGood, reply.json["state"] == "pending" {
            reply = try await agent.result(of: reply.json["id"]?.text ?? "")
        }
        guard reply.isGood else { return Self.refusal(reply) }
        guard let text = reply.json["reply"]?.text else { return .silent }
        return reply.json["state"] == "failed" ? .failed(text) : .reply(text)
    }

    /// A call that is never executed; it serves to check a token.
    static func probe(bearing token: String) -> BrowserCall {
        BrowserCall(
            id: "", wire: "arc27", frame: "{}", origin: "https://pairing.invalid",
            topOrigin: "https://pairing.invalid", tabOrigin: nil, document: "pairing", token: token,
            isUnasked: true)
    }

    /// The reason that the agent does not accept the sender; nil if it does.
    func refusal(by agent: AgentClient) async throws(ServiceError) -> Outcome? {
        let reply = try await agent.bearing(token).ask("POST", "/v1/explain", submission())
        let isKnown = reply.status == 403 && reply.code == "out_of_scope"
        return [401, 403].contains(reply.status) && !isKnown ? Self.refusal(reply) : nil
    }

    /// The call in the form in which the agent accepts requests.
    func submission(waitSeconds: Int64? = nil) -> JSON {
        var members: [JSONObject.Member] = [
            .init(name: "wire", value: .string(wire)), .init(name: "frame", value: .string(frame)),
            .init(name: "origin", value: .string(origin)),
            .init(name: "top_origin", value: .string(topOrigin)),
            .init(name: "document", value: .string(document)),
        ]
        if let tabOrigin {
            members.append(.init(name: "tab_origin", value: .string(tabOrigin)))
        }
        if let waitSeconds {
            members.append(.init(name: "wait_seconds", value: .integer(waitSeconds)))
        }
        return .object(JSONObject(members))
    }

    static func refusal(_ reply: AgentReply) -> Outcome {
        let detail = reply.json["detail"]?.text ?? "the agent answered \(reply.status)"
        let code =
            switch reply.status {
            case 401, 403: "not_paired"
            case 413: "payload_too_large"
            case 429, 503: "busy"
            default: "bad_request"
            }
        return .refused(code: code, text: detail)
    }
}
