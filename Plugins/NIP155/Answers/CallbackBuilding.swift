// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs
import SigningCore

/// One name and value of an answer.
struct AnswerParameter: Hashable {
    let name: String
    let value: String
    /// True if it is compressed when the client asks for compression.
    let isLarge: Bool

    init(_ name: String, _ value: String, isLarge: Bool = false) {
        self.name = name
        self.value = value
        self.isLarge = isLarge
    }
}

extension Callback {
    /// The proof of the client: any program can listen at a port of this machine.
    var proof: Client.Proof { origin?.scheme == "http" ? .claimed : .callback }

    /// Returns the callback with an answer added to its query.
    ///
    /// Pairs of the client's query that have a reserved name are removed, so that they cannot be
    /// taken for the answer.
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

    /// Returns the decoded name of a pair, as the client would read it.
    private static func name(of pair: String) -> String {
        let end = pair.utf8.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        let name = pair[..<end]
        return (try? PercentEncoding.decode(name.utf8.span)) ?? String(name)
    }
}
