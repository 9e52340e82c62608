// SPDX-License-Identifier: Apache-2.0

/// Makes text safe to show: nothing hidden, nothing that moves the cursor or turns the line.
public enum VisibleText {
    /// Longer runs of spaces are written as their number, so that padding cannot draw a page.
    public static let spacesMax = 8

    /// The text with control, bidirectional and invisible characters written as `\u{...}`.
    ///
    /// Longer texts than `countMax` scalars are cut and say so.
    public static func escaped(_ text: String, countMax: Int = .max) -> String {
        shown(text, countMax: countMax, isQuoted: false)
    }

    /// As `escaped`, for somebody else's words between quotation marks: those inside are
    /// escaped, and padding is written as its length.
    public static func quotable(_ text: String, countMax: Int = .max) -> String {
        shown(text, countMax: countMax, isQuoted: true)
    }

    private static func shown(_ text: String, countMax: Int, isQuoted: Bool) -> String {
        var shown = ""
        var spaces = 0
        var previous: Unicode.Scalar?
        let scalars = text.unicodeScalars
        for (count, index) in scalars.indices.enumerated() {
            if count == countMax {
                write(spaces: &spaces, to: &shown)
                return shown + "... (\(scalars.count - countMax) more characters)"
            }
            let scalar = scalars[index]
            if isQuoted, scalar.properties.generalCategory == .spaceSeparator {
                spaces += 1
            } else if isQuoted, scalar == "\"" {
                write(spaces: &spaces, to: &shown)
                shown += "\\\""
            } else {
                write(spaces: &spaces, to: &shown)
                let after = scalars.index(after: index)
                let next = after < scalars.endIndex ? scalars[after] : nil
                write(scalar, between: previous, and: next, to: &shown)
            }
            previous = scalar
        }
        write(spaces: &spaces, to: &shown)
        return shown
    }

    /// Whether a person reading the text would not see all of it.
    public static func hasHidden(_ text: String) -> Bool {
        // Printable ASCII in lines needs no look at scalars.
        let isPlain = text.utf8.allSatisfy {
            (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D
        }
        if isPlain { return false }
        var previous: Unicode.Scalar?
        let scalars = text.unicodeScalars
        for index in scalars.indices {
            let scalar = scalars[index]
            let after = scalars.index(after: index)
            let next = after < scalars.endIndex ? scalars[after] : nil
            let isLayout = scalar == "\n" || scalar == "\t" || scalar == "\r"
            if !isLayout,
                isHidden(scalar, between: previous, and: next)
            {
                return true
            }
            previous = scalar
        }
        return false
    }

    private static func write(spaces: inout Int, to shown: inout String) {
        shown +=
            spaces > spacesMax ? " (\(spaces) spaces) " : String(repeating: " ", count: spaces)
        spaces = 0
    }

    private static func write(
        _ scalar: Unicode.Scalar, between previous: Unicode.Scalar?, and next: Unicode.Scalar?,
        to shown: inout String
    ) {
        switch scalar {
        case "\n": shown += "\\n"
        case "\t": shown += "\\t"
        case "\r": shown += "\\r"
        case "\\": shown += "\\\\"
        case _ where isHidden(scalar, between: previous, and: next):
            shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: shown.unicodeScalars.append(scalar)
        }
    }

    private static func isHidden(
        _ scalar: Unicode.Scalar, between previous: Unicode.Scalar?, and next: Unicode.Scalar?
    ) -> Bool {
        switch scalar.value {
        case 0x20...0x7E: return false
        case 0...0x1F, 0x7F...0x9F: return true
        // Inside an emoji these are part of what is seen; anywhere else they hide.
        case 0xFE0F: return !isEmoji(previous)
        case 0x200D: return !(isEmoji(previous) && isEmoji(next))
        // A Braille cell without dots looks like a space and is none.
        case 0x2800: return true
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: return true
            default: return scalar.properties.isDefaultIgnorableCodePoint
            }
        }
    }

    /// Digits count as emoji in Unicode's tables, but not to a reader.
    private static func isEmoji(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar, scalar.value > 0x7F else { return false }
        return scalar.properties.isEmoji || scalar.value == 0xFE0F
    }
}
