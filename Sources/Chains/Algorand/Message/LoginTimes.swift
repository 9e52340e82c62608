// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore

/// The times of a login, in RFC 3339.
package struct LoginTimes {
    package let issued: Timestamp?
    package let expires: Timestamp?
    /// True if the login was issued just now, and neither starts later nor expires after a day.
    package let isFresh: Bool

    /// The names of the members that hold the times.
    package static let names = ["issued-at", "expiration-time", "not-before"]
    /// The maximum difference between two clocks, in seconds.
    private static let skewSecondsMax: Int64 = 600
    /// The maximum lifetime of a fresh login, in seconds.
    private static let secondsMax: Int64 = 86_400

    package init(_ data: JSON, at now: Timestamp) {
        issued = data["issued-at"]?.text.flatMap(Self.time)
        expires = data["expiration-time"]?.text.flatMap(Self.time)
        let start = data["not-before"]?.text.flatMap(Self.time)
        func isNow(_ time: Timestamp) -> Bool {
            (now.seconds - Self.skewSecondsMax...now.seconds + Self.skewSecondsMax)
                .contains(time.seconds)
        }
        let ends =
            data["expiration-time"] == nil
            || (expires.map {
                $0.seconds <= now.seconds + Self.secondsMax
            } ?? false)
        let begins = data["not-before"] == nil || (start.map(isNow) ?? false)
        isFresh = (issued.map(isNow) ?? false) && ends && begins
    }

    /// Parses a time; fractions of a second are dropped.
    package static func time(_ text: String) -> Timestamp? {
        var rest = Array(text.utf8)[...]
        guard rest.count <= textBytesMax,
            let year = number(4, in: 1970...9999, of: &rest), mark("-", of: &rest),
            let month = number(2, in: 1...12, of: &rest), mark("-", of: &rest),
            let day = number(2, in: 1...31, of: &rest), mark("Tt", of: &rest),
            let hour = number(2, in: 0...23, of: &rest), mark(":", of: &rest),
            let minute = number(2, in: 0...59, of: &rest), mark(":", of: &rest),
            let second = number(2, in: 0...59, of: &rest)
        else { return nil }
        if mark(".", of: &rest) {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
        }
        let days = Timestamp.daysSince1970(year: year, month: month, day: day)
        guard Timestamp.date(daysSince1970: days) == (year, month, day),
            let offset = offset(&rest), rest.isEmpty
        else { return nil }
        return Timestamp(
            seconds: days * 86_400 + hour * 3_600 + minute * 60 + second - offset)
    }

    private static let textBytesMax = 40

    /// Reads the offset of a time zone from UTC, in seconds.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if mark("Zz", of: &rest) { return 0 }
        let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard mark("+-", of: &rest), let hours = number(2, in: 0...23, of: &rest),
            mark(":", of: &rest), let minutes = number(2, in: 0...59, of: &rest)
        else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    /// Consumes the next character if it is in `characters`.
    private static func mark(_ characters: String, of rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads a number of exactly this many digits.
    private static func number(
        _ count: Int, in range: ClosedRange<Int64>, of rest: inout ArraySlice<UInt8>
    ) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        let value = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        return range.contains(value) ? value : nil
    }
}
