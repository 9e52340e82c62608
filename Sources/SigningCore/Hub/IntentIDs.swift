// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Makes request ids that grow: a store that is sorted by them then grows at its end, which costs
/// half of what growing everywhere does.
package final class IntentIDs: Sendable {
    /// Begins with the present second.
    package init() {}

    private let last = Mutex<UInt64>(0)

    /// The second and a counter, eight bytes with the most significant first, and then eight
    /// random ones, which keep the names of two hubs apart.
    package func next(at time: Timestamp, _ random: [UInt8]) -> [UInt8] {
        let place = last.withLock { last in
            last = max(last &+ 1, UInt64(clamping: time.seconds) << Self.counterBits)
            return last
        }
        return stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: place >> $0) }
            + random
    }

    private static let counterBits = 20
}
