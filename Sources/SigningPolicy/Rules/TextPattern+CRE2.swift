// SPDX-License-Identifier: Apache-2.0
import CRE2
import SigningCore

/// A pattern that must match a whole text; matching takes time linear in the text.
///
/// SAFETY: several threads may match with one RE2 object at once.
@safe package final class TextPattern: Hashable, @unchecked Sendable {
    /// The longest pattern, in bytes.
    static let bytesMax = 1_000
    /// The most memory of a compiled pattern, in bytes.
    static let memoryMax: Int64 = 1 << 20
    private static let errorMax = 200

    /// The pattern as written in the file.
    package let text: String
    private let compiled: OpaquePointer

    /// Compiles a regular expression in RE2's syntax.
    convenience init(regex text: String) throws(ValueProblem) {
        try self.init(text, expression: text)
    }

    /// Compiles a glob: `*` and `?` match characters within one part of an address, `**` any
    /// characters.
    convenience init(glob text: String) throws(ValueProblem) {
        try self.init(text, expression: Glob.expression(of: text))
    }

    private init(_ text: String, expression: String) throws(ValueProblem) {
        guard text.utf8.count <= Self.bytesMax else {
            throw ValueProblem(text: "takes a pattern of \(Self.bytesMax) bytes at most")
        }
        var expression = expression
        var error = [UInt8](repeating: 0, count: Self.errorMax)
        let made = expression.withUTF8 { bytes in
            unsafe cre2_compile(
                bytes.baseAddress, bytes.count, Self.memoryMax, &error, Self.errorMax)
        }
        guard let made = unsafe made else {
            let why = String(decoding: error.prefix { $0 != 0 }, as: UTF8.self)
            throw ValueProblem(
                text: "takes a pattern that RE2 accepts: \(VisibleText.escaped(why))")
        }
        self.text = text
        unsafe compiled = made
    }

    deinit { unsafe cre2_free(compiled) }

    /// Whether the whole text matches.
    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            unsafe cre2_matches_whole(compiled, bytes.baseAddress, bytes.count)
        }
    }

    package static func == (left: TextPattern, right: TextPattern) -> Bool {
        left.text.isExactly(right.text)
    }

    package func hash(into hasher: inout Hasher) { text.hash(into: &hasher) }
}
