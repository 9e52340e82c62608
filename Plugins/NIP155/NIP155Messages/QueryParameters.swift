// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The query parameters of a request.
public typealias RequestParameters = QueryParameters<RequestParameter>

/// The query parameters of an answer.
public typealias AnswerParameters = QueryParameters<AnswerParameterName>

/// The names of the parameters of an answer, which are reserved in a callback.
public enum AnswerParameterName: String, Hashable, CaseIterable {
    case id, result, event, pubkey, package, compressionType, code, reason
    case grantedPermissions = "granted_permissions"
    case resultReference = "result_ref"
    case compatibleCode = "errorCode"
    case compatibleReason = "errorMessage"
}

/// The names of the parameters of a request.
public enum RequestParameter: String, Hashable, CaseIterable {
    case type, id, event, plaintext, encryptedText, pubkey, permissions, pb, v
    case success = "x-success"
    case error = "x-error"
    case cancel = "x-cancel"
    case source = "x-source"
    case clientName = "client_name"
    case clientURL = "client_url"
    case currentUser = "current_user"
    case returnType, compressionType
    /// Only used by the NIP-55 web form.
    case callbackURL = "callbackUrl"
}

/// A query, percent-decoded exactly once.
///
/// Parsing continues after an error: if the callbacks are valid, they get the error.
public struct QueryParameters<Key: RawRepresentable & Hashable> where Key.RawValue == String {
    /// The names of the known parameters.
    public typealias Name = Key

    /// The first problem of the query as a whole.
    public private(set) var refusal: NIP155Refusal?
    /// The pairs with unknown names, in order.
    public private(set) var others: [QueryPair] = []
    /// The known parameters; a value that is repeated or badly encoded is nil.
    private var entries: [(name: Name, value: String?)] = []

    /// Reads a query, without its question mark.
    public init(query: Substring) {
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

    /// Adds a pair; an empty pair between two ampersands is ignored.
    private mutating func add(_ name: String?, _ value: String?, isEmpty: Bool) {
        guard !isEmpty, let text = name else { return }
        if let name = Name(rawValue: text) {
            add(name, value)
        } else if let value {
            others.append(QueryPair(name: text, value: value))
        }
    }

    /// Returns the value of a parameter that occurs once, is well encoded and is not empty.
    public subscript(name: Name) -> String? {
        guard let value = entry(name)?.value, !value.isEmpty else { return nil }
        return value
    }

    /// Returns true if the parameter has a value, even an invalid one, that is not empty.
    package func isSent(_ name: Name) -> Bool {
        guard let entry = entry(name) else { return false }
        return entry.value != ""
    }

    /// Returns true if the parameter occurs, even without a value.
    public func isNamed(_ name: Name) -> Bool { place(of: name) != nil }

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
        refusal = refusal ?? .invalid("duplicate parameter \"\(name.rawValue)\"")
    }

    private mutating func decode(_ bytes: Span<UInt8>) -> String? {
        do throws(CodecError) {
            return try PercentEncoding.decode(bytes)
        } catch {
            refusal = refusal ?? .invalid("a parameter is badly percent-encoded: \(error.text)")
            return nil
        }
    }
}

extension Hashable {
    /// Compares with `==` of the type; for names with raw values, another `==` would build strings.
    fileprivate func isSame(as other: Self) -> Bool { self == other }
}

/// A decoded pair with an unknown name.
public struct QueryPair {
    let name: String
    let value: String

    /// Returns true if both are the same bytes; `==` would also equate canonically equivalent
    /// texts.
    public func isSame(as other: QueryPair) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && value.utf8.elementsEqual(other.value.utf8)
    }
}
