// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// One name and value of an answer.
struct AnswerParameter: Hashable {
    let name: String
    let value: String
    /// Whether it is compressed where the client asked for that.
    let isLarge: Bool

    init(_ name: String, _ value: String, isLarge: Bool = false) {
        self.name = name
        self.value = value
        self.isLarge = isLarge
    }
}

extension Callback {
    /// The callback with an answer added to its query.
    ///
    /// Pairs of the client's own query that have a reserved name are left out, so that nothing
    /// but the answer can look like one.
    func url(adding parameters: [AnswerParameter], reserved: Set<String>) -> String {
        let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        let front = text[..<fragment]
        let mark = front.utf8.firstIndex(of: UInt8(ascii: "?")) ?? fragment

        var pairs = front[mark...].dropFirst().utf8.split(separator: UInt8(ascii: "&"))
            .map { String(Substring($0)) }
            .filter { !reserved.contains(Self.name(of: $0)) }
        pairs += parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }

        let query = pairs.joined(separator: "&")
        return "\(front[..<mark])?\(query)\(text[fragment...])"
    }

    /// The name of a pair as a reader of the callback would decode it.
    private static func name(of pair: String) -> String {
        let end = pair.utf8.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        let name = pair[..<end]
        return (try? PercentEncoding.decode(name.utf8.span)) ?? String(name)
    }
}
