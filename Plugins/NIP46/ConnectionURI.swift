// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs

/// What a signer hands to a client: `bunker://`.
package struct BunkerURI: Hashable, Sendable {
    /// The key of the signer for this connection alone, in lower-case hex.
    package let signer: String
    package let relays: [RelayAddress]
    /// Good for one client; nil where it was used.
    package let secret: String?

    package init(signer: String, relays: [RelayAddress], secret: String?) {
        self.signer = signer
        self.relays = relays
        self.secret = secret
    }

    /// Reads one, as a client does.
    package init(_ text: String) throws(NIP46Refusal) {
        let parts = try URIParts(text, scheme: "bunker")
        signer = parts.key
        relays = try RelayAddress.list(parts.values(of: "relay"))
        secret = parts.value(of: "secret")
    }

    /// As it is shown to people.
    package var text: String {
        let relays = relays.map { "relay=\(PercentEncoding.encode($0.text))" }
        let secret = secret.map { ["secret=\(PercentEncoding.encode($0))"] } ?? []
        return "bunker://\(signer)?" + (relays + secret).joined(separator: "&")
    }
}

/// What a client hands to a signer: `nostrconnect://`.
package struct NostrConnectURI: Hashable, Sendable {
    /// The client's key, in lower-case hex.
    package let client: String
    package let relays: [RelayAddress]
    /// What the signer sends back, by which the client knows it.
    package let secret: String
    /// What the client would like to do later, as it wrote it.
    package let perms: String
    package let metadata: ClientMetadata?

    /// Reads one; clients write what they say of themselves one by one or as one JSON.
    package init(_ text: String) throws(NIP46Refusal) {
        let parts = try URIParts(text, scheme: "nostrconnect")
        client = parts.key
        relays = try RelayAddress.list(parts.values(of: "relay"))
        guard let secret = parts.value(of: "secret"), !secret.isEmpty,
            secret.utf8.count <= Self.secretBytesMax
        else { throw .invalid("the URI has no secret, by which the client knows its signer") }
        self.secret = secret
        perms = parts.value(of: "perms") ?? ""
        _ = try NIP46Permissions.read(perms)
        metadata =
            parts.value(of: "metadata").flatMap { ClientMetadata(json: $0) }
            ?? ClientMetadata(
                name: parts.value(of: "name"), url: parts.value(of: "url"),
                image: parts.value(of: "image"))
    }

    private static let secretBytesMax = 256
}

/// A key in the place of the host, and a query in which plus stands for a space.
private struct URIParts {
    let key: String
    private let pairs: [(name: String, value: String)]

    static let bytesMax = 8 << 10

    init(_ text: String, scheme: String) throws(NIP46Refusal) {
        let prefix = "\(scheme)://"
        guard text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            text.lowercased().hasPrefix(prefix)
        else { throw .invalid("this is no \(prefix) URI") }
        let rest = text.dropFirst(prefix.count)
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        let place = rest[..<mark]
        let host = place.hasSuffix("/") ? place.dropLast() : place
        guard host.utf8.count == 2 * PublicKeyText.keyBytes,
            let bytes = PublicKeyText.key(String(host))
        else { throw .invalid("\(prefix) is followed by a public key of 64 hex digits") }
        key = Hex.encode(bytes.span)
        pairs = try rest[mark...].dropFirst().split(separator: "&").map {
            (pair) throws(NIP46Refusal) in
            let ends = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                try Self.decoded(ends[0]), ends.count > 1 ? try Self.decoded(ends[1]) : ""
            )
        }
    }

    func values(of name: String) -> [String] {
        pairs.filter { $0.name == name }.map(\.value)
    }

    func value(of name: String) -> String? { values(of: name).first }

    private static func decoded(_ text: Substring) throws(NIP46Refusal) -> String {
        let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let decoded = try? PercentEncoding.decode(spaced.span) else {
            throw .invalid("the URI is badly percent-encoded")
        }
        return decoded
    }
}
