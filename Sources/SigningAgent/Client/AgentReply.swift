// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningService

/// One HTTP response of an agent.
package struct AgentReply: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body; null if it is empty.
    package let json: JSON
    private let headers: [(name: String, value: String)]

    /// True if the status is not an error.
    package var isGood: Bool { (200..<300).contains(status) }

    /// The first value of a header, whose name is given in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The code of a refusal.
    package var code: String? { json["code"]?.text }

    /// True if the agent refused the request only because it is busy.
    package var isBusy: Bool { status == 503 && code == "busy" }

    /// The refusal as an error with words.
    package var refusal: ServiceError {
        if code == "owner_session_needed" {
            return ServiceError(
                "your session with the agent has ended",
                hint: "run the command again; it asks for the passphrase")
        }
        let detail = json["detail"]?.text ?? "HTTP status \(status)"
        let seconds = header("retry-after").map { "try again in \($0) s" }
        return ServiceError("the agent refused: \(detail)", hint: seconds)
    }
}

extension AgentReply {
    /// The longest head, in bytes.
    private static let headBytesMax = 16_384
    /// The longest body, in bytes.
    private static let bodyBytesMax = 64 << 20

    /// Parses an HTTP/1.1 answer of the form that the agent's server writes.
    init(
        from link: AgentLink, until end: ContinuousClock.Instant
    ) async throws(ServiceError) {
        var bytes: [UInt8] = []
        var headCount: Int?
        while headCount == nil {
            let part = try await link.receive(until: end)
            guard !part.isEmpty else { throw AgentLink.connectionLost }
            let start = max(0, bytes.count - 3)
            bytes += part
            headCount = Self.endOfHead(bytes, from: start)
            guard (headCount ?? bytes.count) <= Self.headBytesMax else { throw Self.strange }
        }
        let lines = String(decoding: bytes.prefix(headCount ?? 0), as: UTF8.self)
            .split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Self.strange
        }
        self.status = status
        headers = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
        let lengths = headers.filter { $0.name == "content-length" }
        guard lengths.count == 1, let length = Int(lengths[0].value),
            (0...Self.bodyBytesMax).contains(length)
        else { throw Self.strange }
        var body = Array(bytes.dropFirst(headCount ?? 0))
        while body.count < length {
            let part = try await link.receive(until: end)
            guard !part.isEmpty else { throw AgentLink.connectionLost }
            body += part
        }
        guard body.count == length else { throw Self.strange }
        if body.isEmpty {
            json = .null
        } else {
            let limits = JSONLimits(bytesMax: Self.bodyBytesMax)
            guard let value = try? JSON.parse(body.span, limits: limits) else {
                throw Self.strange
            }
            json = value
        }
    }

    private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
        let mark: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard bytes.count >= mark.count else { return nil }
        return (start...(bytes.count - mark.count)).first { Array(bytes[$0..<($0 + 4)]) == mark }
            .map { $0 + mark.count }
    }

    static let busy = ServiceError(
        "the agent has too many requests at the moment", hint: "try again, or use --no-agent")

    static let strange = ServiceError(
        "the agent's answer has an unknown form",
        hint: "start the agent again: it may be of another version")
}
