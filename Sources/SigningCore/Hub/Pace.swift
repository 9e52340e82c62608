// SPDX-License-Identifier: Apache-2.0

/// How fast one client may go where no rule of the policy sets a limit: how often it may have
/// a person asked, and how often it may use what a person granted.
public struct Pace: Hashable, Sendable {
    /// The most questions to a person about one method and kind of request, in `questionSeconds`.
    public var questionsMax: Int
    /// The same over all requests of one client.
    public var questionsOfClientMax: Int
    /// The same for a client that nothing was done for yet.
    public var questionsOfNewMax: Int
    /// The span questions are counted in, in seconds.
    public var questionSeconds: Int64
    /// The most operations on the word of remembered answers, in a minute; and the most requests
    /// that concern the connection alone, such as pings.
    public var grantedPerMinuteMax: Int
    /// The same in an hour.
    public var grantedPerHourMax: Int

    /// Makes a pace; without limits, those that Nostr wires have (decision 0012).
    public init(
        questionsMax: Int = 5, questionsOfClientMax: Int = 20, questionsOfNewMax: Int = 3,
        questionSeconds: Int64 = 30,
        grantedPerMinuteMax: Int = 60, grantedPerHourMax: Int = 1_000
    ) {
        self.questionsMax = questionsMax
        self.questionsOfClientMax = questionsOfClientMax
        self.questionsOfNewMax = questionsOfNewMax
        self.questionSeconds = questionSeconds
        self.grantedPerMinuteMax = grantedPerMinuteMax
        self.grantedPerHourMax = grantedPerHourMax
    }

    /// What operations of a client on remembered answers use up, or one request of another series.
    func claims(
        by client: Client, of adapter: AdapterID, operations: Int = 1, in series: String = "pace"
    ) -> [LimitClaim] {
        let counter = "\(series):\(adapter.name):\(client.proof.rawValue):\(client.party)"
        return [(60, grantedPerMinuteMax), (3_600, grantedPerHourMax)].map { seconds, maximum in
            LimitClaim(
                counter: counter, window: .sliding(seconds: seconds), maximum: Int128(maximum),
                amount: Int128(operations))
        }
    }
}

/// Questions to a person that count together.
public struct QuestionTally: Hashable, Sendable {
    /// A hash of what they are about.
    public let about: [UInt8]
    /// The most there may be.
    public let maximum: Int
    /// Within how many seconds.
    public let seconds: Int64

    /// Makes a tally; hubs do.
    public init(about: [UInt8], maximum: Int, seconds: Int64) {
        self.about = about
        self.maximum = maximum
        self.seconds = seconds
    }
}
