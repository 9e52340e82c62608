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

    var effects: [Effect] {
        switch self {
        case .relayAuthentication, .httpAuthentication: [.provesIdentity]
        case .deletion, .vanish: [.publishes, .deletes]
        default: [.publishes]
        }
    }

    var dangers: [Danger] {
        switch number {
        case Self.relayAuthentication.number, Self.httpAuthentication.number: [.identityProof]
        case Self.deletion.number: [.deletes]
        case Self.vanish.number: [.vanish]
        case 9_734, 7_374...7_376, 23_194: [.money]
        case 17_375: [.money, .replaces]
        // NIP-01: relays keep only the latest of these.
        case 0, 3, 10_000...19_999, 30_000...39_999: [.replaces]
        default: []
        }
    }
}
