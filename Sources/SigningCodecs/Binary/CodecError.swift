// SPDX-License-Identifier: Apache-2.0

/// Why bytes or text could not be decoded.
public enum CodecError: Error, Hashable, Sendable {
    /// The input ends before the value does.
    case truncated
    /// The value ends at this offset, the input does not.
    case trailing(at: Int)
    /// What stands at this offset is not allowed there.
    case malformed(_ what: String, at: Int)
    /// The input, the output or the number of values exceeds a limit.
    case tooLong(limit: Int)
    /// Containers are nested deeper than a limit.
    case tooDeep(limit: Int)
    /// The value is readable, but not in the one form this codec accepts.
    case notCanonical(_ what: String, at: Int)
    /// A map holds the same name twice.
    case duplicateKey(String)
    /// The checksum does not match the rest.
    case checksum

    /// The error in plain words.
    ///
    /// A name taken from the input is quoted and cut, control characters are escaped.
    public var text: String {
        switch self {
        case .truncated: "unexpected end"
        case .trailing(let offset): "unexpected bytes after the end at \(offset)"
        case .malformed(let what, let offset): Self.text(what, at: offset)
        case .tooLong(let limit): "longer than the limit of \(limit)"
        case .tooDeep(let limit): "nested deeper than \(limit)"
        case .notCanonical(let what, let offset): Self.text(what, at: offset)
        case .duplicateKey(let name): "duplicate key \(Self.quoted(name))"
        case .checksum: "wrong checksum"
        }
    }

    /// The beginning of the input is not told: most values are wrong as a whole there.
    private static func text(_ what: String, at offset: Int) -> String {
        offset == 0 ? what : "\(what) at \(offset)"
    }

    private static let nameCountMax = 64

    private static func quoted(_ name: String) -> String {
        var bytes: [UInt8] = []
        JSONText.appendQuoted(String(name.prefix(nameCountMax)), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
