// SPDX-License-Identifier: Apache-2.0

/// A share of a limit that a request would use up.
public struct LimitClaim: Hashable, Sendable {
    /// The counter's identity: rule id and window.
    public let counter: String
    /// The sliding window in seconds; nil counts for ever.
    public let windowSeconds: Int64?
    /// The most that may be used in a window.
    public let maximum: Int128
    /// What this request uses: 1 per operation for counts.
    public let amount: Int128

    /// Makes a claim.
    public init(counter: String, windowSeconds: Int64?, maximum: Int128, amount: Int128) {
        self.counter = counter
        self.windowSeconds = windowSeconds
        self.maximum = maximum
        self.amount = amount
    }
}

/// Reads how much of a limit is used; a snapshot, checked again when the intent is written.
public protocol LimitUsage: Sendable {
    /// What is used of the claim's counter within its window before `now`.
    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128
}
