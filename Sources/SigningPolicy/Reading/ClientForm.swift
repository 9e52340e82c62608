// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
import SigningCore

extension FactForm {
    /// A client by its name: an origin as the answer's address gives it, the scheme of an app, or
    /// a name that somebody claims.
    static let client = FactForm.text("client") { text throws(FactFormError) in
        guard !text.utf8.contains(UInt8(ascii: "*")) else {
            throw FactFormError("takes a name; a pattern is written { glob = ... }")
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.last == UInt8(ascii: ":"), parts[1].hasPrefix("/")
        else { return text }
        let scheme = parts[0].dropLast().lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw FactFormError("knows an app by its scheme alone", meant: scheme)
        }
        guard let origin = try? WebOrigin(text) else {
            throw FactFormError("takes an origin such as https://app.example")
        }
        let rest = parts[1].dropFirst().split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let hasPath = rest.count == 2 && !rest[1].isEmpty
        let hasQuery = text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        guard !hasPath, !hasQuery else {
            throw FactFormError("knows a site by its origin, without a path", meant: origin.text)
        }
        return origin.text
    }
}
