// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// One line of JSON-RPC 2.0 from a client of the Model Context Protocol.
struct MCPMessage: Sendable {
    /// The id of a request, used to answer and to cancel it; nil for a notification.
    let id: JSON?
    let method: String
    let params: JSON

    /// An error in a line; without an id there is no request to answer.
    struct ParseError: Error {
        let id: JSON?
        let error: MCPError
    }

    init(_ line: [UInt8]) throws(ParseError) {
        let limits = JSONLimits(bytesMax: MCPLimits.lineBytesMax)
        guard let json = try? JSON.parse(line.span, limits: limits) else {
            throw ParseError(id: .null, error: MCPError(-32_700, "the line is not JSON"))
        }
        let isAnswer = json["method"] == nil && (json["result"] ?? json["error"]) != nil
        let isNotice = json["method"]?.text != nil && json["id"] == nil
        let id = json["id"]
        let hasID = id?.text != nil || id?.integerValue != nil
        guard json["jsonrpc"]?.text == "2.0", let method = json["method"]?.text,
            id == nil || hasID, json["params"] == nil || json["params"]?.object != nil
        else {
            let replyID = hasID ? id ?? .null : .null
            throw ParseError(
                id: isAnswer || isNotice ? Optional<JSON>.none : replyID,
                error: MCPError(-32_600, "the line is not a JSON-RPC 2.0 request"))
        }
        self.id = id
        self.method = method
        params = json["params"] ?? [:]
    }

    /// A member of `_meta`, the protocol's own parameters.
    private func meta(_ name: String) -> JSON? { params["_meta"]?[name] }

    /// The protocol revision that a request names; nil if the handshake set it.
    var revision: String? { meta("io.modelcontextprotocol/protocolVersion")?.text }

    /// The name that the program gives itself; nil if it is not a valid name.
    var clientName: String? {
        let info = meta("io.modelcontextprotocol/clientInfo") ?? params["clientInfo"]
        guard let name = info?["name"]?.text,
            (1...MCPLimits.nameBytesMax).contains(name.utf8.count),
            !VisibleText.hasHidden(name)
        else { return nil }
        return name
    }

    /// The token for progress messages; nil if the client does not want them.
    var progressToken: JSON? { meta("progressToken") }
}

/// An error of JSON-RPC.
struct MCPError: Error {
    let code: Int64
    let message: String
    let data: JSON?

    init(_ code: Int64, _ message: String, data: JSON? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    var json: JSON {
        guard let data else { return ["code": .integer(code), "message": .string(message)] }
        return ["code": .integer(code), "message": .string(message), "data": data]
    }
}

/// The limits of an MCP server.
enum MCPLimits {
    /// The longest line, in bytes: the largest frame in Base64, escaped, and the other members.
    static let lineBytesMax = 16 << 20
    /// The longest name of a client, in bytes.
    static let nameBytesMax = 128
    /// The most calls at one time.
    static let callsMax = 64
    /// The longest wait of one call, in seconds.
    static let waitSecondsMax: Int64 = 120
    /// The wait of a call that names none, in seconds.
    static let waitSecondsDefault: Int64 = 30
}
