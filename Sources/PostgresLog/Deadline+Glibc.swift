// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A moment of a clock that is never set and continues while the machine sleeps.
struct Deadline {
    private let milliseconds: Int64

    init(secondsFromNow seconds: Int) {
        milliseconds = Self.now + Int64(seconds) * 1_000
    }

    private init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The earlier of this deadline and one this many seconds from now.
    func atMost(secondsFromNow seconds: Int) -> Deadline {
        Deadline(milliseconds: min(milliseconds, Self.now + Int64(seconds) * 1_000))
    }

    /// The time left, in milliseconds; 0 if the deadline is past.
    var millisecondsLeft: Int32 {
        Int32(clamping: max(0, milliseconds - Self.now))
    }

    /// Waits until a socket is ready; false if the deadline passes first.
    func wait(for socket: Int32, toRead: Bool, toWrite: Bool) -> Bool {
        var place = pollfd()
        place.fd = socket
        place.events = Int16((toRead ? POLLIN : 0) | (toWrite ? POLLOUT : 0))
        while millisecondsLeft > 0 {
            let count = unsafe poll(&place, 1, millisecondsLeft)
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else { return false }
        }
        return false
    }

    /// Whether a socket has data to read, or its end.
    static func hasInput(_ socket: Int32) -> Bool {
        var place = pollfd()
        place.fd = socket
        place.events = Int16(POLLIN)
        return unsafe poll(&place, 1, 0) != 0
    }

    private static var now: Int64 { ClockReading.milliseconds(of: CLOCK_BOOTTIME) }
}

/// Readings of the machine's clocks.
enum ClockReading {
    /// The time of day, in milliseconds since 1970.
    @Sendable static func timeOfDay() -> Int64 { milliseconds(of: CLOCK_REALTIME) }

    fileprivate static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        let status = unsafe clock_gettime(clock, &time)
        precondition(status == 0, "the system clock cannot be read")
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
