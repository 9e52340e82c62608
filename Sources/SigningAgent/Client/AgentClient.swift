// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCrypto
package import SigningService

/// Talks to the agent of a home: HTTP/1.1 on its Unix socket, one connection for each request.
///
/// It connects to the process that holds the home's seat and to no other.
package final class AgentClient: Sendable {
    /// The process that answers.
    package let process: Int32
    /// Where it answers.
    package let socket: String
    private let answerSeconds: Int64
    /// The access token that goes with everything it asks.
    private let token: String?

    /// One for a process that listens at a socket.
    init(
        process: Int32, socket: String, answerSeconds: Int64 = AgentClient.answerSecondsDefault,
        token: String? = nil
    ) {
        self.process = process
        self.socket = socket
        self.answerSeconds = answerSeconds
        self.token = token
    }

    /// One that sends an access token, where there is one.
    package func bearing(_ token: String?) -> AgentClient {
        AgentClient(
            process: process, socket: socket, answerSeconds: answerSeconds, token: token)
    }

    /// The client of the agent that serves a home; nil where none does.
    package static func find(for home: String) throws(ServiceError) -> AgentClient? {
        guard case .serving(let process, let socket) = try AgentPresence(in: home) else {
            return nil
        }
        return AgentClient(process: process, socket: socket)
    }

    /// The same where there has to be one: a service manager that listens for it starts it.
    package static func required(for home: String) async throws(ServiceError) -> AgentClient {
        var presence = try AgentPresence(in: home)
        if presence == .none {
            await AgentAwakening.wake(for: home)
            presence = try AgentPresence(in: home)
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

    /// How long an answer may take that nobody is to be waited for, in seconds.
    static let answerSecondsDefault: Int64 = 15

    /// Asks for one thing, and waits for the answer: `waitSeconds` longer than usual where the
    /// request itself says so.
    ///
    /// No thread waits for the answer. A task that is cancelled ends the connection, which
    /// withdraws what waits on it.
    package func ask(
        _ method: String, _ path: String, _ body: JSON? = nil,
        headers: [(name: String, value: String)] = [], waitSeconds: Int64 = 0
    ) async throws(ServiceError) -> AgentReply {
        let headers = headers + (token.map { [("Authorization", "Bearer \($0)")] } ?? [])
        // A line end would let whoever chose a value write a request of its own.
        let isPlain = ([method, path] + headers.flatMap { [$0.name, $0.value] }).allSatisfy {
            $0.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        }
        guard isPlain, !path.contains(" ") else {
            throw ServiceError("the agent is not asked for what is no path or header", hint: nil)
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

    /// A passphrase as the agent takes it.
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
