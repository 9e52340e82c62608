// SPDX-License-Identifier: Apache-2.0

@testable import SigningCore

extension LedgerConformance {
    /// A time long after all archived entries.
    private static let later: Int64 = 500_000_000

    /// Archived entries count as if they were not archived.
    static let archives = [
        Check(name: "archive") { subject in
            let token = ReplayToken([1], isSingleUse: true)
            let number = SerialUse(series: "s", number: 7)
            let ever = claim(window: nil, maximum: 4)
            let yes = SealedGrant(grant(1, .yes, "yes", expires: nil), seal: [1])
            let opens: [ConnectionChange] = [.opens(connection(1))]
            let first = intent(claims: [ever, claim()], token: token, serials: [number])
            try await subject.first.reserve(first, currentPolicyHash: policy)
            try await settle(
                first, .done(resultDigests: [[1]], remembers: [yes], connections: opens),
                in: subject.first)
            for place in 0..<6 {
                let intent = intent(claims: place < 2 ? [ever] : [])
                let ledger = place % 2 == 0 ? subject.second : subject.first
                try await ledger.reserve(intent, currentPolicyHash: policy)
                try await settle(intent, .done(resultDigests: [[2]]), in: ledger)
            }
            _ = await refusal(subject.second, intent(at: later))
            try subject.settle()
            try subject.archive(Timestamp(seconds: later))
            try subject.settle()
            let one = await refusal(subject.second, intent(at: later, claims: [ever]))
            let full = await refusal(subject.first, intent(at: later, claims: [ever]))
            try subject.settle()
            return check(
                ("a limit has no room left that it has", one == nil),
                ("a limit is exceeded", full == .limitExceeded(counter: "c")),
                ("another is used", try subject.second.used(ever, at: time) == 4),
                (
                    "a token is used twice",
                    await refusal(subject.second, intent(at: later, token: token)) == .replayed
                ),
                (
                    "a number is used twice",
                    await refusal(subject.first, intent(at: later, serials: [number])) == .replayed
                ),
                (
                    "an answer is forgotten",
                    try subject.second.grants(for: [yes.grant.scope]).map(\.grant) == [yes.grant]
                ),
                (
                    "a connection is forgotten",
                    try subject.second.connections(of: app, in: ProtocolID("p"))
                        == [connection(1)]
                ))
        }
    ]
}
