// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
import SigningCore

/// The URI that a signer gives to a client: `bunker://`.
package struct BunkerURI: Hashable, Sendable {
    /// The signer's key for this connection, in lower-case hex.
    package let signer: String
    package let relays: [RelayAddress]
    /// The secret for one client; nil after its use.
    package let secret: String?

    package init(signer: String, relays: [RelayAddress], secret: String?) {
        self.signer = signer
        self.relays = relays
        self.secret = secret
    }

    /// Parses a URI, as a client does.
    package init(_ text: String) throws(NIP46Refusal) {
        let parts = try URIParts(text, scheme: "bunker")
        signer = parts.key
        relays = try RelayAddress.list(parts.values(of: "relay"))
        secret = parts.value(of: "secret")
    }

    /// The text of the URI.
    package var text: String {
        let relays = relays.map { "relay=\(PercentEncoding.encode($0.text))" }
        let secret = secret.map { ["secret=\(PercentEncoding.encode($0))"] } ?? []
        return "bunker://\(signer)?" + (relays + secret).joined(separator: "&")
    }
}

/// The URI that a client gives to a signer: `nostrconnect://`.
package struct NostrConnectURI: Hashable, Sendable {
    /// The client's key, in lower-case hex.
    package let client: String
    package let relays: [RelayAddress]
    /// The secret that the signer sends back, by which the client recognizes it.
    package let secret: String
    /// The permissions that the client asks for and that can be granted.
    package let perms: String
    package let metadata: ClientMetadata?
    /// The unusable parts of the URI, for the owner.
    package let dropped: [String]

    /// Parses a URI; the description of the client may be several parameters or one JSON.
    ///
    /// A key, a secret and one usable relay are required.
    package init(_ text: String) throws(NIP46Refusal) {
        let parts = try URIParts(text, scheme: "nostrconnect")
        client = parts.key
        let (relays, droppedRelays) = try RelayAddress.usable(parts.values(of: "relay"))
        self.relays = relays
        guard let secret = parts.value(of: "secret"), !secret.isEmpty,
            secret.utf8.count <= Self.secretBytesMax
        else { throw .invalid("the URI has no secret, which the client needs to know its signer") }
        self.secret = secret
        let description = parts.value(of: "metadata")
        let wished = NIP46Permissions.usable(
            parts.value(of: "perms") ?? description.flatMap { ClientMetadata.perms(in: $0) } ?? "")
        perms = wished.entries.map(\.text).joined(separator: ",")
        dropped =
            parts.unreadable.map { "the parameter \($0), which is not valid percent-encoding" }
            + droppedRelays.map { "the relay \($0)" }
            + NIP46Permissions.short(wished.dropped).map {
                "the permission \($0): it cannot be granted"
            }
        metadata =
            description.flatMap { ClientMetadata(json: $0) }
            ?? ClientMetadata(
                name: parts.value(of: "name"), url: parts.value(of: "url"),
                image: parts.value(of: "image"))
    }

    private static let secretBytesMax = 256
}

/// The key at the place of the host, and a query in which plus is a space.
private struct URIParts {
    let key: String
    /// The names of parameters whose values cannot be decoded.
    let unreadable: [String]
    private let pairs: [(name: String, value: String)]

    static let bytesMax = 8 << 10

    init(_ text: String, scheme: String) throws(NIP46Refusal) {
        let prefix = "\(scheme)://"
        // Accept spaces and characters outside ASCII, because some clients do not encode their
        // name.
        guard text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            text.lowercased().hasPrefix(prefix)
        else { throw .invalid("not a \(prefix) URI") }
        let rest = text.dropFirst(prefix.count)
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        let place = rest[..<mark]
        let host = place.hasSuffix("/") ? place.dropLast() : place
        guard host.utf8.count == 2 * PublicKeyText.keyBytes,
            let bytes = PublicKeyText.key(String(host))
        else { throw .invalid("\(prefix) is followed by a public key of 64 hex digits") }
        key = Hex.encode(bytes.span)
        var (pairs, unreadable): ([(name: String, value: String)], [String]) = ([], [])
        for pair in rest[mark...].dropFirst().split(separator: "&") {
            let ends = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(ends[0]), let value = Self.decoded(ends.last ?? "") else {
                unreadable.append(VisibleText.quotable(String(ends[0]), countMax: 64))
                continue
            }
            pairs.append((name, ends.count > 1 ? value : ""))
        }
        self.pairs = pairs
        self.unreadable = unreadable
    }

    func values(of name: String) -> [String] {
        pairs.filter { $0.name == name }.map(\.value)
    }

    func value(of name: String) -> String? { values(of: name).first }

    private static func decoded(_ text: Substring) -> String? {
        let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return try? PercentEncoding.decode(spaced.span)
    }
}
