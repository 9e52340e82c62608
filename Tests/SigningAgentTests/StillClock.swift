// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that stands still until a test lets time pass.
final class StillClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}
