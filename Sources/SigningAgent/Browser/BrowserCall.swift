// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService

/// One frame of a page, with who asks as the browser tells.
struct BrowserCall {
    let id: String
    let wire: String
    let frame: String
    let origin: String
    let topOrigin: String
    /// The page that fills the tab; nil where an older extension does not tell.
    let tabOrigin: String?
    let document: String
    /// What the agent knows the browser by; nil where it was never paired.
    let token: String?
    /// Whether it is answered only where rules allow it.
    let isUnasked: Bool

    /// What goes back to the page: a reply of the wire, or a code and words.
    enum Outcome: Hashable {
        case reply(String)
        /// A reply that says that a key could not be used: the vault may be locked.
        case failed(String)
        case refused(code: String, text: String)
        /// The wire has no answer.
        case silent

        /// It as the extension takes it.
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

    /// By whom it is counted: the site of the page that fills the tab.
    var countedClient: CountedClient {
        let text = tabOrigin ?? topOrigin
        guard let tab = try? WebOrigin(text) else { return .page(of: "", inTabOf: text) }
        // Nobody registers names under an address: each of its ports is a server of its own.
        let site = tab.host.isAddress ? tab.place : tab.host.registrableDomain
        return .page(of: "", inTabOf: site)
    }

    /// Has the agent answer it; a task that is cancelled withdraws it.
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
            reply = try await agent.ended(reply.json["id"]?.text ?? "")
        }
        guard reply.isGood else { return Self.refusal(reply) }
        guard let text = reply.json["reply"]?.text else { return .silent }
        return reply.json["state"] == "failed" ? .failed(text) : .reply(text)
    }

    /// One that nobody makes, to learn whether a token is known.
    static func probe(bearing token: String) -> BrowserCall {
        BrowserCall(
            id: "", wire: "arc27", frame: "{}", origin: "https://pairing.invalid",
            topOrigin: "https://pairing.invalid", tabOrigin: nil, document: "pairing", token: token,
            isUnasked: true)
    }

    /// Why the agent hears nothing of who sends this; nil where it does, whatever it makes of it.
    func refusal(by agent: AgentClient) async throws(ServiceError) -> Outcome? {
        let reply = try await agent.bearing(token).ask("POST", "/v1/explain", submission())
        let isKnown = reply.status == 403 && reply.code == "out_of_scope"
        return [401, 403].contains(reply.status) && !isKnown ? Self.refusal(reply) : nil
    }

    /// It as the agent takes requests.
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
