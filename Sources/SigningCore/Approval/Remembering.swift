// SPDX-License-Identifier: Apache-2.0

/// The time for which an answer is remembered, and the limits of a yes.
public struct Remembering: Hashable, Sendable {
    /// The spans that a person can choose; the raw value is the text that people type.
    public enum Span: String, Hashable, Sendable, CaseIterable {
        case fiveMinutes = "5m"
        case hour = "1h"
        case day = "1d"
        case today, week, session, always

        /// Returns the end of the span that begins at `time`; nil for the two spans without one.
        ///
        /// `today` and `week` end at a midnight of the clock that is `ahead` of UTC by this number
        /// of seconds; weeks begin on Monday.
        func end(at time: Timestamp, ahead: (Timestamp) -> Int64) -> Timestamp? {
            let (length, shift): (Int64, Int64)
            switch self {
            case .fiveMinutes: return time.adding(seconds: 300)
            case .hour: return time.adding(seconds: 3_600)
            case .day: return time.adding(seconds: 86_400)
            case .session, .always: return nil
            case .today: (length, shift) = (86_400, 0)
            // 1 January 1970 was a Thursday.
            case .week: (length, shift) = (604_800, 259_200)
            }
            let local = time.adding(seconds: ahead(time) + shift).seconds
            let end = time.adding(seconds: length - (local % length + length) % length)
            // Summer time may begin or end before.
            return end.adding(seconds: ahead(time) - ahead(end))
        }
    }

    /// A time for which the limits of a yes count; they apply to each such time, wherever it
    /// begins.
    public enum Period: String, Hashable, Sendable, CaseIterable {
        case hour, day, week

        /// The length in seconds.
        public var seconds: Int64 {
            switch self {
            case .hour: 3_600
            case .day: 86_400
            case .week: 604_800
            }
        }
    }

    /// The span for which the answer is remembered.
    public let span: Span
    /// The number of times that a yes may be used; nil for any number.
    public let usesMax: Int64?
    /// The most that may leave accounts under a yes.
    ///
    /// An asset that is not listed may leave up to the amount that was shown.
    public let totals: [Outflow]
    /// The time in which `usesMax` and the totals count; nil if they count once for all time.
    public let per: Period?

    /// Makes the choice of a person; called by approvals.
    public init(
        _ span: Span, usesMax: Int64? = nil, totals: [Outflow] = [], per: Period? = nil
    ) {
        self.span = span
        self.usesMax = usesMax
        self.totals = totals
        self.per = per
    }
}
