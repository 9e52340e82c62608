// SPDX-License-Identifier: Apache-2.0

/// A limit of the policy, as a bar and in words.
package struct InboxLimit: Hashable, Sendable {
    let row: String

    /// How long a bar is, in characters.
    private static let barSize: Int128 = 20

    /// What was used of so much.
    package init(_ text: String, used: Int128, of maximum: Int128) {
        let used = min(max(0, used), max(0, maximum))
        // Amounts of tokens may be larger than what can be multiplied.
        let (product, isTooLarge) = used.multipliedReportingOverflow(by: Self.barSize)
        let parts = isTooLarge ? used / max(1, maximum / Self.barSize) : product / max(1, maximum)
        // Whatever was used shows, and whatever is left.
        var count = Int(min(Self.barSize, parts))
        if used > 0 { count = max(1, count) }
        if used < maximum { count = min(count, Int(Self.barSize) - 1) }
        row =
            "[" + String(repeating: "#", count: count)
            + String(repeating: ".", count: Int(Self.barSize) - count) + "] " + text
    }
}
