// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// What the extension of a browser says to its host.
enum BrowserMessage {
    /// A frame of a page, to be judged by the agent.
    case call(BrowserCall)
    /// Nobody waits for an answer any more.
    case drop(id: String)
    /// Where the owner's inbox is, for a tab of its own; what it shows goes another way.
    case inbox(id: String)
    /// How the agent stands, and whether it knows the browser.
    case status(id: String, token: String?)

    /// Why a message is none; without an id nobody waits for an answer.
    struct ParseError: Error {
        let id: String?
        let text: String
    }

    private static let depthMax = 2
    private static let members = [
        "id", "wire", "frame", "origin", "top_origin", "tab_origin", "document", "token",
        "unasked",
    ]

    init(_ bytes: [UInt8]) throws(ParseError) {
        let limits = JSONLimits(bytesMax: NativeMessages.takenBytesMax, depthMax: Self.depthMax)
        guard let json = try? JSON.parse(bytes.span, limits: limits), let object = json.object
        else { throw ParseError(id: nil, text: "a message is no JSON object") }
        if let id = json["drop"]?.text, object.members.count == 1 {
            self = .drop(id: id)
            return
        }
        guard let id = json["id"]?.text, Self.isID(id) else {
            throw ParseError(id: nil, text: "a message has no id")
        }
        if json["inbox"] == true, object.members.count == 2 {
            self = .inbox(id: id)
            return
        }
        let token = json["token"]?.text
        if json["status"] == true, object.names.allSatisfy(["id", "status", "token"].contains) {
            self = .status(id: id, token: token)
            return
        }
        guard object.names.allSatisfy(Self.members.contains), let wire = json["wire"]?.text,
            let frame = json["frame"]?.text, let origin = json["origin"]?.text,
            let top = json["top_origin"]?.text, let document = json["document"]?.text
        else { throw ParseError(id: id, text: "a message is not understood") }
        self = .call(
            BrowserCall(
                id: id, wire: wire, frame: frame, origin: origin, topOrigin: top,
                tabOrigin: json["tab_origin"]?.text, document: document, token: token,
                isUnasked: json["unasked"] == true))
    }

    /// 128 bits in hex, which also name the request to the agent.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { digits.contains($0) }
    }

    private static let digits = Set("0123456789abcdef".utf8)
}
