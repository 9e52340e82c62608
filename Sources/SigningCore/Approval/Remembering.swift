// SPDX-License-Identifier: Apache-2.0

/// The time for which an answer is remembered, and the limits of a yes.
public struct Remembering: Hashable, Sendable {
    /// The spans that a person can choose; the raw value is the text that people type.
    public enum Span: String, Hashable, Sendable, CaseIterable {
        case fiveMinutes = "5m"
        case hour = "1h"
        case day = "1d"
        case session, always

        /// The length in seconds; nil for the two spans without a fixed length.
        public var seconds: Int64? {
            switch self {
            case .fiveMinutes: 300
            case .hour: 3_600
            case .day: 86_400
            case .session, .always: nil
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

    /// Makes the choice of a person; called by approvals.
    public init(_ span: Span, usesMax: Int64? = nil, totals: [Outflow] = []) {
        self.span = span
        self.usesMax = usesMax
        self.totals = totals
    }
}
