// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
import SigningCore

extension FactForm {
    /// The name of an access token.
    static let tokenName = FactForm.text("token_name") { text throws(FactFormError) in
        guard Client.isTokenName(text) else {
            throw FactFormError("takes the name of an access token: 1 to 32 of a-z, 0-9, ., _, -")
        }
        return text
    }

    /// A SHA-256 hash.
    static let sha256 = FactForm.text("sha256") { text throws(FactFormError) in
        guard text.utf8.count == 64, (try? Hex.decode(text)) != nil else {
            throw FactFormError("takes 64 lower-case hexadecimal digits")
        }
        return text
    }

    /// A client by its name: the origin of the address that receives the answer, the scheme of an
    /// app, an access token, or a name that the client claims.
    static let client = FactForm.text("client") { text throws(FactFormError) in
        guard !text.utf8.contains(UInt8(ascii: "*")) else {
            throw FactFormError("takes a name; a pattern is written { glob = ... }")
        }
        if Client.isReserved(text) {
            let name = String(text.dropFirst(Client.tokenPrefix.utf8.count))
            guard text.hasPrefix(Client.tokenPrefix), Client.isTokenName(name) else {
                throw FactFormError(
                    "takes a program with an access token as token:NAME",
                    meant: Client.tokenPrefix + name.lowercased())
            }
            return text
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.last == UInt8(ascii: ":"), parts[1].hasPrefix("/")
        else { return text }
        let scheme = parts[0].dropLast().lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw FactFormError("takes an app by its scheme alone", meant: scheme)
        }
        guard let origin = try? WebOrigin(text) else {
            throw FactFormError("takes an origin such as https://app.example")
        }
        let rest = parts[1].dropFirst().split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let hasPath = rest.count == 2 && !rest[1].isEmpty
        let hasQuery = text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        guard !hasPath, !hasQuery else {
            throw FactFormError("takes a site by its origin, without a path", meant: origin.text)
        }
        return origin.text
    }
}
