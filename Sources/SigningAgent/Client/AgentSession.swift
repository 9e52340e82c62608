// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCrypto
package import SigningService

/// A session of the owner with an agent, by its token.
package struct AgentSession: Sendable {
    private let client: AgentClient
    private let token: String

    /// The result of an attempt to open a session.
    package enum Opening: Sendable {
        case open(AgentSession)
        /// The passphrase is wrong; the next attempt is possible after this number of seconds.
        case wrongPassphrase(retrySeconds: Int64)
    }

    /// Opens a session without the passphrase; nil unless the agent remembers this terminal.
    package static func open(at client: AgentClient) async throws(ServiceError) -> AgentSession? {
        let reply = try await client.ask("POST", "/v1/owner/terminals", [:])
        guard reply.isGood, let token = reply.json["token"]?.text else { return nil }
        return AgentSession(client: client, token: token)
    }

    /// Opens a session with the passphrase; with `forTerminal` the agent remembers this terminal.
    package static func open(
        with passphrase: borrowing SecretBytes, at client: AgentClient, forTerminal: Bool = false
    ) async throws(ServiceError) -> Opening {
        let sealed = try await client.sealed(passphrase)
        let reply = try await client.ask(
            "POST", "/v1/owner/sessions", sealed.body(forTerminal: forTerminal))
        if reply.code == "wrong_passphrase" {
            return .wrongPassphrase(
                retrySeconds: reply.header("retry-after").flatMap { Int64($0) } ?? 1)
        }
        guard reply.isGood, let token = reply.json["token"]?.text else { throw reply.refusal }
        return .open(AgentSession(client: client, token: token))
    }

    /// Sends one request in the session.
    package func ask(
        _ method: String, _ path: String, _ body: JSON? = nil, waitSeconds: Int64 = 0
    ) async throws(ServiceError) -> AgentReply {
        try await client.ask(
            method, path, body, headers: [("Authorization", "Bearer \(token)")],
            waitSeconds: waitSeconds)
    }

    /// Performs an act of the owner at the agent; `id` names its subject.
    package func perform(
        _ act: some DescribedAct, on id: String = "", query: String = "", _ body: JSON? = nil,
        waitSeconds: Int64 = 0
    ) async throws(ServiceError) -> AgentReply {
        guard let operation = act.description.operation else {
            throw ServiceError(
                "an agent does not offer \(act.description.name)",
                hint: "use the command: countersign \(act.description.name)")
        }
        return try await ask(
            operation.method, operation.path(of: id) + query, body, waitSeconds: waitSeconds)
    }

    /// Ends the session.
    package func close() async { _ = try? await ask("DELETE", "/v1/owner/sessions") }
}
