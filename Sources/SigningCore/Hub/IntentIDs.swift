// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Makes request ids that increase.
///
/// So a table that is sorted by these ids grows at its end, which costs half of random inserts.
package final class IntentIDs: Sendable {
    /// Creates a generator of ids.
    package init() {}

    private let last = Mutex<UInt64>(0)

    /// Returns eight big-endian bytes with time and counter, followed by the random bytes.
    ///
    /// The random bytes make the ids of two hubs different.
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
