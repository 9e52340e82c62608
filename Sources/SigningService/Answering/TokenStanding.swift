// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningStorage

extension OpenHome {
    /// The access tokens that the vault keeps now, with those that were taken back.
    package func accessTokens() throws(ServiceError) -> [AccessToken] {
        AccessToken.all(
            in: try ServiceError.wrapping { () throws(VaultError) in
                try vault.terms().settings
            })
    }
}

extension LocalSigner {
    /// What tokens are good at: a clock that was set back makes none good again.
    private static func now(_ ledger: SQLiteLedger) -> Timestamp {
        let now = SystemEnvironment().now()
        return max(now, ((try? ledger.latestTime()) ?? nil) ?? now)
    }

    /// The access token that a text is of; nil where the vault cannot be read.
    package func holder(of text: String) -> Result<AccessToken, AccessToken.Refusal>? {
        guard let tokens = try? home.accessTokens() else { return nil }
        return Result { () throws(AccessToken.Refusal) in
            try tokens.holder(of: text, at: Self.now(ledger))
        }
    }

    /// The token that backs a caller; nil where it was taken back, or has expired.
    static func standing(
        _ credential: Credential, in home: OpenHome, _ ledger: SQLiteLedger
    ) -> AccessToken? {
        let tokens = (try? home.accessTokens()) ?? []
        return tokens.standing(credential.tokenName, at: now(ledger))
    }

    /// Whether a caller's access token, or its connection over relays, was not taken back.
    static func stillProves(_ peer: Peer, in home: OpenHome, _ ledger: SQLiteLedger) -> Bool {
        if let key = peer.provedKey {
            guard let signer = try? Hex.decode(key.connection),
                let records = try? home.vault.transportRecords(of: BunkerConnection.transport),
                records.contains(where: { $0.publicKey == signer })
            else { return false }
        }
        return peer.credential.map { standing($0, in: home, ledger) != nil } ?? true
    }

    /// Why a caller's access token is not for requests of a protocol; nil where it is, or there is
    /// none.
    func scopeProblem(of peer: Peer, with protocolID: ProtocolID) -> ServiceError? {
        guard let credential = peer.credential else { return nil }
        let token = Self.standing(credential, in: home, ledger)
        guard token?.scope.holds(protocolID.name) != true else { return nil }
        return ServiceError(
            token == nil
                ? "the access token was revoked or has expired"
                : "the access token is not for requests of \(protocolID)",
            hint: "see \"countersign agent token list\"")
    }
}
