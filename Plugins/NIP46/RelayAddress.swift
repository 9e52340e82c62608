// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
import SigningCore

/// The normalized address of a relay, so that different spellings compare equal.
package struct RelayAddress: Hashable, Sendable {
    /// The scheme, the host, and the port if it is not the default.
    package let origin: WebOrigin
    /// The path and query, unchanged; at least a slash.
    package let path: String

    /// The maximum length of an address, in bytes.
    package static let bytesMax = 256
    private static let loopbacks: Set = ["127.0.0.1", "[::1]", "localhost"]

    /// Returns whether a name of Tor has the form of version 3: a public key in Base32.
    private static func isOnionService(_ name: String) -> Bool {
        guard let label = name.split(separator: ".").dropLast().last else { return false }
        return label.utf8.count == 56 && label.utf8.last == UInt8(ascii: "d")
            && label.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x32...0x37).contains($0)
            }
    }

    /// Parses an address; without encryption it must be on this machine.
    package init(_ text: String) throws(NIP46Refusal) {
        guard text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy({ $0 < 0x7F }),
            !text.utf8.contains(UInt8(ascii: "#")), let origin = try? WebOrigin(text)
        else { throw .invalid("a relay is not a URL, such as wss://relay.example") }
        guard !origin.host.isOnion || Self.isOnionService(origin.host.text) else {
            throw .invalid("an onion address has 56 letters and digits before .onion")
        }
        switch origin.scheme {
        case "wss": break
        // Tor encrypts the connection, and the name is the key of the server.
        case "ws" where origin.host.isOnion: break
        case "ws" where Self.loopbacks.contains(origin.host.text): break
        case "ws": throw .invalid("ws:// is for relays on this machine only; use wss://")
        default: throw .invalid("a relay begins with wss://")
        }
        self.origin = origin
        let rest = text.utf8.dropFirst(origin.scheme.utf8.count + 3)
        let place = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        let path = place.map { String(Substring(rest[$0...])) } ?? ""
        self.path = path.hasPrefix("/") ? path : "/" + path
    }

    /// The text of the address.
    package var text: String { origin.text + (path == "/" ? "" : path) }

    /// True if the connection is encrypted.
    package var isEncrypted: Bool { origin.scheme == "wss" }

    /// True if only Tor reaches the relay.
    package var isOnion: Bool { origin.host.isOnion }

    /// True if the relay is on this machine.
    package var isLoopback: Bool { Self.loopbacks.contains(origin.host.text) }

    /// The port; the default of the scheme if the address has none.
    package var port: Int { origin.port ?? (isEncrypted ? 443 : 80) }

    /// Parses several addresses, without repetition.
    package static func list(_ texts: [String]) throws(NIP46Refusal) -> [RelayAddress] {
        var list: [RelayAddress] = []
        for text in texts {
            let relay = try RelayAddress(text)
            if !list.contains(relay) { list.append(relay) }
        }
        guard !list.isEmpty else { throw .invalid("no relay is given") }
        guard list.count <= countMax else { throw .invalid("more than \(countMax) relays") }
        return list
    }

    /// Returns the usable relays of a client, without repetition, and the dropped ones with
    /// reasons.
    package static func usable(
        _ texts: [String]
    ) throws(NIP46Refusal) -> (relays: [RelayAddress], dropped: [String]) {
        var (relays, dropped): ([RelayAddress], [String]) = ([], [])
        var first: NIP46Refusal?
        for text in texts where !text.isEmpty {
            do throws(NIP46Refusal) {
                let relay = try RelayAddress(text)
                guard !relays.contains(relay) else { continue }
                guard relays.count < countMax else {
                    throw .invalid("a connection has at most \(countMax) relays")
                }
                relays.append(relay)
            } catch {
                if first == nil { first = error }
                guard case .invalid(let why) = error else { continue }
                dropped.append("\(VisibleText.quotable(text, countMax: 64)): \(why)")
            }
        }
        guard !relays.isEmpty else { throw first ?? .invalid("no relay is given") }
        return (relays, dropped)
    }

    /// The maximum number of relays of a connection.
    package static let countMax = 8
}
