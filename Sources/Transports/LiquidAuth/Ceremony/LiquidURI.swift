// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs

/// An address that an app shows, by which a wallet finds it: `liquid://HOST/?requestId=ID`.
///
/// What apps of an `http:` origin make of theirs, `liquid://http://HOST/?requestId=ID`, is read.
public struct LiquidURI: Hashable, Sendable {
    /// Why a text is none.
    public enum ParseError: Error, Hashable, Sendable {
        /// It is longer than `bytesMax`, or holds what no address does.
        case malformed
        /// It does not begin with `liquid:`.
        case scheme
        /// It names no host, or none that can be one.
        case host
        /// It names no request, several, or one longer than `requestIDBytesMax`.
        case requestID

        /// The fault in plain words.
        public var text: String {
            switch self {
            case .malformed: "it is too long, or holds a space or a control character"
            case .scheme: "it does not begin with liquid://"
            case .host: "it names no host"
            case .requestID: "it needs one requestId of 1 to \(LiquidURI.requestIDBytesMax) bytes"
            }
        }
    }

    /// The longest address, in bytes.
    public static let bytesMax = 2_048
    /// The longest name of a request, in bytes.
    public static let requestIDBytesMax = 128

    /// Where the server is: `https`, or `http` where the app says so.
    public let origin: WebOrigin
    /// The app's name for the login.
    public let requestID: String

    private static let scheme = "liquid://"
    private static let insecure = "http://"

    /// Reads an address.
    public init(_ text: String) throws(ParseError) {
        guard text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw .malformed }
        guard text.prefix(Self.scheme.count).lowercased() == Self.scheme else { throw .scheme }
        var rest = text.dropFirst(Self.scheme.count)
        let isInsecure = rest.prefix(Self.insecure.count).lowercased() == Self.insecure
        if isInsecure { rest = rest.dropFirst(Self.insecure.count) }
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.isEmpty,
            let origin = try? WebOrigin("\(isInsecure ? "http" : "https")://\(authority)")
        else { throw .host }
        self.origin = origin
        let path = rest.dropFirst(authority.count).prefix { $0 != "#" }
        let query = path.drop { $0 != "?" }.dropFirst()
        let values = query.split(separator: "&").compactMap { pair -> Substring? in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.first == "requestId" ? parts.count == 2 ? parts[1] : "" : nil
        }
        guard values.count == 1, let value = values.first,
            let id = try? PercentEncoding.decode(Array(value.utf8).span),
            (1...Self.requestIDBytesMax).contains(id.utf8.count)
        else { throw .requestID }
        requestID = id
    }

    /// Whether the server is on this machine.
    public var isLoopback: Bool {
        ["127.0.0.1", "[::1]", "localhost"].contains(origin.host.text)
    }
}
