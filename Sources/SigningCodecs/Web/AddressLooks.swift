// SPDX-License-Identifier: Apache-2.0

extension ClientIdentity {
    /// Whether people would take a name for an address of the web, though readers of addresses may
    /// not agree.
    public static func looksLikeAddress(_ name: String) -> Bool {
        let start = name.drop { $0.isWhitespace }.prefix(6).lowercased()
        return start.hasPrefix("http:") || start.hasPrefix("https:")
    }
}
