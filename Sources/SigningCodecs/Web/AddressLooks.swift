// SPDX-License-Identifier: Apache-2.0

extension ClientIdentity {
    /// Returns whether people would take a name for a web address, although parsers may disagree.
    public static func looksLikeAddress(_ name: String) -> Bool {
        let start = name.drop { $0.isWhitespace }.prefix(6).lowercased()
        return start.hasPrefix("http:") || start.hasPrefix("https:")
    }
}
