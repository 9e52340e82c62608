// SPDX-License-Identifier: Apache-2.0

/// A limit of the policy as a bar and a text.
package struct InboxLimit: Hashable, Sendable {
    let row: String

    /// The length of a bar, in characters.
    private static let barSize: Int128 = 20

    /// Creates the bar for the used part of a maximum.
    package init(_ text: String, used: Int128, of maximum: Int128) {
        let used = min(max(0, used), max(0, maximum))
        // The product of a token amount can overflow.
        let (product, isTooLarge) = used.multipliedReportingOverflow(by: Self.barSize)
        let parts = isTooLarge ? used / max(1, maximum / Self.barSize) : product / max(1, maximum)
        // A non-zero use and a non-zero remainder get at least one cell each.
        var count = Int(min(Self.barSize, parts))
        if used > 0 { count = max(1, count) }
        if used < maximum { count = min(count, Int(Self.barSize) - 1) }
        row =
            "[" + String(repeating: "#", count: count)
            + String(repeating: ".", count: Int(Self.barSize) - count) + "] " + text
    }
}
