// SPDX-License-Identifier: Apache-2.0

/// A yes to a request, with its source.
enum Consent {
    /// Rules cover every operation.
    case policy
    /// Rules cover every operation, and no person stopped the request during a delay of this number
    /// of seconds; the yes is valid until `until`.
    case delay(Int64, until: Timestamp)
    /// A person said yes now, with the grants to remember; the yes is valid until `until`.
    case person([Grant], until: Timestamp, isByProgram: Bool)
    /// Several approvers said yes now, to this request only, until the approval expires.
    case people(JointApproval, [ApproverDemand])
    /// Remembered yeses: one grant for each operation that no rule covers, and the operations.
    case grants([SealedGrant], for: [Int])
    /// The yes that a person gave when the client was connected.
    case connection

    /// The name of the source in the record.
    var name: String {
        switch self {
        case .policy, .delay: "policy"
        case .person(_, _, let isByProgram): isByProgram ? "program" : "person"
        case .people: "approvers"
        case .grants: "grant"
        case .connection: "session"
        }
    }

    /// The grants to remember.
    var wished: [Grant] { if case .person(let grants, _, _) = self { grants } else { [] } }

    /// The last moment at which the yes is valid; nil if there is no such limit.
    var expires: Timestamp? {
        switch self {
        case .person(_, let until, _), .delay(_, let until): until
        case .people(let approval, _): approval.expires
        case .policy, .grants, .connection: nil
        }
    }

    /// The demands that approvers met; empty if a rule or a single person decided.
    var demands: [ApproverDemand] {
        if case .people(_, let demands) = self { demands } else { [] }
    }

    /// The signed approval of several people; nil if a rule or a single person decided.
    var approval: JointApproval? {
        if case .people(let approval, _) = self { approval } else { nil }
    }

    /// Returns the reason for the use of keys, for the person who unlocks the key store.
    func ground(_ judgement: Judgement) -> KeyUse.Ground {
        switch self {
        case .policy, .delay: .rules(judgement.verdict.reasons.compactMap(\.rule))
        case .people(let approval, _): .approvers(approval.yeses.map(\.name).sorted())
        case .person, .connection: .person
        case .grants: .grants(usedGrants.map(\.grant.idText))
        }
    }

    /// The grants that the yes relies on, each once.
    var usedGrants: [SealedGrant] {
        guard case .grants(let grants, _) = self else { return [] }
        return grants.reduce(into: []) { once, grant in
            if !once.contains(grant) { once.append(grant) }
        }
    }

    /// Returns the uses of limits that the request is charged with.
    ///
    /// A request that only repeats a connection has a separate limit; ending one has none.
    func claims(
        by judgement: Judgement, of request: JudgedRequest, _ terms: RequestTerms
    ) -> [LimitClaim] {
        let (pace, client, ofRules) = (terms.pace, request.client, judgement.claims)
        switch self {
        case .policy, .delay, .connection:
            guard terms.repeatsConnection, !terms.endsConnection, let pace, let client
            else { return ofRules }
            return ofRules + pace.claims(by: client, of: request.adapter, in: "pace-connection")
        case .person, .people: return ofRules
        case .grants(let grants, let undecided):
            let ofGrants =
                usedGrants.map { sealed in
                    sealed.grant.claim(uses: grants.count { $0.grant.id == sealed.grant.id })
                } + Spending(of: grants, undecided, in: request).claims
            guard let pace, let client else { return ofRules + ofGrants }
            // A grant with a limit of its own, `usesMax`, counts its uses already.
            let uncounted = grants.count { $0.grant.usesMax == nil }
            guard uncounted > 0 else { return ofRules + ofGrants }
            return ofRules + ofGrants
                + pace.claims(by: client, of: request.adapter, operations: uncounted)
        }
    }
}
