// SPDX-License-Identifier: Apache-2.0

/// Makes text safe to show: nothing hidden, nothing that moves the cursor or turns the line.
public enum VisibleText {
    /// The text with control, bidirectional and invisible characters written as `\u{...}`.
    ///
    /// Longer texts than `countMax` scalars are cut and say so.
    public static func escaped(_ text: String, countMax: Int = .max) -> String {
        var shown = ""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == countMax {
                let total = text.unicodeScalars.count
                return shown + "... (\(total - countMax) more characters)"
            }
            count += 1
            switch scalar {
            case "\n": shown += "\\n"
            case "\t": shown += "\\t"
            case "\r": shown += "\\r"
            case "\\": shown += "\\\\"
            case _ where isHidden(scalar):
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// Whether a person reading the text would not see all of it.
    public static func hasHidden(_ text: String) -> Bool {
        // Printable ASCII needs no look at scalars.
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return false }
        return text.unicodeScalars.contains {
            isHidden($0) && $0 != "\n" && $0 != "\t" && $0 != "\r"
        }
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E: false
        case 0...0x1F, 0x7F...0x9F: true
        // The joiners inside emoji are ordinary text; alone they hide little.
        case 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F: true
        case 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFEFF, 0xFFA0: true
        case 0x2028, 0x2029, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }
}
