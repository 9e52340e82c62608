// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The query of a request.
typealias Parameters = QueryParameters<RequestParameter>

/// The names a request may carry.
enum RequestParameter: String, Hashable, CaseIterable {
    case type, id, event, plaintext, encryptedText, pubkey, permissions, pb, v
    case success = "x-success"
    case error = "x-error"
    case cancel = "x-cancel"
    case source = "x-source"
    case clientName = "client_name"
    case clientURL = "client_url"
    case currentUser = "current_user"
    case returnType, compressionType
    /// Belongs to the NIP-55 web form alone.
    case callbackURL = "callbackUrl"
}

/// A query, percent-decoded exactly once.
///
/// Reading does not stop at a fault: where the callbacks are good, the fault can be delivered.
struct QueryParameters<Key: RawRepresentable & Hashable> where Key.RawValue == String {
    typealias Name = Key

    /// The first thing that is wrong with the query as a whole.
    private(set) var fault: NIP155Refusal?
    /// Pairs whose name is none of those known, in their order.
    private(set) var others: [QueryPair] = []
    /// A value that cannot be used, because it is repeated or badly encoded, is nil.
    private var entries: [(name: Name, value: String?)] = []

    init(query: Substring) {
        entries.reserveCapacity(12)
        let bytes = query.utf8.span
        var start = 0
        while start < bytes.count {
            var end = start
            var equals: Int?
            while end < bytes.count, bytes[end] != UInt8(ascii: "&") {
                if equals == nil, bytes[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            let nameEnd = equals ?? end
            add(
                decode(bytes.extracting(start..<nameEnd)),
                decode(bytes.extracting(min(nameEnd + 1, end)..<end)), isEmpty: start == end)
            start = end + 1
        }
    }

    /// Two ampersands with nothing between them are no pair.
    private mutating func add(_ name: String?, _ value: String?, isEmpty: Bool) {
        guard !isEmpty, let text = name else { return }
        if let name = Name(rawValue: text) {
            add(name, value)
        } else if let value {
            others.append(QueryPair(name: text, value: value))
        }
    }

    /// The value of a parameter that is there once, well encoded and not empty.
    subscript(name: Name) -> String? {
        guard let value = entry(name)?.value, !value.isEmpty else { return nil }
        return value
    }

    /// Whether a parameter was sent with any value but an empty one.
    func isSent(_ name: Name) -> Bool {
        guard let entry = entry(name) else { return false }
        return entry.value != ""
    }

    /// Whether a parameter was sent, even empty.
    func isNamed(_ name: Name) -> Bool { place(of: name) != nil }

    private func entry(_ name: Name) -> (name: Name, value: String?)? {
        place(of: name).map { entries[$0] }
    }

    private func place(of name: Name) -> Int? {
        entries.indices.first { entries[$0].name.isSame(as: name) }
    }

    private mutating func add(_ name: Name, _ value: String?) {
        guard let index = place(of: name) else {
            return entries.append((name, value))
        }
        entries[index].value = nil
        fault = fault ?? .invalid("duplicate parameter \"\(name.rawValue)\"")
    }

    private mutating func decode(_ bytes: Span<UInt8>) -> String? {
        do throws(CodecError) {
            return try PercentEncoding.decode(bytes)
        } catch {
            fault = fault ?? .invalid("a parameter is badly percent-encoded: \(error.text)")
            return nil
        }
    }
}

extension Hashable {
    /// `==` of the type's own; of names that stand for texts there is one that makes the texts.
    fileprivate func isSame(as other: Self) -> Bool { self == other }
}

/// A name and a value nobody here knows, decoded.
struct QueryPair {
    let name: String
    let value: String

    /// Whether both are the same bytes; `==` would also equate canonically equivalent texts.
    func isSame(as other: QueryPair) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && value.utf8.elementsEqual(other.value.utf8)
    }
}
