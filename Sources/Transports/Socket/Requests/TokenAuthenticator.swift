// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// Who holds an access token, as the owner of the home says.
package struct TokenClient: Hashable, Sendable {
    /// The name of the token.
    package let name: String
    /// Whether it is a profile of a browser, which speaks for its pages.
    package let isBrowser: Bool
    /// What it may not read of `keys`, `limits` and `explain`.
    package let withheld: Set<String>

    /// Makes one.
    package init(name: String, isBrowser: Bool, withheld: Set<String> = []) {
        self.name = name
        self.isBrowser = isBrowser
        self.withheld = withheld
    }
}

/// Why a request is not worked on at all.
package struct AuthenticationRefusal: Error {
    /// What its client is told.
    package let response: HTTPResponse

    /// For another reason.
    package init(response: HTTPResponse) { self.response = response }

    /// For a token that proves nobody; `code` is for programs.
    package static func token(_ code: String, _ detail: String) -> AuthenticationRefusal {
        AuthenticationRefusal(
            response: .problem(401, code, detail).with("WWW-Authenticate", "Bearer"))
    }
}

/// Tells who calls, of the processes of one user, by the access tokens that some of them send.
///
/// Whoever sends one that proves nobody is refused, and never taken for somebody without.
package struct TokenAuthenticator: Sendable {
    /// The holder of a token.
    package typealias Lookup = @Sendable (String) throws(AuthenticationRefusal) -> TokenClient

    private let lookUp: Lookup

    /// Looks tokens up; without a `lookUp` none is known.
    package init(
        _ lookUp: @escaping Lookup = { _ throws(AuthenticationRefusal) in
            throw .token("token_unknown", "this access token is not known here")
        }
    ) {
        self.lookUp = lookUp
    }

    /// The holder of the token that a request carries; nil where it carries none.
    package func holder(
        _ head: HTTPHead, reading what: String? = nil
    ) throws(AuthenticationRefusal) -> TokenClient? {
        let token: String
        switch head.authorization {
        case .none: return nil
        case .malformed:
            throw .token("token_malformed", "Authorization is \"Bearer TOKEN\", once")
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

    /// Whom a submission of a holder comes from, or of whoever sent no token.
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
                    "only a browser tells an origin, with an access token of its own"))
        case (let holder?, nil) where holder.isBrowser:
            throw AuthenticationRefusal(
                response: .problem(
                    422, "origin_needed", "a browser says which page it asks for, in origin"))
        case (let holder, nil):
            return request.peer(of: submission, holder.map { .program($0.name) })
        }
    }
}

extension Peer {
    /// By whom something is counted that a holder asks for: by its token where it has one.
    package func countedClient(as holder: TokenClient?) -> CountedClient {
        holder.map { Peer(channel: channel, credential: .program($0.name)).countedClient }
            ?? countedClient
    }
}

extension HTTPHead {
    /// What `Authorization` holds.
    package enum Authorization: Equatable {
        case none
        /// Something else than one token, as RFC 6750 writes it.
        case malformed
        case bearer(String)
    }

    /// What `Authorization` holds, to the byte: a token in another case is another token.
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

    /// The longest token that is looked at, in bytes.
    private static let tokenBytesMax = 256
}
