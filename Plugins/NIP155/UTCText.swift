// SPDX-License-Identifier: Apache-2.0

/// A point in time as people read it.
enum UTCText {
    /// Date and time in the form `2026-11-20 22:47:03 UTC`, for 1970 and later.
    static func text(seconds: Int64) -> String {
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = date(days: days)
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map(twoDigits)
        return "\(year)-\(twoDigits(month))-\(twoDigits(day)) "
            + time.joined(separator: ":") + " UTC"
    }

    /// The Gregorian date, counted in eras of 400 years that begin with March.
    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
