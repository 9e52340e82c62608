// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// An assertion of a policy with the answer to the question whether it holds.
package struct ProvedAssertion: Sendable {
    /// A request that matches the assertion and that the policy allows.
    package struct Witness: Hashable, Sendable {
        package let request: String
        /// The ids of the rules that allow it.
        package let rules: [String]
    }

    package enum Finding: Hashable, Sendable {
        /// No matching request is allowed without a question.
        case proved
        /// The policy itself allows this request.
        case shown(Witness)
        /// Neither is known, because of this part of requests or of the search.
        case notProved(String)
    }

    package let assertion: PolicyAssertion
    package let finding: Finding
    /// True if it is proved that no request matches the assertion.
    package let matchesNothing: Bool

    /// The assertions of a policy, sorted by id, for requests from a moment on.
    package static func all(of policy: TOMLPolicy, at now: Timestamp) -> [ProvedAssertion] {
        let document = policy.document
        guard !document.assertions.isEmpty else { return [] }
        guard
            let times = TimeTable(document.rules + document.assertions.map(\.rule), from: now)
        else {
            return document.assertions.map {
                ProvedAssertion(
                    assertion: $0, finding: .notProved("time"), matchesNothing: false)
            }
        }
        return document.assertions.map { Self($0, of: policy, times, now) }
    }

    private init(assertion: PolicyAssertion, finding: Finding, matchesNothing: Bool) {
        self.assertion = assertion
        self.finding = finding
        self.matchesNothing = matchesNothing
    }

    private init(
        _ assertion: PolicyAssertion, of policy: TOMLPolicy, _ times: TimeTable, _ now: Timestamp
    ) {
        var finding = Finding.proved
        var matchesNothing = true
        var seen: Set<ProtocolID> = []
        for schema in policy.vocabulary.schemas
        where seen.insert(schema.protocolID).inserted {
            guard
                let question = AssertionQuestion(
                    assertion, of: policy, schema.protocolID, times, now)
            else { continue }
            matchesNothing = matchesNothing && question.matchesNothing
            // A witness wins over the lack of a proof, which wins over a proof.
            switch question.answer {
            case .none: break
            case .found(let witness):
                self.init(assertion: assertion, finding: .shown(witness), matchesNothing: false)
                return
            case .unknown(let part): finding = .notProved(part)
            }
        }
        self.init(assertion: assertion, finding: finding, matchesNothing: matchesNothing)
    }
}
