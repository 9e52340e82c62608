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

    private let pairs: QueryPairs

    /// Reads a query, without its question mark.
    public init(query: Substring) {
        pairs = QueryPairs(query) { Name(rawValue: $0) != nil }
    }

    /// The first problem of the query as a whole.
    public var refusal: NIP155Refusal? { pairs.refusal }

    /// The pairs with unknown names, in order.
    public var others: [QueryPair] { pairs.others }

    /// Returns the value of a parameter that occurs once, is well encoded and is not empty.
    public subscript(name: Name) -> String? {
        guard let value = pairs.known(name.rawValue)?.value, !value.isEmpty else { return nil }
        return value
    }

    /// Returns true if the parameter has a value, even an invalid one, that is not empty.
    package func isSent(_ name: Name) -> Bool {
        guard let pair = pairs.known(name.rawValue) else { return false }
        return pair.value != ""
    }

    /// Returns true if the parameter occurs, even without a value.
    public func isNamed(_ name: Name) -> Bool { pairs.known(name.rawValue) != nil }
}

/// The pairs of a query.
///
/// Not generic: in generic code that another module calls, each access would look up metadata.
private struct QueryPairs {
    /// The first problem of the query as a whole.
    private(set) var refusal: NIP155Refusal?
    /// The pairs with unknown names, in order.
    private(set) var others: [QueryPair] = []
    /// The known parameters; a value that is repeated or badly encoded is nil.
    private var entries: [(name: String, value: String?)] = []

    init(_ query: Substring, isKnown: (String) -> Bool) {
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
            let name = decode(bytes.extracting(start..<nameEnd))
            let value = decode(bytes.extracting(min(nameEnd + 1, end)..<end))
            // An empty pair between two ampersands is ignored.
            if start < end, let name { add(name, value, isKnown: isKnown(name)) }
            start = end + 1
        }
    }

    /// Returns the pair of a known parameter.
    func known(_ name: String) -> (name: String, value: String?)? {
        place(of: name).map { entries[$0] }
    }

    private mutating func add(_ name: String, _ value: String?, isKnown: Bool) {
        if !isKnown {
            if let value { others.append(QueryPair(name: name, value: value)) }
        } else if let index = place(of: name) {
            entries[index].value = nil
            refusal = refusal ?? .invalid("duplicate parameter \"\(name)\"")
        } else {
            entries.append((name, value))
        }
    }

    private func place(of name: String) -> Int? {
        entries.firstIndex { $0.name == name }
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
