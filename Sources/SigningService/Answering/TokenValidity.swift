// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningFiles
internal import SigningStorage
internal import SigningVault

extension OpenHome {
    /// Returns the access tokens of the vault, including revoked ones.
    package func accessTokens() throws -> [AccessToken] {
        AccessToken.all(
            in: try vault.terms().settings)
    }
}

extension LocalSigner {
    /// Returns the time for checking tokens; a clock that was set back makes no expired token
    /// valid.
    private static func now(_ ledger: SQLiteLedger) -> Timestamp {
        let now = SystemEnvironment().now()
        return max(now, ((try? ledger.latestTime()) ?? nil) ?? now)
    }

    /// Returns the access token of a text; nil if the vault cannot be read.
    package func holder(of text: String) -> Result<AccessToken, AccessToken.Refusal>? {
        guard let tokens = try? home.accessTokens() else { return nil }
        return Result { () throws(AccessToken.Refusal) in
            try tokens.holder(of: text, at: Self.now(ledger))
        }
    }

    /// Returns the valid token of a credential; nil if it was revoked or has expired.
    static func validToken(
        _ credential: Credential, in home: OpenHome, _ ledger: SQLiteLedger
    ) -> AccessToken? {
        let tokens = (try? home.accessTokens()) ?? []
        return tokens.valid(credential.tokenName, at: now(ledger))
    }

    /// Returns whether a peer's access token or relay connection is still valid.
    static func stillProves(_ peer: Peer, in home: OpenHome, _ ledger: SQLiteLedger) -> Bool {
        if let key = peer.provedKey {
            guard let signer = try? Hex.decode(key.connection),
                let records = try? home.vault.transportRecords(of: BunkerConnection.transport),
                records.contains(where: { $0.publicKey == signer })
            else { return false }
        }
        return peer.credential.map { validToken($0, in: home, ledger) != nil } ?? true
    }

    /// Returns the reason that a yes to a question would have no effect now; nil if none is known.
    ///
    /// The hub checks again at the moment of recording.
    package func obstacle(to question: ApprovalQuestion) -> String? {
        if freezeReason() != nil {
            return "all signing is frozen; allow it again with \"countersign thaw\""
        }
        let isInForce = try? home.vault.isInForce(policyHash: question.binding.policyHash)
        if isInForce == false { return "another policy is in force now" }
        if let peer = question.peer, !Self.stillProves(peer, in: home, ledger) {
            return "the client that asked is no longer known"
        }
        return nil
    }

    /// Returns the reason that a peer's access token does not cover a protocol; nil if it does or
    /// is absent.
    func scopeProblem(of peer: Peer, with protocolID: ProtocolID) -> ServiceError? {
        guard let credential = peer.credential else { return nil }
        let token = Self.validToken(credential, in: home, ledger)
        guard token?.scope.holds(protocolID.name) != true else { return nil }
        return ServiceError(
            token == nil
                ? "the access token was revoked or has expired"
                : "the scope of the access token does not include \(protocolID)",
            hint: "see \"countersign agent token list\"")
    }
}
