// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Makes request ids that increase.
///
/// A store that is sorted by them then grows at its end, at half the cost of random inserts.
package final class IntentIDs: Sendable {
    /// Starts at the present second.
    package init() {}

    private let last = Mutex<UInt64>(0)

    /// Returns a second and a counter in eight big-endian bytes, then eight random bytes.
    ///
    /// The random bytes keep ids of two hubs distinct.
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
