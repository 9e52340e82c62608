// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService

/// The calls that programs acting for people may make.
///
/// They read information, ask for signatures and wait for results; no tool decides a request.
struct MCPTools: Sendable {
    /// The result of a call.
    struct Outcome: Sendable {
        let json: JSON
        var isError = false

        var result: JSON {
            [
                "content": [["type": "text", "text": .string(text)]],
                "structuredContent": json, "isError": .bool(isError),
            ]
        }

        private var text: String { String(decoding: json.write(), as: UTF8.self) }
    }

    private let agent: @Sendable () async throws(ServiceError) -> AgentClient

    init(_ agent: @escaping @Sendable () async throws(ServiceError) -> AgentClient) {
        self.agent = agent
    }

    private static func wrong(_ text: String) -> @Sendable () async -> Outcome {
        { Outcome(json: ["error": .string(text)], isError: true) }
    }

    private static func isKey(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Prepares a call of a tool; `notify` reports the event that it waits for.
    ///
    /// Wrong arguments are reported in the call's result, where models read them (SEP-1303).
    func call(
        _ params: JSON, by client: String?, _ notify: @escaping @Sendable (String) -> Void
    ) throws(MCPError) -> @Sendable () async -> Outcome {
        let name = params["name"]?.text ?? ""
        guard let tool = MCPTool(rawValue: name) else {
            throw MCPError(-32_602, "unknown tool")
        }
        let arguments = params["arguments"] ?? [:]
        guard let object = arguments.object,
            object.names.allSatisfy({ tool.parameters.contains($0) })
        else {
            let names = tool.parameters.joined(separator: ", ")
            return Self.wrong("\(name) takes an object of: \(names.isEmpty ? "nothing" : names)")
        }
        if let key = arguments["idempotency_key"], !Self.isKey(key.text ?? "") {
            return Self.wrong("idempotency_key must have 1 to 128 visible characters")
        }
        let seconds = arguments["wait_seconds"].map { $0.integerValue ?? -1 }
        let waitSeconds = seconds ?? MCPLimits.waitSecondsDefault
        guard (0...MCPLimits.waitSecondsMax).contains(waitSeconds) else {
            return Self.wrong("wait_seconds must be a number from 0 to \(MCPLimits.waitSecondsMax)")
        }
        let call = MCPCall(
            tool: tool, arguments: arguments, client: client, waitSeconds: waitSeconds,
            notify: notify)
        return { [agent] in
            do throws(ServiceError) {
                return try await call.made(with: try await agent())
            } catch {
                var json: JSON = ["error": .string(error.message)]
                if let hint = error.hint {
                    json = ["error": .string(error.message), "hint": .string(hint)]
                }
                return Outcome(json: json, isError: true)
            }
        }
    }
}

/// One call of a tool.
struct MCPCall: Sendable {
    let tool: MCPTool
    let arguments: JSON
    let client: String?
    let waitSeconds: Int64
    let notify: @Sendable (String) -> Void

    func made(with agent: AgentClient) async throws(ServiceError) -> MCPTools.Outcome {
        switch tool {
        case .accounts: return Self.outcome(try await agent.ask("GET", "/v1/keys"))
        case .limits: return try await limits(of: agent)
        case .explain:
            return Self.outcome(try await agent.ask("POST", "/v1/explain", submission))
        case .submit: return try await submit(to: agent)
        case .wait: return try await followed(try id(), with: agent)
        case .withdraw:
            return Self.outcome(try await agent.ask("DELETE", "/v1/requests/\(try id())"))
        }
    }

    private static func outcome(_ reply: AgentReply) -> MCPTools.Outcome {
        MCPTools.Outcome(json: reply.json, isError: !reply.isGood)
    }

    private func id() throws(ServiceError) -> String {
        let id = arguments["id"]?.text ?? ""
        guard id.utf8.count == 32, id.utf8.allSatisfy({ Self.hex.contains($0) }) else {
            throw ServiceError(
                "unknown id \"\(VisibleText.quotable(String(id.prefix(64))))\"",
                hint: "use one that submit returned")
        }
        return id
    }

    private static let hex = Set("0123456789abcdef".utf8)

    /// The arguments that the agent accepts in a request.
    private var submission: JSON {
        var members: [JSONObject.Member] = []
        for name in ["wire", "frame", "frame_base64"] {
            if let value = arguments[name] { members.append(.init(name: name, value: value)) }
        }
        if let client { members.append(.init(name: "client", value: .string(client))) }
        return .object(JSONObject(members))
    }

    private func limits(of agent: AgentClient) async throws(ServiceError) -> MCPTools.Outcome {
        let limits = try await agent.ask("GET", "/v1/limits")
        let policy = try await agent.ask("GET", "/v1/policy")
        guard limits.isGood, policy.isGood else {
            return Self.outcome(limits.isGood ? policy : limits)
        }
        return MCPTools.Outcome(json: [
            "limits": limits.json["limits"] ?? [], "frozen": policy.json["frozen"] ?? .null,
        ])
    }

    /// Sends the request and waits for the result in one exchange: if the call is cancelled or the
    /// program ends, a request whose id was never returned is withdrawn.
    private func submit(to agent: AgentClient) async throws(ServiceError) -> MCPTools.Outcome {
        var members = submission.object?.members ?? []
        members.append(.init(name: "wait_seconds", value: .integer(waitSeconds)))
        members.append(.init(name: "advice", value: true))
        let headers = arguments["idempotency_key"]?.text.map { [("Idempotency-Key", $0)] } ?? []
        // Rules decide most requests at once.
        let notifier = Task { [notify] in
            guard waitSeconds > 1, (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            notify(Self.waiting)
        }
        defer { notifier.cancel() }
        return Self.outcome(
            try await agent.ask(
                "POST", "/v1/requests", .object(JSONObject(members)), headers: headers,
                waitSeconds: waitSeconds))
    }

    private static let waiting = "waiting for a person, who answers with: countersign inbox"

    private func followed(
        _ id: String, with agent: AgentClient
    ) async throws(ServiceError) -> MCPTools.Outcome {
        let place = "/v1/requests/\(id)?wait_seconds="
        let now = min(1, waitSeconds)
        var reply = try await agent.ask("GET", "\(place)\(now)", waitSeconds: now)
        if reply.isGood, reply.json["state"]?.text == "pending", waitSeconds > now {
            notify(Self.waiting)
            let rest = waitSeconds - now
            reply = try await agent.ask("GET", "\(place)\(rest)", waitSeconds: rest)
        }
        return try await advised(reply, with: agent)
    }

    /// Adds the remaining limits to a denial.
    private func advised(
        _ reply: AgentReply, with agent: AgentClient
    ) async throws(ServiceError) -> MCPTools.Outcome {
        guard reply.isGood, reply.json["state"]?.text == "denied", let object = reply.json.object
        else { return Self.outcome(reply) }
        let limits = try await agent.ask("GET", "/v1/limits")
        let advice: JSON = limits.isGood ? ["limits": limits.json["limits"] ?? []] : [:]
        return MCPTools.Outcome(
            json: .object(JSONObject(object.members + [.init(name: "advice", value: advice)])))
    }
}
