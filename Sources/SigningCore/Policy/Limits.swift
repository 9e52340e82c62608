// SPDX-License-Identifier: Apache-2.0

/// The span of time whose uses count against a limit.
public enum LimitWindow: Hashable, Sendable {
    /// The last so many seconds; a use counts until exactly so many have passed.
    case sliding(seconds: Int64)
    /// From this moment on: the calendar day, week or month that a request falls into.
    case since(Timestamp)
    /// For ever.
    case ever

    /// The last second that does not count any more, seen from `now`.
    public func lastUncounted(before now: Timestamp) -> Int64 {
        switch self {
        case .ever: return .min
        case .since(let start): return start.seconds == .min ? .min : start.seconds - 1
        case .sliding(let seconds):
            // A window without length would make the limit none.
            guard seconds > 0 else { return .min }
            let (last, hasOverflown) = now.seconds.subtractingReportingOverflow(seconds)
            return hasOverflown ? .min : last
        }
    }
}

/// A share of a limit that a request would use up.
///
/// Claims of one request on one counter add up within one window. Claims with different windows
/// speak of the same uses, which are counted once.
public struct LimitClaim: Hashable, Sendable {
    /// The counter's identity: rule, what is counted, and for whom.
    public let counter: String
    /// What counts.
    public let window: LimitWindow
    /// The most that may be used in the window.
    public let maximum: Int128
    /// What this request uses: 1 per operation for counts; never negative.
    public let amount: Int128

    /// Makes a claim.
    public init(counter: String, window: LimitWindow, maximum: Int128, amount: Int128) {
        self.counter = counter
        self.window = window
        self.maximum = maximum
        self.amount = amount
    }
}

/// Reads how much of a limit is used; a snapshot, checked again when the intent is written.
public protocol LimitUsage: Sendable {
    /// What is used of the claim's counter within its window before `now`.
    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128
}
