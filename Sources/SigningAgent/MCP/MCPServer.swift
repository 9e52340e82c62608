// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import Synchronization

/// Answers a client of the Model Context Protocol line by line by asking the agent.
///
/// It supports revision 2026-07-28, in which each request is independent, and earlier ones, which
/// begin with a handshake. Between calls it remembers only the client's name.
package final class MCPServer: Sendable {
    private struct State {
        var calls: [JSON: Task<Void, Never>] = [:]
        /// The name that the program gave itself in a handshake.
        var clientName: String?
    }

    private static let modern = "2026-07-28"
    /// Supported earlier revisions.
    ///
    /// A revision between them has batches, which are not supported.
    private static let old = ["2025-11-25", "2025-06-18", "2024-11-05"]

    private let tools: MCPTools
    private let name: String?
    private let version: String
    private let write: @Sendable ([UInt8]) -> Void
    private let state = Mutex(State())

    /// Creates a server for a home, whose agent is looked up at each call.
    ///
    /// `name` is the client's name for rules; nil for the name that the program gives itself. With
    /// an access `token` the token's name counts instead. `write` sends one line.
    package convenience init(
        of home: String, as name: String? = nil, bearing token: String? = nil, version: String,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.init(
            asking: { () async throws(ServiceError) in
                try await AgentClient.required(for: home).bearing(token)
            }, as: name, version: version, write: write)
    }

    init(
        asking agent: @escaping @Sendable () async throws(ServiceError) -> AgentClient,
        as name: String? = nil, version: String = "0",
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        tools = MCPTools(agent)
        self.name = name
        self.version = version
        self.write = write
    }

    /// Receives one line without its line end; its answer is sent later.
    package func receive(_ line: [UInt8]) {
        let message: MCPMessage
        do throws(MCPMessage.ParseError) {
            message = try MCPMessage(line)
        } catch {
            guard let id = error.id else { return }
            return put(["jsonrpc": "2.0", "id": id, "error": error.error.json])
        }
        guard let id = message.id else { return notice(message) }
        do throws(MCPError) {
            if let revision = message.revision, revision != Self.modern {
                throw MCPError(
                    -32_022, "unsupported protocol version",
                    data: ["supported": .array(revisions), "requested": .string(revision)])
            }
            if message.method == "tools/call" { return try begin(message, id) }
            put(["jsonrpc": "2.0", "id": id, "result": try result(of: message)])
        } catch {
            put(["jsonrpc": "2.0", "id": id, "error": error.json])
        }
    }

    /// Refuses a line that is too long.
    package func refuseLine() {
        let error = MCPError(-32_600, "a line has at most \(MCPLimits.lineBytesMax) bytes")
        put(["jsonrpc": "2.0", "id": .null, "error": error.json])
    }

    /// The longest line, in bytes.
    package static var lineBytesMax: Int { MCPLimits.lineBytesMax }

    /// Waits for the running calls, at most this time, and cancels the rest; the closed client gets
    /// no more answers.
    package func end(within time: Duration) async {
        let calls = state.withLock { Array($0.calls.values) }
        let clock = Task {
            try? await Task.sleep(for: time)
            for call in calls { call.cancel() }
        }
        for call in calls { await call.value }
        clock.cancel()
    }

    private var revisions: [JSON] { ([Self.modern] + Self.old).map { .string($0) } }

    private func result(of message: MCPMessage) throws(MCPError) -> JSON {
        switch message.method {
        case "server/discover":
            return whole(
                [
                    "supportedVersions": .array(revisions), "capabilities": capabilities,
                    "instructions": .string(MCPInstructions.text),
                ], message, isListing: true)
        case "initialize":
            let asked = message.params["protocolVersion"]?.text ?? ""
            state.withLock { $0.clientName = message.clientName }
            return [
                "protocolVersion": .string(Self.old.contains(asked) ? asked : Self.old[0]),
                "capabilities": capabilities, "serverInfo": serverInfo,
                "instructions": .string(MCPInstructions.text),
            ]
        case "ping": return whole([:], message)
        case "tools/list": return whole(["tools": MCPTools.list], message, isListing: true)
        default: throw MCPError(-32_601, "unknown method")
        }
    }

    private var capabilities: JSON { ["tools": ["listChanged": false]] }
    private var serverInfo: JSON { ["name": "countersign", "version": .string(version)] }

    /// Adds the members that the newer revision requires in a result.
    private func whole(_ result: JSON, _ message: MCPMessage, isListing: Bool = false) -> JSON {
        guard message.revision != nil else { return result }
        var members = result.object?.members ?? []
        members.insert(.init(name: "resultType", value: "complete"), at: 0)
        if isListing {
            members.append(.init(name: "ttlMs", value: 0))
            members.append(.init(name: "cacheScope", value: "private"))
        }
        let meta: JSON = ["io.modelcontextprotocol/serverInfo": serverInfo]
        members.append(.init(name: "_meta", value: meta))
        return .object(JSONObject(members))
    }

    private func notice(_ message: MCPMessage) {
        guard message.method == "notifications/cancelled", let id = message.params["requestId"]
        else { return }
        state.withLock { $0.calls[id] }?.cancel()
    }

    private func begin(_ message: MCPMessage, _ id: JSON) throws(MCPError) {
        let call = try tools.call(message.params, by: name ?? clientName(message)) {
            [self] words in progress(words, of: message)
        }
        try state.withLock { (state) throws(MCPError) in
            guard state.calls[id] == nil else {
                throw MCPError(-32_600, "a call with this id is still running")
            }
            guard state.calls.count < MCPLimits.callsMax else {
                throw MCPError(-32_000, "at most \(MCPLimits.callsMax) calls can run at one time")
            }
            state.calls[id] = Task {
                let outcome = await call()
                // A cancelled call gets no answer.
                if !Task.isCancelled {
                    put(["jsonrpc": "2.0", "id": id, "result": whole(outcome.result, message)])
                }
                self.state.withLock { _ = $0.calls.removeValue(forKey: id) }
            }
        }
    }

    private func clientName(_ message: MCPMessage) -> String? {
        message.clientName ?? state.withLock { $0.clientName }
    }

    private func progress(_ words: String, of message: MCPMessage) {
        guard let token = message.progressToken else { return }
        put([
            "jsonrpc": "2.0", "method": "notifications/progress",
            "params": [
                "progressToken": token, "progress": 0, "total": 1, "message": .string(words),
            ],
        ])
    }

    private func put(_ json: JSON) { write(json.write()) }
}
