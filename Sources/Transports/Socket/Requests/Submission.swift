// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// A client's request in the body of `POST /v1/requests`.
package struct Submission: Sendable {
    /// The error in an invalid body.
    package struct ParseError: Error {
        let code: String
        let detail: String

        /// The response to the client.
        package var response: HTTPResponse { .problem(400, code, detail) }
    }

    /// The channel in rules.
    package enum Channel: String, Sendable {
        /// The socket.
        case socket
        /// The command line.
        case commandLine = "cli"
    }

    /// The wire it names; nil to detect it.
    package let wire: AdapterID?
    /// The frame.
    package let frame: [UInt8]
    /// The name that the client claims.
    package let client: String?
    /// The channel that it claims.
    package let channel: Channel
    let waitSeconds: Int64
    /// True if the client follows a link, which any page can write in the name of `client`.
    let isByLink: Bool
    /// True if the answer would go only to the client's callback address; never of a request that
    /// is carried out, as the agent opens no address.
    let opensCallbacks: Bool
    /// True if a denial should include a change that would be allowed.
    let wantsAdvice: Bool
    /// The page that asks, if a browser submits it.
    let page: PageClaim?

    private static let members =
        [
            "wire", "frame", "frame_base64", "client", "channel", "wait_seconds", "by_link",
            "advice", "opens_callbacks",
        ] + PageClaim.members

    /// Reads a body; `wires` are the available ones, `frameBytesMax` the largest frame of any.
    package init(_ body: [UInt8], wires: [String], frameBytesMax: Int) throws(ParseError) {
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(
                body.span, limits: JSONLimits(bytesMax: body.count, depthMax: 2))
        } catch {
            throw ParseError(code: "bad_json", detail: "the body is not JSON: \(error.text)")
        }
        guard let object = json.object else {
            throw ParseError(code: "bad_json", detail: "the body is not a JSON object")
        }
        for name in object.names where !Self.members.contains(name) {
            throw ParseError(
                code: "unknown_member",
                detail: "unknown member \"\(VisibleText.quotable(String(name.prefix(64))))\"")
        }
        wire = try Self.text("wire", in: json).map { AdapterID($0) }
        if let wire, !wires.contains(wire.name) {
            throw ParseError(
                code: "unknown_wire", detail: "wire must be one of \(wires.joined(separator: ", "))"
            )
        }
        frame = try Self.frame(in: json, bytesMax: frameBytesMax)
        client = try Self.client(in: json)
        channel = try Self.channel(in: json)
        waitSeconds = try Self.seconds(json["wait_seconds"])
        page = try PageClaim(json)
        isByLink = try Self.flag("by_link", in: json)
        opensCallbacks = try Self.flag("opens_callbacks", in: json)
        wantsAdvice = try Self.flag("advice", in: json)
        if isByLink, page != nil {
            throw ParseError(
                code: "bad_member", detail: "by_link and origin cannot be used together")
        }
    }

    /// Makes a submission of a known frame, without a body.
    package init(over wire: AdapterID, frame: [UInt8]) {
        self.wire = wire
        self.frame = frame
        client = nil
        channel = .socket
        waitSeconds = 0
        isByLink = false
        opensCallbacks = false
        wantsAdvice = false
        page = nil
    }

    private static func flag(_ name: String, in json: JSON) throws(ParseError) -> Bool {
        guard let member = json[name] else { return false }
        guard let flag = member.flag else {
            throw ParseError(code: "bad_member", detail: "\(name) must be true or false")
        }
        return flag
    }

    static func text(_ name: String, in json: JSON) throws(ParseError) -> String? {
        guard let member = json[name] else { return nil }
        guard let text = member.text else {
            throw ParseError(code: "bad_member", detail: "\(name) must be a string")
        }
        return text
    }

    private static func frame(in json: JSON, bytesMax: Int) throws(ParseError) -> [UInt8] {
        let text = try text("frame", in: json)
        let encoded = try Self.text("frame_base64", in: json)
        let bytes: [UInt8]
        switch (text, encoded) {
        case (let text?, nil): bytes = Array(text.utf8)
        case (nil, let encoded?):
            do throws(CodecError) {
                bytes = try Base64.decode(encoded, countMax: bytesMax)
            } catch {
                throw ParseError(code: "bad_base64", detail: "frame_base64: \(error.text)")
            }
        default:
            throw ParseError(
                code: "bad_member", detail: "the body needs either frame or frame_base64")
        }
        guard !bytes.isEmpty else {
            throw ParseError(code: "bad_member", detail: "the frame is empty")
        }
        return bytes
    }

    private static func client(in json: JSON) throws(ParseError) -> String? {
        guard let client = try text("client", in: json) else { return nil }
        guard !client.isEmpty, client.utf8.count <= SocketLimits.clientBytesMax else {
            throw ParseError(
                code: "bad_member",
                detail: "client must have 1 to \(SocketLimits.clientBytesMax) bytes")
        }
        guard !Client.isReserved(client) else {
            throw ParseError(
                code: "reserved_name",
                detail: "client cannot claim to be \(Client.tokenPrefix)NAME: send the access token"
            )
        }
        if ClientIdentity.looksLikeAddress(client), (try? WebOrigin(client)) == nil {
            throw ParseError(
                code: "bad_member",
                detail:
                    "client looks like a web address and is not an origin: write "
                    + "https://app.example"
            )
        }
        return client
    }

    private static func channel(in json: JSON) throws(ParseError) -> Channel {
        guard let text = try text("channel", in: json) else { return .socket }
        guard let channel = Channel(rawValue: text) else {
            throw ParseError(code: "bad_member", detail: "channel must be socket or cli")
        }
        return channel
    }

    /// Reads the time to wait for the end of a request.
    static func seconds(_ json: JSON?) throws(ParseError) -> Int64 {
        guard let json else { return SocketLimits.waitSecondsDefault }
        guard let seconds = json.integerValue, (0...SocketLimits.waitSecondsMax).contains(seconds)
        else {
            throw ParseError(
                code: "bad_wait",
                detail: "wait_seconds must be a number from 0 to \(SocketLimits.waitSecondsMax)")
        }
        return seconds
    }
}
