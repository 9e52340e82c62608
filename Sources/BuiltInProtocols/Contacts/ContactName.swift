// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningService

/// The names that contacts can have, and the form in which two names read as one.
///
/// The form is smaller than that of UTS 39, so fewer characters are allowed: those of scripts whose
/// likenesses to other letters the table below has.
enum ContactName {
    /// The maximum number of characters (Unicode scalars) of a name.
    static let countMax = 32

    /// Returns the reason that a text cannot be a name; nil if it can.
    static func problem(_ name: String) -> ServiceError? {
        let scalars = Array(name.unicodeScalars)
        guard (1...countMax).contains(scalars.count) else {
            return ServiceError(
                scalars.isEmpty ? "the name is empty" : "the name has \(scalars.count) characters",
                hint: "give a name of 1 to \(countMax) characters")
        }
        if let wrong = scalars.first(where: { !isAllowed($0) }) {
            let shown = VisibleText.quotable(String(wrong))
            let code = String(wrong.value, radix: 16, uppercase: true)
            return ServiceError(
                "a name cannot have the character \"\(shown)\" (U+\(code))",
                hint: "use letters from left to right, digits, single spaces, and - _ . ' & +")
        }
        let begins = scalars.first.map { isLetterOrDigit($0) && !isMark($0) } ?? false
        let hasGap = zip(scalars, scalars.dropFirst()).contains { $0 == " " && $1 == " " }
        guard begins, !hasGap, scalars.last != " " else {
            return ServiceError(
                "a name begins with a letter or digit, and has single spaces only between words",
                hint: "leave out the other characters")
        }
        guard !zip(scalars, scalars.dropFirst()).contains(where: { isAccent($0) && isAccent($1) })
        else {
            return ServiceError(
                "the name has several accents on one letter", hint: "write it without them")
        }
        guard Set(scalars.compactMap { unmixedScript(of: $0) }).count < 2 else {
            return ServiceError(
                "the name mixes letters of several scripts, which look alike",
                hint: "write it in one script")
        }
        guard !name.split(separator: " ").contains(where: readsAsAddress) else {
            return ServiceError(
                "the name reads as an address", hint: "use a word without dots and long numbers")
        }
        guard !folded(name).isEmpty else {
            return ServiceError("the name has no letter or digit", hint: "add one")
        }
        return nil
    }

    /// True if a word could be taken for an address, or for the ends of one.
    private static func readsAsAddress(_ word: Substring) -> Bool {
        let lower = word.lowercased()
        if ["npub1", "nsec1", "nprofile1", "0x", "0s", "0u"].contains(where: lower.hasPrefix) {
            return true
        }
        let dots = lower.split(separator: ".", omittingEmptySubsequences: false)
        if dots.count > 1, dots.dropFirst().contains(where: { !$0.isEmpty }) { return true }
        return lower.utf8.count >= 16 && lower.utf8.contains { (0x30...0x39).contains($0) }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        " -_.'&+".unicodeScalars.contains(scalar) || isLetterOrDigit(scalar)
            || (isAccent(scalar) && !scalar.properties.changesWhenNFKCCaseFolded)
    }

    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        (0x0300...0x036F).contains(scalar.value)
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        if (0x30...0x39).contains(scalar.value) { return true }
        guard script(of: scalar) != nil else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .otherLetter, .nonspacingMark, .spacingMark:
            // Letters with a compatibility form, such as ligatures, read as other letters.
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            return lower.allSatisfy {
                !$0.properties.changesWhenNFKCCaseFolded || ["\u{DF}", "\u{3C2}"].contains($0)
            }
        default: return false
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .spacingMark].contains(scalar.properties.generalCategory)
    }

    /// A group of letters that are not mixed with those of other groups.
    private enum Script: CaseIterable {
        case latin, greek, cyrillic, armenian, southAsian, georgian, ethiopic, khmer, eastAsian

        /// The blocks of the letters that names can have; none is written from right to left.
        var ranges: [ClosedRange<UInt32>] {
            switch self {
            case .latin:
                [
                    0x41...0x5A, 0x61...0x7A, 0xC0...0x137, 0x139...0x17F, 0x1A0...0x1A1,
                    0x1AF...0x1B0, 0x1CD...0x1DC, 0x1F8...0x21B, 0x1E00...0x1EFF,
                ]
            case .greek: [0x386...0x3CE]
            case .cyrillic: [0x400...0x45F, 0x48A...0x4BF, 0x4D0...0x4FF]
            case .armenian: [0x531...0x556, 0x561...0x586]
            case .southAsian: [0x904...0xFFF, 0x1000...0x109F]
            case .georgian: [0x10D0...0x10F0]
            case .ethiopic: [0x1200...0x135A]
            case .khmer: [0x1780...0x17D3]
            case .eastAsian: [0x3005...0x3006, 0x3041...0x30FE, 0x3400...0x9FFF, 0xAC00...0xD7A3]
            }
        }
    }

    /// The group of a letter, for the rule against mixtures; East Asian names may have Latin words.
    private static func unmixedScript(of scalar: Unicode.Scalar) -> Script? {
        let script = script(of: scalar)
        return script == .eastAsian ? nil : script
    }

    private static func script(of scalar: Unicode.Scalar) -> Script? {
        Script.allCases.first { $0.ranges.contains { $0.contains(scalar.value) } }
    }

    /// Returns the form in which names that read alike are equal.
    ///
    /// It has no case, marks, spaces or punctuation, and one letter for letters that look alike.
    static func folded(_ name: String) -> String {
        var folded = ""
        for scalar in name.unicodeScalars {
            if let capital = likenesses[scalar] {
                folded += capital
                continue
            }
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                folded += likeness(of: lower)
            }
        }
        for (pair, one) in [("rn", "m"), ("vv", "w"), ("cl", "d")] {
            folded = folded.split(separator: pair, omittingEmptySubsequences: false)
                .joined(separator: one)
        }
        return folded
    }

    private static func likeness(of scalar: Unicode.Scalar) -> String {
        if let known = likenesses[scalar] { return known }
        if isAccent(scalar) { return "" }
        if " -_.'&+".unicodeScalars.contains(scalar) { return "" }
        // A letter with a mark has the name of its base: LATIN SMALL LETTER E WITH ACUTE.
        guard scalar.value > 0x7F, script(of: scalar) == .latin,
            let word = scalar.properties.name?.split(separator: " ").dropFirst(3).first,
            word.utf8.count == 1
        else { return String(scalar) }
        let base = word.lowercased()
        return base.unicodeScalars.first.flatMap { likenesses[$0] } ?? base
    }

    /// Letters and digits, each with the letter that it looks like; capitals only if the small
    /// letter looks like another one.
    private static let likenesses: [Unicode.Scalar: String] = [
        "0": "o", "1": "l", "2": "z", "5": "s", "8": "b", "9": "g", "i": "l", "q": "g",
        "\u{DF}": "ss", "\u{E6}": "ae", "\u{F0}": "o", "\u{FE}": "p", "\u{131}": "l",
        "\u{14B}": "n", "\u{153}": "oe",
        // Greek.
        "\u{3B1}": "a", "\u{3AC}": "a", "\u{3B2}": "b", "\u{3B3}": "y", "\u{3B5}": "e",
        "\u{3AD}": "e", "\u{3B6}": "z", "\u{3B7}": "n", "\u{3AE}": "n", "\u{3B9}": "l",
        "\u{3AF}": "l", "\u{3CA}": "l", "\u{390}": "l", "\u{3BA}": "k", "\u{3BC}": "m",
        "\u{3BD}": "v", "\u{3BF}": "o", "\u{3CC}": "o", "\u{3C1}": "p", "\u{3C2}": "s",
        "\u{3C3}": "o", "\u{3C4}": "t", "\u{3C5}": "u", "\u{3CD}": "u", "\u{3CB}": "u",
        "\u{397}": "h", "\u{389}": "h", "\u{39D}": "n", "\u{3A5}": "y", "\u{38E}": "y",
        "\u{3AB}": "y", "\u{3B0}": "u", "\u{3C7}": "x", "\u{3C9}": "w", "\u{3CE}": "w",
        // Cyrillic.
        "\u{430}": "a", "\u{432}": "b", "\u{433}": "r", "\u{435}": "e", "\u{450}": "e",
        "\u{451}": "e", "\u{437}": "e", "\u{438}": "n", "\u{439}": "n", "\u{45D}": "n",
        "\u{43A}": "k", "\u{45C}": "k", "\u{43C}": "m", "\u{43D}": "h", "\u{43E}": "o",
        "\u{43F}": "n", "\u{440}": "p", "\u{441}": "c", "\u{442}": "t", "\u{443}": "y",
        "\u{45E}": "y", "\u{445}": "x", "\u{44C}": "b", "\u{455}": "s", "\u{456}": "l",
        "\u{457}": "l", "\u{458}": "j", "\u{45B}": "h", "\u{452}": "h", "\u{49B}": "k",
        "\u{4A3}": "h", "\u{4AF}": "y", "\u{4B1}": "y", "\u{4BB}": "h",
        "\u{4D1}": "a", "\u{4D3}": "a", "\u{4D5}": "ae", "\u{4D7}": "e", "\u{4E7}": "o",
        "\u{4E9}": "o", "\u{4EF}": "y", "\u{4F1}": "y", "\u{4F3}": "y",
        // Armenian.
        "\u{570}": "h", "\u{578}": "n", "\u{57D}": "u", "\u{585}": "o", "\u{56C}": "l",
        "\u{54F}": "s", "\u{581}": "g", "\u{566}": "g", "\u{575}": "j", "\u{584}": "p",
    ]
}
