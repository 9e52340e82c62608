// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// Counts how often the maximum of a limit can be used within a period.
///
/// A period of T seconds begins at a moment and ends before the moment T seconds later. The bounds
/// follow from one property of ledgers: when a use at time t is reserved, all uses that are on
/// record within the window before t, together with this one, are at most the maximum M.
///
/// Sliding windows of w seconds: the period is cut into n = ceil(T / w) parts of at most w seconds.
/// Take the use of a part that was reserved last, at time t. Every other use of the part is less
/// than w seconds before t, or later, so the window counted it: the part has at most M. So the
/// period has at most n * M. M uses every w seconds reach it, so there is no lower bound.
/// A period of 30 days has 30 parts of 24 hours, as it does not contain its end.
///
/// Calendar windows: the same holds for the parts that the starts of hours, days and so on cut the
/// period into, because a window begins at the last start. The starts differ with the clock
/// changes of a zone, so they are taken from the zone.
package struct WindowCount {
    /// The span after now whose calendar is searched for the period with the most starts; it has
    /// every clock change of a year.
    private static let calendarSeconds: Int64 = 500 * 86_400

    private let now: Timestamp
    private var known: [PolicyLimit.Window: [Int64: Int128]] = [:]

    package init(now: Timestamp) { self.now = now }

    /// The largest number of windows with full use in any period of so many seconds.
    package mutating func most(of window: PolicyLimit.Window, in seconds: Int64) -> Int128 {
        if let count = known[window]?[seconds] { return count }
        let count: Int128 =
            switch window {
            case .ever: 1
            // A window without length counts all time.
            case .sliding(let length) where length < 1 || length >= seconds: 1
            case .sliding(let length): Int128((seconds + length - 1) / length)
            case .calendar(let unit, let zone): parts(of: seconds, unit, zone)
            }
        known[window, default: [:]][seconds] = count
        return count
    }

    private func parts(of seconds: Int64, _ unit: CalendarUnit, _ zone: Zone) -> Int128 {
        let starts = starts(of: unit, in: zone)
        var (most, first) = (0, 0)
        for last in starts.indices {
            // The first second of the period belongs to the part before.
            while starts[last] - starts[first] > seconds - 2 { first += 1 }
            most = max(most, last - first + 1)
        }
        return Int128(most + 1)
    }

    /// The moments at which windows begin, ascending.
    private func starts(of unit: CalendarUnit, in zone: Zone) -> [Int64] {
        var starts = [unit.start(at: now, in: zone).seconds]
        let last = now.seconds + Self.calendarSeconds
        while let start = starts.last, start < last {
            let end = max(start + 1, unit.end(at: Timestamp(seconds: start), in: zone).seconds)
            // Where a clock goes back, the start of the same day or hour can change within it.
            if unit.start(at: Timestamp(seconds: end - 1), in: zone).seconds != start {
                starts.append(start)
                starts.append(end)
            }
            starts.append(end)
        }
        return starts
    }
}
