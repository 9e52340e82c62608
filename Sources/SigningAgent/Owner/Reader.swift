// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningService
internal import Socket

/// Who reads what is kept about clients: the owner all of it, a client what is about itself.
enum Reader: Hashable, Sendable {
    case owner
    case client(TokenClient)

    /// Whether something about a client is for this one to know.
    func sees(_ client: String, _ proof: Client.Proof) -> Bool {
        switch self {
        case .owner: true
        case .client(let holder): holder.backs(client, proof)
        }
    }
}

/// Tells the owner, who has a session, from whoever has an access token; nobody else reads.
struct Readers: Sendable {
    let sessions: OwnerSessions
    let authenticator: TokenAuthenticator

    /// Who a request is from; `isUse` as for sessions.
    func reader(_ head: HTTPHead, isUse: Bool = true) throws(AuthenticationRefusal) -> Reader {
        if head.carriesAccessToken, let holder = try authenticator.holder(head) {
            return .client(holder)
        }
        if let refusal = sessions.refusal(of: head, isUse: isUse) {
            throw AuthenticationRefusal(response: refusal)
        }
        return .owner
    }
}

extension HTTPHead {
    /// Whether it carries what is written like an access token, good or not.
    fileprivate var carriesAccessToken: Bool {
        guard case .bearer(let text) = authorization else { return false }
        return text.hasPrefix(AccessToken.prefix)
    }
}

extension TokenClient {
    /// Whether a client is the holder, or a page of its browser.
    fileprivate func backs(_ client: String, _ proof: Client.Proof) -> Bool {
        isBrowser
            ? proof == .browser(profile: name)
            : proof == .token && client == Client.tokenPrefix + name
    }
}
