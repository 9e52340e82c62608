// SPDX-License-Identifier: Apache-2.0

/// The span of time whose uses count against a limit.
public enum LimitWindow: Hashable, Sendable {
    /// This number of seconds before now; a use counts until exactly that time has passed.
    case sliding(seconds: Int64)
    /// Since this moment, such as the start of the request's calendar day, week or month.
    case since(Timestamp)
    /// All time.
    case ever

    /// Returns the last second that no longer counts, seen from `now`.
    public func lastUncounted(before now: Timestamp) -> Int64 {
        switch self {
        case .ever: return .min
        case .since(let start): return start.seconds == .min ? .min : start.seconds - 1
        case .sliding(let seconds):
            // A window without length would disable the limit.
            guard seconds > 0 else { return .min }
            let (last, hasOverflown) = now.seconds.subtractingReportingOverflow(seconds)
            return hasOverflown ? .min : last
        }
    }
}

/// The part of a limit that a request would use.
///
/// Claims of one request on one counter add up within one window. Claims with different windows
/// describe the same uses, which are counted once.
public struct LimitClaim: Hashable, Sendable {
    /// The counter's identity: the rule, the quantity, and the subject.
    public let counter: String
    /// The window of uses that count.
    public let window: LimitWindow
    /// The most that may be used in the window.
    public let maximum: Int128
    /// The amount that this request uses: 1 per operation for counts; never negative.
    public let amount: Int128

    /// Makes a claim.
    public init(counter: String, window: LimitWindow, maximum: Int128, amount: Int128) {
        self.counter = counter
        self.window = window
        self.maximum = maximum
        self.amount = amount
    }
}

/// Reads the past of limits and counterparties.
///
/// The used part of a limit is a snapshot, checked again when the intent is written.
public protocol LimitUsage: Sendable {
    /// Returns the used amount of the claim's counter within its window before `now`.
    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128

    /// Returns the used amount of a counter that has the name of a key in place of its id.
    ///
    /// Earlier versions counted so. Their uses count until the window has passed.
    func usedByName(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128

    /// Returns the time at which a request with this counterparty was first signed.
    func firstUse(of counterparty: Counterparty) throws(LedgerError) -> FirstUse
}
