// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The most ranges in `hours`.
    static let hoursCountMax = 16

    /// Reads `tz = "Europe/Berlin"`; each zone is looked up once.
    mutating func readZone(_ node: TOMLNode) -> Zone? {
        guard case .text(let name) = node.value else {
            report.error(
                .time, "tz takes the name of a zone such as \"Europe/Berlin\"",
                at: node.position)
            return nil
        }
        if let known = zones[name] { return known }
        guard let zone = Zone(named: name) else {
            report.error(.time, "unknown time zone \(quoted(name))", at: node.position)
            return nil
        }
        zones[name] = zone
        return zone
    }

    /// Reads the window of a limit: `per = "1h"`, `per = "day"`, or no window for `uses`.
    mutating func readWindow(
        of kind: TOMLNode, _ parts: [String: TOMLNode], _ limit: TOMLNode, _ zone: Zone?
    ) -> PolicyLimit.Window? {
        let ownZone = parts["tz"].map { readZone($0) }
        guard let per = parts["per"] else {
            if let tz = parts["tz"] {
                report.error(.notHere, "tz has no effect without per", at: tz.keyPosition)
            }
            if kind.key == "uses" { return .ever }
            report.error(.missingKey, "the limit has no \"per\"", at: limit.position)
            return nil
        }
        guard kind.key != "uses" else {
            report.error(
                .notHere, "uses has no time window; write count beside per",
                at: per.keyPosition)
            return nil
        }
        guard case .text(let text) = per.value else {
            report.error(.limit, Self.windowDemand, at: per.position)
            return nil
        }
        guard let unit = CalendarUnit(rawValue: text) else {
            guard let seconds = WrittenDuration.seconds(of: text), seconds >= 1 else {
                report.error(.limit, Self.windowDemand, at: per.position)
                return nil
            }
            if let tz = parts["tz"] {
                report.error(
                    .notHere, "tz is for calendar units such as \"day\"", at: tz.keyPosition)
            }
            if text == "1m" {
                report.warn(
                    .minuteOrMonth,
                    "\"1m\" is one minute: write \"60s\", or \"month\" for a month",
                    at: per.position)
            }
            return .sliding(seconds: seconds)
        }
        guard let zone = ownZone ?? zone else {
            if parts["tz"] == nil {
                report.error(
                    .time, "a calendar \(text) needs a zone: tz = \"UTC\"", at: per.position)
            }
            return nil
        }
        return .calendar(unit, zone)
    }

    private static let windowDemand =
        "per takes a duration such as \"90s\", \"5m\", \"1h\" or \"1d\", or a calendar unit: "
        + CalendarUnit.allCases.map(\.rawValue).joined(separator: ", ")

    /// Reads `hours`, `days` and `tz` of a rule.
    mutating func readSchedule(
        hours: TOMLNode?, days: TOMLNode?, zone: Zone?, tz: TOMLNode?
    ) -> Schedule? {
        guard let first = hours ?? days else { return nil }
        let readHours = hours.map { self.readHours($0) } ?? []
        let readDays = days.map { self.readDays($0) } ?? []
        if tz == nil {
            report.error(
                .time, "\(first.key) need a zone: tz = \"UTC\"", at: first.keyPosition)
        }
        guard let zone, let readHours, let readDays else { return nil }
        return Schedule(
            hours: readHours.sorted { ($0.start, $0.end) < ($1.start, $1.end) },
            days: Set(readDays).sorted(), zone: zone)
    }

    private mutating func readHours(_ node: TOMLNode) -> [Schedule.Hours]? {
        let items = node.items
        let read = items.compactMap { item -> Schedule.Hours? in
            guard case .text(let text) = item.value else { return nil }
            return Schedule.Hours(text)
        }
        guard !items.isEmpty, read.count == items.count, items.count <= Self.hoursCountMax else {
            report.error(
                .time, "hours takes text such as \"09:00-18:00\", or a list of such texts",
                at: node.position)
            return nil
        }
        return read
    }

    private mutating func readDays(_ node: TOMLNode) -> [Int]? {
        guard case .array(let items) = node.value, !items.isEmpty else {
            report.error(
                .time, "days takes a list such as [\"mon\", \"fri\"]", at: node.position)
            return nil
        }
        var days: [Int] = []
        for item in items {
            guard case .text(let name) = item.value,
                let day = Schedule.dayNames.firstIndex(of: name)
            else {
                reportUnknownName(item, of: "day", among: Schedule.dayNames, .any)
                return nil
            }
            days.append(day)
        }
        return days
    }
}

extension Schedule.Hours {
    private static let dayMinutes: Int64 = 24 * 60

    /// Reads `09:00-18:00`; `24:00` is the end of a day.
    init?(_ text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = Self.minute(ends[0]), let end = Self.minute(ends[1]),
            start < Self.dayMinutes, start != end
        else { return nil }
        self.init(start: start, end: end)
    }

    private static func minute(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int64(parts[0]), let minute = Int64(parts[1]), minute < 60,
            hour * 60 + minute <= dayMinutes
        else { return nil }
        return hour * 60 + minute
    }
}
