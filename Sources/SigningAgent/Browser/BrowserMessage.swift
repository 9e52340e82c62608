// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// A message from the browser's extension to its host.
enum BrowserMessage {
    /// A frame from a page, to be judged by the agent.
    case call(BrowserCall)
    /// The page does not wait for the answer any more.
    case drop(id: String)
    /// Asks for the address of the owner's inbox, to open it in a new tab; the inbox does not pass
    /// through the extension.
    case inbox(id: String)
    /// Asks for the state of the agent, and whether it knows the browser.
    case status(id: String, token: String?)

    /// An error in a message; without an id there is no call to answer.
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
        else { throw ParseError(id: nil, text: "a message is not a JSON object") }
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
        else { throw ParseError(id: id, text: "a message has an unknown form") }
        self = .call(
            BrowserCall(
                id: id, wire: wire, frame: frame, origin: origin, topOrigin: top,
                tabOrigin: json["tab_origin"]?.text, document: document, token: token,
                isUnasked: json["unasked"] == true))
    }

    /// Whether a text is an id: 128 bits in hex.
    ///
    /// The agent uses it as the idempotency key.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { digits.contains($0) }
    }

    private static let digits = Set("0123456789abcdef".utf8)
}
