// SPDX-License-Identifier: Apache-2.0

package import Nostr
import SigningCore

/// The `perms` of a client: `method[:kind]`, separated by commas.
package enum NIP46Permissions {
    package static let bytesMax = 4 << 10
    package static let countMax = 64

    /// One entry as the client wrote it.
    package struct Entry: Hashable, Sendable {
        package let method: String
        package let kind: EventKind?

        /// The text of the entry in a list.
        package var text: String { method + (kind.map { ":\($0.number)" } ?? "") }
    }

    /// Returns the entries that can be granted and those that were dropped.
    ///
    /// A dropped entry is only a wish, so the client is not refused.
    package static func usable(_ text: String) -> (entries: [Entry], dropped: [String]) {
        var (entries, dropped): ([Entry], [String]) = ([], [])
        var bytesLeft = bytesMax
        for part in text.split(separator: ",") {
            bytesLeft -= part.utf8.count + 1
            guard let entry = (try? read(String(part)))?.first else {
                if part.contains(where: { $0 != " " }) { dropped.append(String(part)) }
                continue
            }
            let isOwn = NostrSessionMethod(rawValue: entry.method) != nil
            let method = NostrMethod(rawValue: entry.method)
            let isKnown = isOwn || (method != nil && method != .decryptZapEvent)
            if isKnown, entries.count < countMax, bytesLeft >= 0 {
                entries.append(entry)
            } else {
                dropped.append(String(part))
            }
        }
        return (entries, dropped)
    }

    /// Returns the first few dropped entries and the number of the others, for people.
    package static func short(_ dropped: [String]) -> [String] {
        let shown = dropped.prefix(droppedMax).map { VisibleText.quotable($0, countMax: 64) }
        let more = dropped.count - shown.count
        return shown + (more > 0 ? ["\(more) more"] : [])
    }

    private static let droppedMax = 8

    /// Parses the list strictly: only `sign_event` may have a kind; empty entries are ignored.
    package static func read(_ text: String) throws(NIP46Refusal) -> [Entry] {
        guard text.utf8.count <= bytesMax else { throw .invalid("perms are too long") }
        var entries: [Entry] = []
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ")
            guard let entry = words.first else { continue }
            guard words.count == 1 else { throw .invalid("an entry of perms has a space inside") }
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

    /// Returns the permissions that a person can grant, without repetition.
    ///
    /// The connection itself and unknown methods are left out.
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
