// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningService
internal import Socket

/// The reader of data on clients: the owner reads all of it, a client only its own.
enum Reader: Hashable, Sendable {
    case owner
    case client(TokenClient)

    /// Whether the reader may see data on a client.
    func sees(_ client: String, _ proof: Client.Proof) -> Bool {
        switch self {
        case .owner: true
        case .client(let holder): holder.backs(client, proof)
        }
    }
}

/// Identifies the reader: the owner by a session, a client by its access token; others are refused.
struct Readers: Sendable {
    let sessions: OwnerSessions
    let authenticator: TokenAuthenticator

    /// The sender of a request; `isUse` as for sessions.
    func reader(
        _ request: HTTPRequest, isUse: Bool = true
    ) throws(AuthenticationRefusal) -> Reader {
        if request.head.carriesAccessToken, let holder = try authenticator.holder(request.head) {
            return .client(holder)
        }
        if let refusal = sessions.refusal(of: request, isUse: isUse) {
            throw AuthenticationRefusal(response: refusal)
        }
        return .owner
    }
}

extension HTTPHead {
    /// True if the header has the form of an access token, valid or not.
    fileprivate var carriesAccessToken: Bool {
        guard case .bearer(let text) = authorization else { return false }
        return text.hasPrefix(AccessToken.prefix)
    }
}

extension TokenClient {
    /// Whether a client is the holder of the token, or a page of its browser.
    fileprivate func backs(_ client: String, _ proof: Client.Proof) -> Bool {
        isBrowser
            ? proof == .browser(profile: name)
            : proof == .token && client == Client.tokenPrefix + name
    }
}
