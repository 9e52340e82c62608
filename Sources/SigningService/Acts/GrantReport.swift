// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore
package import SigningStorage

/// A recorded grant with its state, for lists.
package struct GrantReport: Sendable {
    package let recorded: RecordedGrant
    /// The number of uses; if the limits count per hour, day or week, those of the latest one.
    package let uses: Int128
    /// `active`, `used up`, `ended`, `other session` or `revoked`.
    package let state: String

    /// Looks up the uses and state of a grant; with a `login`, a grant for another login is `other
    /// session`.
    package init(
        _ recorded: RecordedGrant, in ledger: SQLiteLedger, at now: Timestamp, login: String? = nil
    ) throws(LedgerError) {
        self.recorded = recorded
        let grant = recorded.sealed.grant
        uses = try ledger.used(grant.claim(uses: 0), at: now)
        state =
            if recorded.revoked != nil {
                "revoked"
            } else if let expires = grant.expires, expires <= now {
                "ended"
            } else if grant.per == nil, let usesMax = grant.usesMax, uses >= Int128(usesMax) {
                "used up"
            } else if let session = grant.login, let login, session != login {
                "other session"
            } else {
                "active"
            }
    }

    package var grant: Grant { recorded.sealed.grant }

    /// The grant as JSON, with values shown by `words`.
    package func json(keyName: String, called: String?, _ words: GrantText) -> JSON {
        let facts = grant.scope.facts.map { fact -> JSON in
            [
                "name": .string(fact.name),
                "value": .string(words.whole(fact, of: grant.scope)),
            ]
        }
        return [
            "id": .string(grant.idText), "answer": .string(grant.answer.rawValue),
            "state": .string(state), "client": .string(grant.scope.client),
            "proof": .string(grant.scope.proof.word),
            "known_by": .string(grant.scope.proof.word),
            "profile": grant.scope.proof.profile.map { .string($0) } ?? .null,
            "called": called.map { .string($0) } ?? .null,
            "key": .string(keyName),
            "protocol": .string(grant.scope.protocolID.name),
            "method": .string(grant.scope.method), "facts": .array(facts),
            "dangers": .array(grant.dangers.map { .string($0.name) }),
            "created": .string(grant.created.utcText),
            "expires": grant.expires.map { .string($0.utcText) } ?? .null,
            "session": .bool(grant.login != nil),
            "uses_max": grant.usesMax.map { .integer($0) } ?? .null,
            "uses": .integer(Int64(clamping: uses)),
            "per": grant.per.map { .string($0.rawValue) } ?? .null,
            "bounds": .array(
                grant.bounds.map {
                    [
                        "name": .string($0.name),
                        "max": .string(words.whole($0, of: grant.scope)),
                    ]
                }),
            "totals": .array(
                grant.totals.map { total in
                    let asset = total.outflow.asset
                    return [
                        "asset": .string(asset.id), "network": .string(asset.network),
                        "max": .string(asset.text(of: total.outflow.amount)),
                    ]
                }),
        ]
    }
}
