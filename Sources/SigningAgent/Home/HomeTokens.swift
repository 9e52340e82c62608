// SPDX-License-Identifier: Apache-2.0

package import SigningService
package import Socket

extension TokenAuthenticator {
    /// Creates an authenticator for a home's access tokens, which it reads from the vault each
    /// time.
    package init(of signer: LocalSigner) {
        self.init { text throws(AuthenticationRefusal) in
            guard let found = signer.holder(of: text) else {
                throw AuthenticationRefusal(response: .busy("the vault cannot be read"))
            }
            let token = try found.mapError(\.refusal).get()
            let withheld = AccessToken.Scope.reads.filter { !token.scope.holds($0) }
            return TokenClient(
                name: token.name, isBrowser: token.isBrowser, withheld: Set(withheld))
        }
    }
}

extension AccessToken.Refusal {
    /// The refusal in words for the sender of the token.
    fileprivate var refusal: AuthenticationRefusal {
        switch self {
        case .unknown: .token("token_unknown", "unknown access token")
        case .revoked: .token("token_revoked", "this access token was revoked by its owner")
        case .expired: .token("token_expired", "this access token has expired")
        }
    }
}
