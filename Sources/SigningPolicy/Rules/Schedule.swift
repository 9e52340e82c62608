// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// The hours and days at which a rule is in force, in the local time of one zone.
package struct Schedule: Hashable, Sendable {
    /// A range of minutes of a day; if `end` is not after `start`, the range ends on the next day.
    package struct Hours: Hashable, Sendable {
        package let start: Int64
        package let end: Int64

        /// The range in the notation of policy files.
        package var text: String { "\(Self.clock(start))-\(Self.clock(end))" }

        private static func clock(_ minute: Int64) -> String {
            let parts = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            return parts.joined(separator: ":")
        }
    }

    static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// The ranges of hours, sorted; empty for all hours.
    package let hours: [Hours]
    /// The weekdays, 0 for Monday, sorted; empty for all days.
    package let days: [Int]
    package let zone: Zone

    /// Whether a rule with this schedule is in force; hours past midnight belong to the day on
    /// which they began.
    package func isOpen(at time: Timestamp) -> Bool {
        let local = LocalTime(time, in: zone)
        let minute = local.secondOfDay / 60
        guard !hours.isEmpty else { return isOpen(onDay: local.weekday) }
        return hours.contains { hours in
            guard hours.end <= hours.start else {
                return (hours.start..<hours.end) ~= minute && isOpen(onDay: local.weekday)
            }
            return minute >= hours.start && isOpen(onDay: local.weekday)
                || minute < hours.end && isOpen(onDay: (local.weekday + 6) % 7)
        }
    }

    /// The next minute at which the schedule is open, within the following eight days.
    package func nextOpening(after time: Timestamp) -> Timestamp? { next(open: true, after: time) }

    /// The next minute at which the schedule is open or is closed, within eight days.
    package func next(open wanted: Bool, after time: Timestamp) -> Timestamp? {
        let time = time.inCalendar
        var minute = time.seconds - time.seconds % 60 + 60
        for _ in 0..<(8 * 24 * 60) {
            let next = Timestamp(seconds: minute)
            if isOpen(at: next) == wanted { return next }
            minute += 60
        }
        return nil
    }

    private func isOpen(onDay day: Int) -> Bool { days.isEmpty || days.contains(day) }
}

extension Timestamp {
    /// The moment, or the nearest one within a billion years: later moments have no date here.
    fileprivate var inCalendar: Timestamp {
        Timestamp(seconds: min(max(seconds, -1 << 55), 1 << 55))
    }
}

/// The local time in a zone.
struct LocalTime {
    private static let daySeconds: Int64 = 86_400

    /// Days since 1970-01-01 by the local calendar.
    let day: Int64
    let secondOfDay: Int64
    /// The day of the week, 0 for Monday.
    var weekday: Int { Int(((day % 7) + 10) % 7) }

    init(_ time: Timestamp, in zone: Zone) {
        let time = time.inCalendar
        let seconds = time.seconds + zone.offset(at: time)
        secondOfDay = (seconds % Self.daySeconds + Self.daySeconds) % Self.daySeconds
        day = (seconds - secondOfDay) / Self.daySeconds
    }

    /// The moment at which a local day begins; if clocks skip midnight, the first moment of the
    /// day.
    static func start(ofDay day: Int64, near time: Timestamp, in zone: Zone) -> Timestamp {
        let local = day * daySeconds
        let guess = Timestamp(seconds: local - zone.offset(at: time))
        let moment = Timestamp(seconds: local - zone.offset(at: guess))
        return LocalTime(moment, in: zone).day < day ? max(guess, moment) : moment
    }
}

/// The calendar units that limits may count by.
package enum CalendarUnit: String, CaseIterable, Sendable {
    case hour, day, week, month, year

    /// The start of the unit that contains `time`; never after `time`.
    package func start(at time: Timestamp, in zone: Zone) -> Timestamp {
        let time = time.inCalendar
        let local = LocalTime(time, in: zone)
        guard self != .hour else {
            return Timestamp(seconds: time.seconds - local.secondOfDay % 3_600)
        }
        return min(
            time, LocalTime.start(ofDay: firstDay(of: local, after: 0), near: time, in: zone))
    }

    /// The start of the next unit.
    package func end(at time: Timestamp, in zone: Zone) -> Timestamp {
        let time = time.inCalendar
        let local = LocalTime(time, in: zone)
        guard self != .hour else {
            return Timestamp(seconds: time.seconds - local.secondOfDay % 3_600 + 3_600)
        }
        return LocalTime.start(ofDay: firstDay(of: local, after: 1), near: time, in: zone)
    }

    /// The first day of the unit, or of the next unit if `count` is 1.
    private func firstDay(of local: LocalTime, after count: Int64) -> Int64 {
        let (year, _, day) = Timestamp.date(daysSince1970: local.day)
        switch self {
        case .hour, .day: return local.day + count
        case .week: return local.day - Int64(local.weekday) + 7 * count
        case .month:
            let first = local.day - day + 1
            guard count > 0 else { return first }
            // A month has 28 to 31 days.
            return firstDayOfMonth(containing: first + 31)
        case .year:
            return Timestamp.daysSince1970(year: year + count, month: 1, day: 1)
        }
    }

    private func firstDayOfMonth(containing day: Int64) -> Int64 {
        day - Timestamp.date(daysSince1970: day).day + 1
    }
}
