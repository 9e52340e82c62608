// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// The holder of an access token, according to the owner of the home.
package struct TokenClient: Hashable, Sendable {
    /// The name of the token.
    package let name: String
    /// True if the holder is a browser profile, which sends the requests of its pages.
    package let isBrowser: Bool
    /// The data that the holder may not read: `keys`, `limits`, `explain` or `metrics`.
    package let withheld: Set<String>

    /// Makes a holder.
    package init(name: String, isBrowser: Bool, withheld: Set<String> = []) {
        self.name = name
        self.isBrowser = isBrowser
        self.withheld = withheld
    }
}

/// The refusal of a request before it is processed.
package struct AuthenticationRefusal: Error {
    /// The response to the client.
    package let response: HTTPResponse

    /// Makes a refusal with another response.
    package init(response: HTTPResponse) { self.response = response }

    /// Makes the refusal of an invalid token; `code` is for programs.
    package static func token(_ code: String, _ detail: String) -> AuthenticationRefusal {
        AuthenticationRefusal(
            response: .problem(401, code, detail).with("WWW-Authenticate", "Bearer"))
    }
}

/// Identifies clients among the processes of one user by their access tokens.
///
/// A client with an invalid token is refused, and never treated as one without a token.
package struct TokenAuthenticator: Sendable {
    /// Returns the holder of a token.
    package typealias Lookup = @Sendable (String) throws(AuthenticationRefusal) -> TokenClient

    private let lookUp: Lookup

    /// Uses `lookUp` for tokens; without it every token is unknown.
    package init(
        _ lookUp: @escaping Lookup = { _ throws(AuthenticationRefusal) in
            throw .token("token_unknown", "unknown access token")
        }
    ) {
        self.lookUp = lookUp
    }

    /// Returns the holder of a request's token; nil if it carries none.
    package func holder(
        _ head: HTTPHead, reading what: String? = nil
    ) throws(AuthenticationRefusal) -> TokenClient? {
        let token: String
        switch head.authorization {
        case .none: return nil
        case .malformed:
            throw .token(
                "token_malformed", "Authorization must be \"Bearer TOKEN\", and given once")
        case .bearer(let text): token = text
        }
        let holder = try lookUp(token)
        if let what, holder.withheld.contains(what) {
            throw AuthenticationRefusal(
                response: .problem(
                    403, "out_of_scope", "this access token is not for reading \(what)"))
        }
        return holder
    }

    /// Returns the peer of a submission, with or without a token.
    package static func peer(
        of request: HTTPRequest, _ submission: Submission, by holder: TokenClient?
    ) throws(AuthenticationRefusal) -> Peer {
        switch (holder, submission.page) {
        case (let holder?, let page?) where holder.isBrowser:
            return request.peer(of: submission, .page(page.asked(by: holder.name)))
        case (_, _?):
            throw AuthenticationRefusal(
                response: .problem(
                    403, "browser_token_needed",
                    "origin needs the access token of a browser"))
        case (let holder?, nil) where holder.isBrowser:
            throw AuthenticationRefusal(
                response: .problem(
                    422, "origin_needed", "a request with a browser's access token needs origin"))
        case (let holder, nil):
            return request.peer(of: submission, holder.map { .program($0.name) })
        }
    }
}

extension Peer {
    /// Returns the client under which a request is counted: its token if it has one, else its
    /// process.
    package func countedClient(as holder: TokenClient?) -> CountedClient {
        holder.map { Peer(channel: channel, credential: .program($0.name)).countedClient }
            ?? countedClient
    }
}

extension HTTPHead {
    /// The content of `Authorization`.
    package enum Authorization: Equatable {
        case none
        /// A value other than one bearer token of RFC 6750.
        case malformed
        case bearer(String)
    }

    /// The exact content of `Authorization`; tokens are case-sensitive.
    package var authorization: Authorization {
        let values = values(of: "authorization")
        guard let value = values.first else { return .none }
        let parts = value.split(separator: " ", omittingEmptySubsequences: false)
        guard values.count == 1, parts.count == 2, parts[0].lowercased() == "bearer",
            (1...Self.tokenBytesMax).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return .malformed }
        return .bearer(String(parts[1]))
    }

    /// The longest token to check, in bytes.
    private static let tokenBytesMax = 256
}
