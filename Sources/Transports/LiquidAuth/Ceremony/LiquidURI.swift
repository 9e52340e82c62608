// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs

/// The address that an app shows for a wallet: `liquid://HOST/?requestId=ID`.
///
/// The form of apps with an `http:` origin, `liquid://http://HOST/?requestId=ID`, is accepted too.
public struct LiquidURI: Hashable, Sendable {
    /// The reasons that a text is not such an address.
    public enum ParseError: Error, Hashable, Sendable {
        /// The text is longer than `bytesMax`, or contains characters that no address has.
        case malformed
        /// The text does not begin with `liquid:`.
        case scheme
        /// The host is missing or invalid.
        case host
        /// The request id is missing, repeated, or longer than `requestIDBytesMax`.
        case requestID

        /// The error in plain words.
        public var text: String {
            switch self {
            case .malformed: "it is too long, or has a space or a control character"
            case .scheme: "it does not begin with liquid://"
            case .host: "it has no host"
            case .requestID:
                "it must have one requestId of 1 to \(LiquidURI.requestIDBytesMax) bytes"
            }
        }
    }

    /// The maximum length of an address, in bytes.
    public static let bytesMax = 2_048
    /// The maximum length of a request id, in bytes.
    public static let requestIDBytesMax = 128

    /// The origin of the server: `https`, or `http` if the address says so.
    public let origin: WebOrigin
    /// The id that the app gave the login.
    public let requestID: String

    private static let scheme = "liquid://"
    private static let insecure = "http://"

    /// Parses an address.
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

    /// True if the server is on this machine.
    public var isLoopback: Bool {
        ["127.0.0.1", "[::1]", "localhost"].contains(origin.host.text)
    }
}
