// SPDX-License-Identifier: Apache-2.0

import CQREncode

/// QR codes in characters of two modules each, for dark terminals.
enum TerminalQR {
    /// The rows of a code; nil for a text that is too long.
    static func rows(_ text: String) -> [String]? {
        guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { unsafe QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        let isDark = { (row: Int, column: Int) -> Bool in
            guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
            return unsafe code.pointee.data[row * width + column] & 1 == 1
        }
        return stride(from: -quietZone, to: width + quietZone, by: 2).map { row in
            (-quietZone..<width + quietZone).map { column in
                glyph(isDark(row, column), isDark(row + 1, column))
            }.joined()
        }
    }

    /// Draws light modules and leaves dark ones blank.
    private static func glyph(_ isUpperDark: Bool, _ isLowerDark: Bool) -> String {
        switch (isUpperDark, isLowerDark) {
        case (false, false): "\u{2588}"
        case (false, true): "\u{2580}"
        case (true, false): "\u{2584}"
        case (true, true): " "
        }
    }

    /// The light margin, in modules; ISO/IEC 18004 requires four.
    private static let quietZone = 4
}
