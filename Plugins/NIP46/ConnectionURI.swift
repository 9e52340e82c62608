// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
import SigningCore

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
    /// What the client would like to do later, as far as it can be granted.
    package let perms: String
    package let metadata: ClientMetadata?
    /// What of the URI cannot be used, for the owner.
    package let dropped: [String]

    /// Reads one; clients write what they say of themselves one by one or as one JSON.
    ///
    /// A key, a secret and one relay that can be used are enough.
    package init(_ text: String) throws(NIP46Refusal) {
        let parts = try URIParts(text, scheme: "nostrconnect")
        client = parts.key
        let (relays, droppedRelays) = try RelayAddress.usable(parts.values(of: "relay"))
        self.relays = relays
        guard let secret = parts.value(of: "secret"), !secret.isEmpty,
            secret.utf8.count <= Self.secretBytesMax
        else { throw .invalid("the URI has no secret, by which the client knows its signer") }
        self.secret = secret
        let told = parts.value(of: "metadata")
        let wished = NIP46Permissions.usable(
            parts.value(of: "perms") ?? told.flatMap { ClientMetadata.perms(in: $0) } ?? "")
        perms = wished.entries.map(\.text).joined(separator: ",")
        dropped =
            parts.unreadable.map { "the parameter \($0): badly percent-encoded" }
            + droppedRelays.map { "the relay \($0)" }
            + NIP46Permissions.short(wished.dropped).map {
                "the permission \($0): nobody can grant it"
            }
        metadata =
            told.flatMap { ClientMetadata(json: $0) }
            ?? ClientMetadata(
                name: parts.value(of: "name"), url: parts.value(of: "url"),
                image: parts.value(of: "image"))
    }

    private static let secretBytesMax = 256
}

/// A key in the place of the host, and a query in which plus stands for a space.
private struct URIParts {
    let key: String
    /// The names of parameters whose values cannot be decoded.
    let unreadable: [String]
    private let pairs: [(name: String, value: String)]

    static let bytesMax = 8 << 10

    init(_ text: String, scheme: String) throws(NIP46Refusal) {
        let prefix = "\(scheme)://"
        // A name that was not encoded may hold spaces and any letters.
        guard text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
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
