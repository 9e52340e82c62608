// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The number that tells what an event is, with what follows from it.
struct EventKind: Hashable, Sendable {
    let number: UInt16

    init(_ number: UInt16) { self.number = number }

    static let relayAuthentication = EventKind(22_242)
    static let httpAuthentication = EventKind(27_235)
    static let deletion = EventKind(5)
    static let vanish = EventKind(62)

    /// The name in the table of the NIPs, or none.
    var name: String? { Self.names[number] }

    /// The name with the number, for people.
    var label: String { name.map { "\($0) (kind \(number))" } ?? "event of kind \(number)" }

    /// Whether relays keep only the latest of the kind (NIP-01).
    var isReplaceable: Bool { number == 0 || number == 3 || (10_000...19_999).contains(number) }

    /// Whether relays keep only the latest of the kind and `d` tag (NIP-01).
    var isAddressable: Bool { (30_000...39_999).contains(number) }

    /// Whether it is a list or a set of NIP-02 and NIP-51, whose entries are tags.
    var isList: Bool { Self.lists.contains(number) }

    private static let lists: Set<UInt16> = [
        3, 10_000, 10_001, 10_002, 10_003, 10_004, 10_005, 10_006, 10_007, 10_009, 10_012,
        10_013, 10_015, 10_017, 10_018, 10_020, 10_030, 10_050, 10_063, 10_101, 10_102, 30_000,
        30_002, 30_003, 30_004, 30_005, 30_006, 30_007, 30_015, 30_030, 30_063, 30_267, 39_089,
        39_092,
    ]

    var effects: [Effect] {
        switch self {
        case .relayAuthentication, .httpAuthentication: [.provesIdentity]
        case .deletion, .vanish: [.publishes, .deletes]
        default: [.publishes]
        }
    }

    var dangers: [Danger] { (isReplaceable || isAddressable ? [.replaces] : []) + special }

    private var special: [Danger] {
        switch number {
        case Self.relayAuthentication.number, Self.httpAuthentication.number: [.identityProof]
        case Self.deletion.number: [.deletes]
        case Self.vanish.number: [.vanish]
        case 9_734, 7_374...7_376, 17_375, 23_194: [.money]
        default: []
        }
    }
}
