// SPDX-License-Identifier: Apache-2.0

@testable import SigningCore

extension LedgerConformance {
    /// Checks of reserving, and of the uses that settling gives back.
    static let requests = [
        Check(name: "policy") { subject in
            let other = intent(policy: [1])
            return check(
                (
                    "another policy than the one that judged reserves",
                    await refusal(subject.first, other) == .policyChanged
                ),
                ("the one that judged does not", await refusal(subject.first, intent()) == nil))
        },
        Check(name: "one result") { subject in
            let intent = intent()
            try await subject.first.reserve(intent, currentPolicyHash: policy)
            try await settle(intent, unused, in: subject.first)
            let second = await refusal { () throws(LedgerError) in
                try await settle(intent, unused, in: subject.second)
            }
            return check(("an intent is settled twice", second != nil))
        },
        Check(name: "limit") { subject in
            let two = claim(maximum: 5, amount: 2)
            let one = claim(maximum: 5)
            let refused = LedgerError.limitExceeded(counter: "c")
            return check(
                (
                    "what fits is refused",
                    await refusal(subject.first, intent(claims: [two])) == nil
                ),
                (
                    "what fits is refused",
                    await refusal(subject.second, intent(claims: [two])) == nil
                ),
                (
                    "a limit is exceeded",
                    await refusal(subject.first, intent(claims: [two])) == refused
                ),
                ("the edge is refused", await refusal(subject.first, intent(claims: [one])) == nil),
                (
                    "a limit is exceeded",
                    await refusal(subject.second, intent(claims: [one])) == refused
                ),
                (
                    "a window does not end",
                    await refusal(subject.second, intent(at: 1_100, claims: [two])) == nil
                ))
        },
        Check(name: "several claims") { subject in
            let both = [claim(maximum: 3), claim(window: nil, maximum: 3)]
            let wide = [claim(maximum: 9, amount: 2), claim(maximum: 9, amount: 2)]
            let first = await refusal(subject.first, intent(claims: both))
            try subject.settle()
            let once = try subject.second.used(claim(), at: time)
            let second = await refusal(subject.second, intent(claims: wide))
            try subject.settle()
            return check(
                ("two windows of a counter are refused", first == nil && second == nil),
                ("two windows of a counter charge it twice", once == 1),
                (
                    "two claims on a counter charge it once",
                    try subject.first.used(claim(), at: time) == 5
                ))
        },
        Check(name: "given back") { subject in
            let token = ReplayToken([1], isSingleUse: true)
            let number = SerialUse(series: "s", number: 7)
            func next() -> Intent {
                intent(claims: [claim(maximum: 1)], token: token, serials: [number])
            }
            let unusedIntent = next()
            try await subject.first.reserve(unusedIntent, currentPolicyHash: policy)
            let early = await refusal(subject.second, next())
            try await settle(unusedIntent, unused, in: subject.first)
            let failed = next()
            let again = await refusal(subject.second, failed)
            try await settle(
                failed, .failed(Reason(.keyUnavailable, "a fault")), in: subject.second)
            return check(
                ("what is in use can be used", early != nil),
                ("what was not used is not given back", again == nil),
                (
                    "what may have been used is given back",
                    await refusal(subject.first, next()) != nil
                ))
        },
        Check(name: "replay") { subject in
            let single = ReplayToken([1], isSingleUse: true)
            let other = ReplayToken([2], isSingleUse: false)
            let first = await refusal(subject.first, intent(token: single))
            let second = await refusal(subject.first, intent(token: other))
            try subject.settle()
            return check(
                ("a new token is refused", first == nil && second == nil),
                (
                    "a token on record is not known",
                    try subject.second.wasSeen(single) && subject.second.wasSeen(other)
                ),
                (
                    "a single-use token is used twice",
                    await refusal(subject.second, intent(token: single)) == .replayed
                ),
                (
                    "what was judged as new is used twice",
                    await refusal(subject.second, intent(token: other, tokenWasSeen: false))
                        == .replayed
                ),
                (
                    "what may be repeated is refused",
                    await refusal(subject.second, intent(token: other, tokenWasSeen: true)) == nil
                ))
        },
        Check(name: "serials") { subject in
            let number = SerialUse(series: "s", number: 42)
            let first = await refusal(subject.first, intent(serials: [number]))
            let drawn = try await subject.second.drawSerials(3, in: "s", above: 39, below: 1_000)
            let next = try await subject.first.drawSerials(1, in: "s", above: 0, below: 1_000)
            let end = await refusal { () throws(LedgerError) in
                _ = try await subject.first.drawSerials(5, in: "t", above: 0, below: 5)
            }
            return check(
                ("a number is refused", first == nil),
                (
                    "a number is used twice",
                    await refusal(subject.second, intent(serials: [number])) == .replayed
                ),
                ("numbers are drawn that are in use", drawn == 43),
                ("numbers are drawn twice", next == 46),
                ("numbers are drawn beyond the end", end != nil))
        },
        Check(name: "time") { subject in
            let before = try subject.first.latestTime()
            _ = await refusal(subject.first, intent(at: 1_234))
            try subject.settle()
            return check(
                ("there is a time before any", before == nil),
                (
                    "the latest time is another",
                    try subject.second.latestTime()
                        == Timestamp(seconds: 1_234)
                ))
        },
    ]
}
