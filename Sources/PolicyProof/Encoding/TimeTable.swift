// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Moments at which every combination of open schedules, expired rules and time bounds occurs that
/// occurs at all.
struct TimeTable {
    /// The time of a request: by the record, and by the clock.
    struct Moment: Hashable {
        let time: Timestamp
        let clock: Timestamp

        var isClockBehind: Bool { clock < time }
    }

    /// The days that are looked at from now and from each date that a policy names: a year, in
    /// which clocks change as in any other, and a month.
    static let daysMax: Int64 = 400
    /// The most moments that are looked at.
    static let momentsMax = 500_000
    /// The most dates that policies name.
    static let datesMax = 300

    private(set) var moments: [Moment] = []
    private let now: Int64
    /// The dates at which a rule expires or a condition on the time changes, sorted.
    private let dates: [Int64]
    private let schedules: [Schedule]
    private let zones: [Zone]

    private static let day: Int64 = 86_400

    /// Nil if there are too many moments.
    init?(_ rules: [PolicyRule], from now: Timestamp) {
        self.now = now.seconds
        dates = Set(rules.flatMap(\.dates)).filter { $0 > Int64.min + 1 && $0 < Int64.max - 1 }
            .sorted()
        schedules = Array(
            Set(rules.flatMap { [$0.schedule] + $0.exceptions.map(\.schedule) }.compactMap(\.self)))
        zones = Array(Set(schedules.map(\.zone))).sorted { $0.name < $1.name }
        guard dates.count <= Self.datesMax, sweep() else { return nil }
        addMomentsWithClockBehind()
    }

    private mutating func sweep() -> Bool {
        let starts = [now] + dates.filter { $0 > now }
        var vectors = ScheduleVectors(schedules, zones)
        for (stage, start) in starts.enumerated() {
            let (last, isTooLate) = start.addingReportingOverflow(Self.daysMax * Self.day)
            let next = stage + 1 < starts.count ? starts[stage + 1] : Int64.max
            let end = min(next, isTooLate ? Int64.max : last)
            var seen: Set<[Int]> = []
            var count = 0
            func look(_ seconds: Int64) {
                guard seconds >= start, seconds < end else { return }
                count += 1
                let time = Timestamp(seconds: seconds)
                if seen.insert(vectors.vector(at: time)).inserted {
                    moments.append(Moment(time: time, clock: time))
                }
            }
            look(start)
            if schedules.isEmpty { continue }
            // Times without a date in any calendar have no schedule to look at.
            guard abs(start) < 1 << 40 else { return false }
            for day in stride(from: start - start % Self.day, to: end, by: Int(Self.day)) {
                for zone in zones { minutes(of: zone, on: day).forEach(look) }
                guard count <= Self.momentsMax else { return false }
            }
        }
        return true
    }

    /// The moments of a day at which schedules of a zone may open or close.
    private func minutes(of zone: Zone, on day: Int64) -> [Int64] {
        let offset = zone.offset(at: Timestamp(seconds: day))
        guard offset == zone.offset(at: Timestamp(seconds: day + Self.day)) else {
            // The clocks change on this day.
            return (0..<1_440).map { day + $0 * 60 }
        }
        var edges: Set<Int64> = [0]
        for schedule in schedules where schedule.zone == zone {
            for hours in schedule.hours { edges.formUnion([hours.start, hours.end]) }
        }
        return edges.map { minute in
            day + ((minute * 60 - offset) % Self.day + Self.day) % Self.day
        }
    }

    /// Adds each order of a clock that is behind and the time on record between the dates.
    private mutating func addMomentsWithClockBehind() {
        var instants: Set<Int64> = [now, now - 1]
        for date in dates { instants.formUnion([date - 1, date, date + 1]) }
        var seen: Set<[Int]> = []
        func stage(_ seconds: Int64) -> Int { dates.count { $0 <= seconds } }
        for time in instants.sorted() where time >= now {
            for clock in instants.sorted() where clock < time {
                guard seen.insert([stage(time), stage(clock)]).inserted else { continue }
                moments.append(
                    Moment(time: Timestamp(seconds: time), clock: Timestamp(seconds: clock)))
            }
        }
    }
}

/// The schedules that are open, computed once for each minute of the week and state of the clocks.
private struct ScheduleVectors {
    private struct Key: Hashable {
        let zone: Int
        let offset: Int64
        let second: Int64
    }

    private let schedules: [[Schedule]]
    private let zones: [Zone]
    private var known: [Key: Int] = [:]
    private var numbers: [[Bool]: Int] = [:]

    init(_ schedules: [Schedule], _ zones: [Zone]) {
        self.zones = zones
        self.schedules = zones.map { zone in schedules.filter { $0.zone == zone } }
    }

    /// A number for each zone: equal numbers mean that the same schedules are open.
    mutating func vector(at time: Timestamp) -> [Int] {
        zones.indices.map { zone in
            let key = Key(
                zone: zone, offset: zones[zone].offset(at: time),
                second: ((time.seconds % 604_800) + 604_800) % 604_800)
            if let number = known[key] { return number }
            let open = schedules[zone].map { $0.isOpen(at: time) }
            let number = numbers[open] ?? numbers.count
            numbers[open] = number
            known[key] = number
            return number
        }
    }
}

extension PolicyRule {
    /// The moments from which the rule or one of its conditions on the time may differ.
    fileprivate var dates: [Int64] {
        let conditions = allConditions.filter {
            $0.field.name == EngineFact.time.rawValue
        }
        let bounds = conditions.flatMap(\.matchers).flatMap { matcher -> [Int128] in
            switch matcher {
            case .atLeast(let bound): [bound]
            case .atMost(let bound): bound < .max ? [bound + 1] : []
            default:
                (matcher.list?.known ?? []).compactMap(\.number).flatMap {
                    $0 < .max ? [$0, $0 + 1] : [$0]
                }
            }
        }
        return bounds.compactMap { Int64(exactly: $0) } + [expires?.seconds].compactMap(\.self)
    }
}
