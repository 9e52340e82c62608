// SPDX-License-Identifier: Apache-2.0

extension Timestamp {
    /// The time in UTC as RFC 3339 writes it, with seconds: `2026-11-20T12:00:00Z`.
    public var utcText: String {
        let days = Self.quotient(seconds, 86_400)
        let second = (seconds % 86_400 + 86_400) % 86_400
        let (year, month, day) = Self.date(daysSince1970: days)
        let parts = [second / 3_600, second / 60 % 60, second % 60].map(Self.twoDigits)
        return "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(day))T"
            + parts.joined(separator: ":") + "Z"
    }

    /// Returns the Gregorian date of a day; computes with years from March, so leap days come last.
    package static func date(
        daysSince1970: Int64
    ) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = daysSince1970 + 719_468
        let era = quotient(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Returns the day number of a Gregorian date.
    package static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = quotient(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Divides and rounds down, also for negative numbers (days before 1970).
    private static func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
