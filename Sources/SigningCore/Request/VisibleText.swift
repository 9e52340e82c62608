// SPDX-License-Identifier: Apache-2.0

/// Makes text safe to show: no hidden characters, cursor movements or changes of direction.
public enum VisibleText {
    /// The longest run of spaces that is shown; a longer one is shown as a count, so that a client
    /// cannot imitate a layout with spaces.
    public static let spacesMax = 8

    /// Returns the text with control, bidirectional and invisible characters written as `\u{...}`.
    ///
    /// Texts longer than `countMax` scalars are cut, and the cut is marked.
    public static func escaped(_ text: String, countMax: Int = .max) -> String {
        shown(text, countMax: countMax, isQuoted: false)
    }

    /// Returns escaped text for use between quotation marks: quotation marks in it are escaped, and
    /// long runs of spaces are shown as a count.
    public static func quotable(_ text: String, countMax: Int = .max) -> String {
        shown(text, countMax: countMax, isQuoted: true)
    }

    private static func shown(_ text: String, countMax: Int, isQuoted: Bool) -> String {
        var shown = ""
        var spaces = 0
        var previous: Unicode.Scalar?
        let scalars = text.unicodeScalars
        var flagEnd = scalars.startIndex
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
                flagEnd = max(flagEnd, endOfFlag(at: index, in: scalars))
                guard index >= flagEnd else {
                    shown.unicodeScalars.append(scalar)
                    previous = scalar
                    continue
                }
                let after = scalars.index(after: index)
                let next = after < scalars.endIndex ? scalars[after] : nil
                write(scalar, between: previous, and: next, to: &shown)
            }
            previous = scalar
        }
        write(spaces: &spaces, to: &shown)
        return shown
    }

    /// Returns whether the text has characters that a reader does not see.
    public static func hasHidden(_ text: String) -> Bool {
        // Fast path: printable ASCII and line ends hide nothing.
        let isPlain = text.utf8.allSatisfy {
            (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D
        }
        if isPlain { return false }
        var previous: Unicode.Scalar?
        var hasMarks = false
        var hasRightToLeft = false
        let scalars = text.unicodeScalars
        var flagEnd = scalars.startIndex
        for index in scalars.indices {
            flagEnd = max(flagEnd, endOfFlag(at: index, in: scalars))
            guard index >= flagEnd else { continue }
            let scalar = scalars[index]
            hasRightToLeft = hasRightToLeft || isRightToLeft(scalar)
            if directionMarks.contains(scalar.value) {
                hasMarks = true
                continue
            }
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
        // Text in scripts from right to left legitimately contains marks of direction.
        return hasMarks && !hasRightToLeft
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
        // These scalars change an emoji before them; elsewhere they are invisible.
        case 0xFE0E: return !isEmoji(previous)
        case 0xFE0F: return !isEmoji(previous) && !isKeycap(previous, next)
        case 0x200D: return !(isEmoji(previous) && isEmoji(next)) && !joins(previous)
        case 0x200C: return !(joins(previous) && joins(next))
        // A Braille cell without dots looks like a space but is not one.
        case 0x2800: return true
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: return true
            default: return scalar.properties.isDefaultIgnorableCodePoint
            }
        }
    }

    /// Returns whether a scalar looks like an emoji; digits, which Unicode's tables include, do
    /// not.
    private static func isEmoji(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar, scalar.value > 0x7F else { return false }
        return scalar.properties.isEmoji || scalar.value == 0xFE0F
    }

    /// Returns whether a digit or sign is enclosed in a keycap.
    private static func isKeycap(_ scalar: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
        guard let scalar, next?.value == 0x20E3 else { return false }
        return ("0"..."9").contains(scalar) || scalar == "#" || scalar == "*"
    }

    /// Returns whether a joiner or non-joiner has a visible effect beside this character.
    ///
    /// The scripts are Arabic, Syriac, N'Ko, those of India and its neighbours, and Mongolian.
    private static func joins(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        switch scalar.value {
        case 0x0620...0x065F, 0x066E...0x06D3, 0x06FA...0x07FF, 0x08A0...0x08FF, 0x0900...0x0DFF,
            0x1000...0x109F, 0x1780...0x17D3, 0x1820...0x18AA, 0xFB50...0xFDFB, 0xFE70...0xFEFC:
            return !scalar.properties.isDefaultIgnorableCodePoint
        default: return false
        }
    }

    /// Invisible marks that set the direction of the characters beside them.
    private static let directionMarks: Set<UInt32> = [0x061C, 0x200E, 0x200F]

    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x05D0...0x05F4, 0x0620...0x064A, 0x066E...0x06D3, 0x0700...0x08FF,
            0xFB1D...0xFDFB, 0xFE70...0xFEFC:
            true
        default: false
        }
    }

    /// The flags of England, Scotland and Wales: a black flag, then invisible characters.
    private static let regionFlags = ["gbeng", "gbsct", "gbwls"].map { region in
        [0x1F3F4] + region.unicodeScalars.map { 0xE0000 + $0.value } + [0xE007F]
    }

    /// Returns the end of a flag emoji that begins here; the start itself if there is none.
    private static func endOfFlag(
        at index: String.Index, in scalars: String.UnicodeScalarView
    ) -> String.Index {
        guard scalars[index].value == 0x1F3F4 else { return index }
        for flag in regionFlags where scalars[index...].lazy.map(\.value).starts(with: flag) {
            return scalars.index(index, offsetBy: flag.count)
        }
        return index
    }
}
