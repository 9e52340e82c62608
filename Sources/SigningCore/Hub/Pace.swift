// SPDX-License-Identifier: Apache-2.0

/// The maximum rate of requests of one client that no rule of the policy limits.
///
/// It limits the questions that the client causes and the uses of remembered answers.
public struct Pace: Hashable, Sendable {
    /// The most questions to a person about one method and kind of request, in `questionSeconds`.
    public var questionsMax: Int
    /// The most questions over all requests of one client, in `questionSeconds`.
    public var questionsOfClientMax: Int
    /// The most questions of a client none of whose requests was carried out yet, in
    /// `questionSeconds`.
    public var questionsOfNewMax: Int
    /// The window for counting questions, in seconds.
    public var questionSeconds: Int64
    /// The most operations on remembered answers in a minute.
    ///
    /// It also bounds requests that only concern the connection, such as pings.
    public var grantedPerMinuteMax: Int
    /// The most such operations in an hour.
    public var grantedPerHourMax: Int

    /// Makes a pace; the defaults are those of Nostr wires (Docs/Design/Grants.md).
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

    /// Returns the uses of the two limits by `operations`; each `series` is counted separately.
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

/// A limit of questions to a person, with the subject under which they are counted.
public struct QuestionTally: Hashable, Sendable {
    /// A hash of the subject of the questions.
    public let about: [UInt8]
    /// The maximum number of questions in the window.
    public let maximum: Int
    /// The window, in seconds.
    public let seconds: Int64

    /// Makes a tally; called by hubs.
    public init(about: [UInt8], maximum: Int, seconds: Int64) {
        self.about = about
        self.maximum = maximum
        self.seconds = seconds
    }
}
