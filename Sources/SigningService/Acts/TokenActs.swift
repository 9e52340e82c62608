// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningCrypto
internal import SigningFiles
internal import SigningStorage
internal import SigningVault

/// The properties of an access token to make.
package struct NewToken: Sendable {
    let name: String
    let isBrowser: Bool
    let scope: AccessToken.Scope
    let days: Int64?

    /// Describes a token; it is valid for so many days, or for ever.
    package init(named name: String, isBrowser: Bool, scope: AccessToken.Scope, days: Int64?) {
        self.name = name
        self.isBrowser = isBrowser
        self.scope = scope
        self.days = days
    }
}

/// A new access token with its text, which its owner sees only this once.
package struct MadeToken: ~Copyable, Sendable {
    /// The token as the vault keeps it.
    package let token: AccessToken
    /// The text that the client has to send.
    package let text: SecretBytes
}

extension OwnerActs {
    /// Makes an access token for one client.
    package static let tokenNew = PassphraseAct<NewToken, MadeToken>(
        ActDescription(
            name: "agent token new", summary: "make an access token for one client",
            arguments: [
                .init("name", .option(value: "NAME")), .init("browser", .flag),
                .init("expires", .option(value: "DAYS")),
                .init("scope", .option(value: "WORDS")),
            ])
    ) { new, place, passphrase in
        guard AccessToken.canName(new.name) else { throw ServiceError.notATokenName(new.name) }
        try place.home.checkRoom(forToken: new.name)
        let text = AccessToken.makeText()
        let token = AccessToken(
            named: new.name, isBrowser: new.isBrowser, scope: new.scope,
            at: SystemEnvironment().now(), days: new.days, text: text)
        try place.home.change(with: passphrase) { vault in
            try vault.setSetting(token.setting, to: token.settingText)
        }
        return MadeToken(token: token, text: text)
    }

    /// Lists the access tokens by name, on demand with the revoked ones.
    package static let tokenList = OwnerAct<Bool, [AccessToken]>(
        ActDescription(
            name: "agent token list", summary: "list the access tokens", arguments: [.all])
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

extension OpenHome {
    /// Refuses the name of a new access token if an earlier one had it, or if there are too many.
    package func checkRoom(forToken name: String) throws {
        let known = try accessTokens()
        guard !known.contains(where: { $0.name == name }) else {
            throw ServiceError(
                "--name \"\(name)\" was used by an earlier access token",
                hint: "give another --name: rules for the earlier token must not apply to the new "
                    + "one")
        }
        guard known.filter({ $0.revoked == nil }).count < AccessToken.countMax else {
            throw ServiceError(
                "this home already has \(AccessToken.countMax) access tokens, the maximum",
                hint: "revoke one: countersign agent token revoke NAME")
        }
        guard known.count < AccessToken.namesMax else {
            throw ServiceError(
                "\(AccessToken.namesMax) access tokens were made in this home, the maximum",
                hint: "use the existing tokens, or make a new home")
        }
    }
}

extension ServiceError {
    /// The text cannot be the name of an access token.
    package static func notATokenName(_ name: String) -> ServiceError {
        .misuse(
            "--name \"\(VisibleText.quotable(name))\" cannot name an access token",
            hint: "use 1 to 32 of a-z, 0-9, \".\", \"_\" and \"-\", among them a letter or digit")
    }
}

extension AccessToken {
    /// Whether a text can name a new access token; a name without letters and digits, such as `..`,
    /// would mislead.
    package static func canName(_ text: String) -> Bool {
        Client.isTokenName(text) && !text.utf8.allSatisfy("._-".utf8.contains)
    }
}
