// SPDX-License-Identifier: Apache-2.0

/// The reasons that bytes or text could not be decoded.
public enum CodecError: Error, Hashable, Sendable {
    /// The input ends before the value does.
    case truncated
    /// The value ends at this offset, but the input does not.
    case trailing(at: Int)
    /// The input at this offset is not allowed.
    case malformed(_ what: String, at: Int)
    /// The input, the output or the number of values exceeds a limit.
    case tooLong(limit: Int)
    /// Containers are nested deeper than a limit.
    case tooDeep(limit: Int)
    /// The value is readable, but not in the canonical form.
    case notCanonical(_ what: String, at: Int)
    /// A map contains the same name twice.
    case duplicateKey(String)
    /// The checksum does not match the rest.
    case checksum

    /// The error in plain words.
    ///
    /// A name taken from the input is quoted and cut, control characters are escaped.
    public var text: String {
        switch self {
        case .truncated: "unexpected end"
        case .trailing(let offset): "unexpected bytes after the end, at byte \(offset)"
        case .malformed(let what, let offset): Self.text(what, at: offset)
        case .tooLong(let limit): "longer than the limit of \(limit)"
        case .tooDeep(let limit): "nested deeper than \(limit)"
        case .notCanonical(let what, let offset): Self.text(what, at: offset)
        case .duplicateKey(let name): "duplicate key \(Self.quoted(name))"
        case .checksum: "wrong checksum"
        }
    }

    /// Offset 0 is omitted, because most such values are wrong as a whole.
    private static func text(_ what: String, at offset: Int) -> String {
        offset == 0 ? what : "\(what) at byte \(offset)"
    }

    private static let nameCountMax = 64

    private static func quoted(_ name: String) -> String {
        var bytes: [UInt8] = []
        JSONText.appendQuoted(String(name.prefix(nameCountMax)), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
