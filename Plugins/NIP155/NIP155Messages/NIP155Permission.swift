// SPDX-License-Identifier: Apache-2.0

import Nostr

/// One entry of `permissions` or `granted_permissions` (NIP-155, sections 6.1 and 9).
public struct NIP155Permission: Hashable, Sendable {
    /// The method; any except `get_public_key`.
    public let type: NIP155Method
    /// The kind of event for `sign_event`; nil for every kind.
    public let kind: UInt16?

    /// Creates a permission; an invalid one throws when the request is created.
    public init(_ type: NIP155Method, kind: UInt16? = nil) {
        self.type = type
        self.kind = kind
    }

    /// Returns true if this permission includes the other.
    public func covers(_ other: NIP155Permission) -> Bool {
        type == other.type && (kind == nil || kind == other.kind)
    }

    /// Reads a list; unknown methods and `get_public_key` are left out.
    public static func list(_ text: String) throws(NIP155Refusal) -> [NIP155Permission] {
        try NostrPermission.list(text).map {
            NIP155Permission(NIP155Method($0.method), kind: $0.kind?.number)
        }
    }
}
