// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import Socket

/// A request that a page of this server submits for another page or an app.
struct PageAsk: Sendable {
    /// The error in an invalid body.
    struct ParseError: Error {
        let response: HTTPResponse

        init(_ detail: String) { response = .problem(400, "bad_request", detail) }
        fileprivate init(tooLarge detail: String) { response = .problem(413, "too_large", detail) }
    }

    /// The client, as the page received it.
    enum ClaimedClient: Hashable, Sendable {
        /// A page of this origin, as the browser reports for a message.
        case page(WebOrigin, isFramed: Bool)
        /// An unknown author of a link, in the name of this origin.
        case link(WebOrigin)
        /// An app around a web view, by the name that it claims.
        case app(String)
    }

    /// The largest frame, in bytes.
    static let frameBytesMax = 256 << 10
    /// The largest body, in bytes.
    ///
    /// This suffices unless JSON escapes most bytes of a large frame, each of which takes six.
    static let bodyBytesMax = 2 * frameBytesMax
    private static let nameBytesMax = 256

    /// The unique key of a request, which a reloaded page repeats.
    let key: String
    let frame: [UInt8]
    let claimedClient: ClaimedClient

    init(_ body: [UInt8]) throws(ParseError) {
        let limits = JSONLimits(bytesMax: Self.bodyBytesMax, depthMax: 1)
        guard let json = try? JSON.parse(body.span, limits: limits), let object = json.object,
            let key = json["key"]?.text, Self.isKey(key), let frame = json["frame"]?.text,
            !frame.isEmpty
        else {
            throw ParseError(
                "the body must be an object with key, frame, and the page, link or app")
        }
        guard frame.utf8.count <= Self.frameBytesMax else {
            throw ParseError(tooLarge: "a frame has at most \(Self.frameBytesMax) bytes")
        }
        self.key = key
        self.frame = Array(frame.utf8)
        let names = Set(object.names).subtracting(["key", "frame"])
        switch (names, json["framed"]?.flag) {
        case (["page", "framed"], let isFramed?):
            claimedClient = .page(try Self.origin(json["page"]), isFramed: isFramed)
        case (["link"], _): claimedClient = .link(try Self.origin(json["link"]))
        case (["app"], _): claimedClient = .app(try Self.name(json["app"]))
        default: throw ParseError("the body needs one of page with framed, link, and app")
        }
    }

    /// Reads an origin in exactly the form that browsers write.
    private static func origin(_ json: JSON?) throws(ParseError) -> WebOrigin {
        let text = json?.text ?? ""
        guard let origin = try? WebOrigin(text), origin.isPage, origin.text == text else {
            throw ParseError("page and link must be an origin such as https://app.example")
        }
        return origin
    }

    private static func name(_ json: JSON?) throws(ParseError) -> String {
        let name = json?.text ?? ""
        guard (1...nameBytesMax).contains(name.utf8.count), !Client.isReserved(name) else {
            throw ParseError("app must have 1 to \(nameBytesMax) bytes")
        }
        return name
    }

    /// Returns whether it is 128 bits in hex.
    static func isKey(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { digits.contains($0) }
    }

    private static let digits = Set("0123456789abcdef".utf8)
}

extension PageAsk.ClaimedClient {
    /// The unique text of the client.
    var text: String {
        switch self {
        case .page(let origin, _): "page \(origin.text)"
        case .link(let origin): "link \(origin.text)"
        case .app(let name): "app \(name)"
        }
    }

    /// Returns the peer of this client for a user.
    func peer(of userID: UInt32?, by channel: ChannelName) -> Peer {
        switch self {
        case .page(let origin, let isFramed):
            Peer(
                channel: channel, provedUserID: userID,
                visit: .message(
                    origin: origin.text, party: origin.host.registrableDomain,
                    isFramed: isFramed))
        case .link(let origin):
            Peer(channel: channel, provedUserID: userID, claim: origin.text, visit: .link)
        case .app(let name): Peer(channel: channel, provedUserID: userID, claim: name)
        }
    }
}
