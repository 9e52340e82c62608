// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCrypto
package import SigningService

/// Talks to the agent of a home: HTTP/1.1 on its Unix socket, one connection for each request.
///
/// It connects only to the process that holds the home's lock file.
package final class AgentClient: Sendable {
    /// The process id of the agent.
    package let process: Int32
    /// The path of the agent's socket.
    package let socket: String
    private let answerSeconds: Int64
    /// The access token for every request; nil for none.
    private let token: String?

    /// Creates a client for a process that listens at a socket.
    init(
        process: Int32, socket: String, answerSeconds: Int64 = AgentClient.answerSecondsDefault,
        token: String? = nil
    ) {
        self.process = process
        self.socket = socket
        self.answerSeconds = answerSeconds
        self.token = token
    }

    /// This client with an access token, or without one.
    package func bearing(_ token: String?) -> AgentClient {
        AgentClient(
            process: process, socket: socket, answerSeconds: answerSeconds, token: token)
    }

    /// Returns the client of the agent that serves a home; nil if no agent does.
    package static func find(for home: String) throws(ServiceError) -> AgentClient? {
        guard case .serving(let process, let socket) = try AgentPresence(in: home) else {
            return nil
        }
        return AgentClient(process: process, socket: socket)
    }

    /// Returns the client of a home's agent; a service manager starts the agent if it has a socket
    /// for it.
    package static func required(for home: String) async throws(ServiceError) -> AgentClient {
        var presence = try AgentPresence(in: home)
        if presence == .none {
            await AgentAwakening.wake(for: home)
            presence = try AgentPresence(in: home)
            // The agent may answer a connection before it has announced its socket.
            for _ in 0..<announceTries {
                guard case .silent = presence else { break }
                try? await Task.sleep(for: announcePause)
                presence = try AgentPresence(in: home)
            }
        }
        switch presence {
        case .serving(let process, let socket):
            return AgentClient(process: process, socket: socket)
        case .silent:
            throw ServiceError(
                "the agent of this home does not answer yet", hint: "try again in a moment")
        case .none:
            throw ServiceError(
                "no agent serves this home", hint: "start one: countersign agent start")
        }
    }

    private static let announceTries = 100
    private static let announcePause = Duration.milliseconds(20)

    /// The time for an answer that does not wait for a person, in seconds.
    static let answerSecondsDefault: Int64 = 15

    /// Sends a request and waits for the answer, `waitSeconds` longer than usual if the request
    /// waits that long.
    ///
    /// No thread is blocked. Cancelling the task closes the connection, which withdraws the
    /// request.
    package func ask(
        _ method: String, _ path: String, _ body: JSON? = nil,
        headers: [(name: String, value: String)] = [], waitSeconds: Int64 = 0
    ) async throws(ServiceError) -> AgentReply {
        let headers = headers + (token.map { [("Authorization", "Bearer \($0)")] } ?? [])
        // A line end in a value would let its author inject another request.
        let isPlain = ([method, path] + headers.flatMap { [$0.name, $0.value] }).allSatisfy {
            $0.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        }
        guard isPlain, !path.contains(" ") else {
            throw ServiceError(
                "a path or header for the agent has a space or a character that is not ASCII",
                hint: nil)
        }
        let end = ContinuousClock.now + .seconds(answerSeconds + waitSeconds)
        let link = try await AgentLink(to: socket, of: process, until: end)
        let request = Self.request(method, path, body, headers)
        let reply: Result<AgentReply, ServiceError> = await withTaskCancellationHandler {
            do throws(ServiceError) {
                try await link.send(request, until: end)
                return .success(try await AgentReply(from: link, until: end))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            link.cancel()
        }
        return try reply.get()
    }

    private static func request(
        _ method: String, _ path: String, _ body: JSON?, _ headers: [(name: String, value: String)]
    ) -> [UInt8] {
        let content = body?.write() ?? []
        var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Connection: close"]
        lines += headers.map { "\($0.name): \($0.value)" }
        if body != nil { lines.append("Content-Type: application/json") }
        if method != "GET" { lines.append("Content-Length: \(content.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content
    }

    /// A passphrase, sealed for the agent.
    package func sealed(
        _ passphrase: borrowing SecretBytes
    ) async throws(ServiceError) -> SealedPassphrase {
        let reply = try await ask("GET", "/v1/owner/key")
        guard reply.isGood else { throw reply.refusal }
        guard let text = reply.json["public_key"]?.text, let key = try? Base64.decode(text),
            let sealed = try? SealedPassphrase(sealing: passphrase, to: key)
        else { throw AgentReply.strange }
        return sealed
    }
}
