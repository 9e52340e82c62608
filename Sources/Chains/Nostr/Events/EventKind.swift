// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The kind number of an event, with its properties.
package struct EventKind: Hashable, Sendable {
    package let number: UInt16

    package init(_ number: UInt16) { self.number = number }

    package static let relayAuthentication = EventKind(22_242)
    /// Messages between clients and remote signers (NIP-46).
    package static let remoteSigning = EventKind(24_133)
    package static let httpAuthentication = EventKind(27_235)
    /// Authorization to download from or upload to a media server (Blossom, BUD-11).
    package static let mediaAuthorization = EventKind(24_242)
    package static let deletion = EventKind(5)
    package static let vanish = EventKind(62)
    package static let profile = EventKind(0)
    /// The kinds that NIP-17 seals unsigned: the receiver of a signed one could prove it to others.
    private static let unsignedKinds: Set<UInt16> = [14, 15]
    /// The deletions that the relay of a group carries out (NIP-29).
    private static let groupDeletions: Set<UInt16> = [9_005, 9_008]

    /// True if an event of this kind must never be signed.
    package var isNeverSigned: Bool { Self.unsignedKinds.contains(number) }

    /// True if the signature logs in somewhere.
    package var isLogin: Bool {
        [Self.relayAuthentication, Self.httpAuthentication, Self.mediaAuthorization].contains(self)
    }

    /// The maximum difference of the date of a login from now, in seconds; nil for other kinds.
    package var loginSecondsMax: Int64? {
        switch self {
        case .relayAuthentication: 600  // NIP-42
        case .httpAuthentication: 60  // NIP-98
        case .mediaAuthorization: 600
        default: nil
        }
    }

    /// The name in the table of the NIPs; nil if it has no name.
    package var name: String? { Self.names[number] }

    /// The name and the number, for people.
    package var label: String { name.map { "\($0) (kind \(number))" } ?? "event of kind \(number)" }

    /// True if relays keep only the latest event of the kind (NIP-01).
    package var isReplaceable: Bool {
        number == 0 || number == 3 || (10_000...19_999).contains(number)
    }

    /// True if relays keep only the latest event of the kind and `d` tag (NIP-01).
    package var isAddressable: Bool { (30_000...39_999).contains(number) }

    /// True if the content is only text for people, so that an approval covers other text too.
    ///
    /// Examples are notes, reactions, replies, chats and articles.
    package var isProse: Bool { Self.prose.contains(number) }

    private static let prose: Set<UInt16> = [1, 7, 9, 11, 42, 1_111, 1_311, 30_023, 30_024]

    /// True if it is the follow list (NIP-02), which holds only keys.
    package var isFollows: Bool { number == 3 }

    /// True if it is a list or a set of NIP-02 and NIP-51, whose entries are tags.
    package var isList: Bool { Self.lists.contains(number) }

    private static let lists: Set<UInt16> = [
        3, 10_000, 10_001, 10_002, 10_003, 10_004, 10_005, 10_006, 10_007, 10_009, 10_012,
        10_013, 10_015, 10_017, 10_018, 10_020, 10_030, 10_050, 10_063, 10_101, 10_102, 30_000,
        30_002, 30_003, 30_004, 30_005, 30_006, 30_007, 30_015, 30_030, 30_063, 30_267, 39_089,
        39_092,
    ]

    package var effects: [Effect] {
        switch self {
        case _ where isLogin: [.provesIdentity]
        case .deletion, .vanish: [.publishes, .deletes]
        case _ where Self.groupDeletions.contains(number): [.publishes, .deletes]
        default: [.publishes]
        }
    }

    package var dangers: [Danger] { (isReplaceable || isAddressable ? [.replaces] : []) + special }

    private var special: [Danger] {
        switch number {
        case _ where isLogin: [.identityProof]
        case Self.deletion.number: [.deletes]
        case _ where Self.groupDeletions.contains(number): [.deletes]
        case Self.vanish.number: [.vanish]
        case 9_321, 9_734, 7_374...7_376, 10_019, 17_375, 23_194: [.money]
        case 24_133: [.remoteSigning]
        default: []
        }
    }
}
