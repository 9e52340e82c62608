// SPDX-License-Identifier: Apache-2.0

package import Nostr

/// The `perms` of a client: a list with commas of `method[:kind]`.
package enum NIP46Permissions {
    package static let bytesMax = 4 << 10
    package static let countMax = 64

    /// One entry as the client wrote it.
    package struct Entry: Hashable, Sendable {
        package let method: String
        package let kind: EventKind?
    }

    /// Reads the list, where only `sign_event` has a kind; empty entries are passed over.
    package static func read(_ text: String) throws(NIP46Refusal) -> [Entry] {
        guard text.utf8.count <= bytesMax else { throw .invalid("perms are too long") }
        var entries: [Entry] = []
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ")
            guard let entry = words.first else { continue }
            guard words.count == 1 else { throw .invalid("perms hold a space inside an entry") }
            guard entries.count < countMax else { throw .invalid("there are too many perms") }
            entries.append(try Self.entry(entry))
        }
        return entries
    }

    private static func entry(_ text: Substring) throws(NIP46Refusal) -> Entry {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let method = String(parts[0])
        guard parts.count == 2 else { return Entry(method: method, kind: nil) }
        guard method == NostrMethod.signEvent.rawValue, let number = UInt16(parts[1]),
            String(number).utf8.elementsEqual(parts[1].utf8)
        else { throw .invalid("a kind of perms must be a number from 0 to 65535, of sign_event") }
        return Entry(method: method, kind: EventKind(number))
    }

    /// Those that a person can grant, each once; the connection itself and what nobody knows are
    /// left out.
    package static func known(_ entries: [Entry]) -> [NostrPermission] {
        entries.reduce(into: []) { known, entry in
            guard let method = NostrMethod(rawValue: entry.method), method != .getPublicKey,
                method != .decryptZapEvent
            else { return }
            let permission = NostrPermission(method, kind: entry.kind)
            if !known.contains(permission) { known.append(permission) }
        }
    }
}
