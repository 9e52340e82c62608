// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import SigningStorage
internal import SigningVault

extension OwnerActs {
    /// Lists the access tokens by name, on demand with the revoked ones.
    package static let tokenList = OwnerAct<Bool, [AccessToken]>(
        ActDescription(
            name: "agent token list", summary: "list the access tokens", switches: ["all"])
    ) { includesRevoked, place in
        try place.home.accessTokens().filter { includesRevoked || $0.revoked == nil }
    }

    /// Revokes an access token, with the grants and the connections of its client.
    ///
    /// Returns the number of grants that it revoked.
    package static let tokenRevoke = PassphraseAct<AccessToken, Int>(
        ActDescription(
            name: "agent token revoke", summary: "revoke an access token", subject: .token,
            event: .revoked)
    ) { token, place, passphrase in
        let now = SystemEnvironment().now()
        try place.home.change(with: passphrase) { vault in
            try vault.setSetting(token.setting, to: token.revoking(at: now).settingText)
        }
        let ledger = try place.ledger()
        let grants = try ledger.allGrants().filter {
            let scope = $0.sealed.grant.scope
            return $0.revoked == nil && token.backs(scope.client, scope.proof)
        }
        try ledger.revoke(grants.map(\.sealed.grant.id), at: now)
        let connections = try ledger.allConnections().filter {
            token.backs($0.client.id, $0.client.proof)
        }
        try ledger.end(connections: connections.map(\.id), at: now)
        return grants.count
    }
}
