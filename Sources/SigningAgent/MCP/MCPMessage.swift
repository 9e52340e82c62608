// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// One line of JSON-RPC 2.0 from a client of the Model Context Protocol.
struct MCPMessage: Sendable {
    /// How a request is called, by which it is answered and cancelled; nil for a notification.
    let id: JSON?
    let method: String
    let params: JSON

    /// Why a line is none; without an id where nobody waits for an answer.
    struct ParseError: Error {
        let id: JSON?
        let error: MCPError
    }

    init(_ line: [UInt8]) throws(ParseError) {
        let limits = JSONLimits(bytesMax: MCPLimits.lineBytesMax)
        guard let json = try? JSON.parse(line.span, limits: limits) else {
            throw ParseError(id: .null, error: MCPError(-32_700, "the line is no JSON"))
        }
        let isAnswer = json["method"] == nil && (json["result"] ?? json["error"]) != nil
        let isNotice = json["method"]?.text != nil && json["id"] == nil
        let id = json["id"]
        let hasID = id?.text != nil || id?.integerValue != nil
        guard json["jsonrpc"]?.text == "2.0", let method = json["method"]?.text,
            id == nil || hasID, json["params"] == nil || json["params"]?.object != nil
        else {
            let told = hasID ? id ?? .null : .null
            throw ParseError(
                id: isAnswer || isNotice ? Optional<JSON>.none : told,
                error: MCPError(-32_600, "the line is no request of JSON-RPC 2.0"))
        }
        self.id = id
        self.method = method
        params = json["params"] ?? [:]
    }

    /// What the protocol itself lays beside the parameters.
    private func meta(_ name: String) -> JSON? { params["_meta"]?[name] }

    /// The revision that a request stands under; nil where a handshake said it.
    var revision: String? { meta("io.modelcontextprotocol/protocolVersion")?.text }

    /// What the program calls itself; nil where that is no name.
    var clientName: String? {
        let info = meta("io.modelcontextprotocol/clientInfo") ?? params["clientInfo"]
        guard let name = info?["name"]?.text,
            (1...MCPLimits.nameBytesMax).contains(name.utf8.count),
            !VisibleText.hasHidden(name)
        else { return nil }
        return name
    }

    /// By which the client is told that it goes on; nil where it does not want to know.
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

/// What an MCP server takes in.
enum MCPLimits {
    /// The longest line, in bytes: the largest frame in Base64, escaped, and what stands beside.
    static let lineBytesMax = 16 << 20
    /// The longest name of a client, in bytes.
    static let nameBytesMax = 128
    /// How many calls go on at one time.
    static let callsMax = 64
    /// The longest that one call waits, in seconds.
    static let waitSecondsMax: Int64 = 120
    /// How long one waits that does not say.
    static let waitSecondsDefault: Int64 = 30
}
