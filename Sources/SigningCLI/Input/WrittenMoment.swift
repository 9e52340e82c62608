// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// A time in the notation of the command line.
enum WrittenMoment {
    /// Reads a day (`2026-11-20`, its first second), a time (`2026-11-20T14:30Z`, seconds are
    /// optional) or an age (`90m`, `6h`, `3d`); times are in UTC.
    static func read(_ text: String, now: Timestamp) -> Timestamp? {
        age(text).map { Timestamp(seconds: max(0, now.seconds - $0)) } ?? date(text)
    }

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    /// The maximum age, 100 years, in seconds.
    private static let secondsMax: Int64 = 36_500 * 86_400

    private static func age(_ text: String) -> Int64? {
        guard let unit = text.last.flatMap({ units[$0] }), let count = number(text.dropLast()),
            count <= secondsMax / unit
        else { return nil }
        return count * unit
    }

    private static func date(_ text: String) -> Timestamp? {
        let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        let day = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard day.count == 3, day.map(\.count) == [4, 2, 2], let year = number(day[0]),
            let month = number(day[1]), let date = number(day[2])
        else { return nil }
        var time: [Int64] = [0, 0, 0]
        if halves.count == 2 {
            let parts = halves[1].dropLast().split(separator: ":", omittingEmptySubsequences: false)
            let read = parts.compactMap { $0.count == 2 ? number($0) : nil }
            guard halves[1].last == "Z", read.count == parts.count, [2, 3].contains(read.count)
            else { return nil }
            time.replaceSubrange(0..<read.count, with: read)
        }
        let days = Timestamp.daysSince1970(year: year, month: month, day: date)
        let moment = Timestamp(
            seconds: days * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2])
        // A date that does not exist, such as February 30th, would become another date.
        let written = [time[0], time[1], time[2]].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return moment.utcText == "\(halves[0])T\(written.joined(separator: ":"))Z" ? moment : nil
    }

    private static func number(_ text: some StringProtocol) -> Int64? {
        guard (1...9).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(text)
    }
}
