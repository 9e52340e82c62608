// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs

extension Callback {
    /// The part between the question mark and the fragment.
    var query: Substring {
        let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        return text[place.endIndex..<end].dropFirst()
    }

    /// Returns true if both URLs are the same except for their queries.
    func leads(toPlaceOf other: Callback) -> Bool {
        identity == other.identity && path == other.path
    }

    /// Returns true if every pair of this query is still present.
    func keepsOwnPairs(in opened: AnswerParameters) -> Bool {
        AnswerParameters(query: query).others.allSatisfy { own in
            opened.others.contains { $0.isSame(as: own) }
        }
    }

    /// Throws for reserved names: a signer removes them, and they could be taken for an answer.
    func checkOwnQuery() throws(NIP155ClientError) {
        let own = AnswerParameters(query: query)
        if let name = AnswerParameterName.allCases.first(where: own.isNamed) {
            throw .invalidClient("a callback must not use the name \(name.rawValue)")
        }
        if let refusal = own.refusal { throw .invalidClient("a callback: \(refusal.reason)") }
    }

    /// The path in the form of browsers, which the identity leaves out.
    private var path: String {
        let colon = place.utf8.firstIndex(of: UInt8(ascii: ":")) ?? place.startIndex
        let rest = place[colon...].dropFirst()
        guard rest.utf8.starts(with: "//".utf8) else { return String(rest) }
        let start = rest.dropFirst(2)
        let slash = start.utf8.firstIndex(of: UInt8(ascii: "/")) ?? start.endIndex
        guard origin != nil else {
            return "//\(start[..<slash].lowercased())\(start[slash...])"
        }
        return slash == start.endIndex ? "/" : String(start[slash...])
    }
}
