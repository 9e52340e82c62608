// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension VisibleText {
    /// A name that a client chose, escaped for a row of a list.
    ///
    /// A name with characters other than letters, digits and those of addresses is quoted, so that
    /// no part of it looks like the rest of the row.
    package static func listed(_ name: String, countMax: Int = .max) -> String {
        let isPlain =
            !name.isEmpty && name.unicodeScalars.count <= countMax
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || ".-_:/@+~%[]".utf8.contains(byte)
            }
        return isPlain ? name : "\"\(quotable(name, countMax: countMax))\""
    }
}
