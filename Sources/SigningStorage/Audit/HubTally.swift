// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The hubs that share a ledger, computed from the ledger's `hub` entries.
struct HubTally {
    /// The hubs that the entries name, in order of their numbers.
    private(set) var expected: [LedgerHub] = []

    /// Applies a `hub` entry; false if the entry adds a hub whose number is not larger than all
    /// before.
    mutating func take(_ hub: HubEntry, of entry: AuditEntry) -> Bool {
        switch hub.change {
        case .share, .join, .invite:
            guard hub.number > expected.last?.number ?? 0 else { return false }
            expected.append(
                LedgerHub(
                    number: hub.number, name: hub.name, publicKey: hub.publicKey,
                    joined: entry.sequence, retired: nil, answersOnly: hub.change == .invite))
        case .retire: retire(at: entry.time) { $0 == hub.number }
        case .move: retire(at: entry.time) { _ in true }
        case .acceptLoss, .snapshot, .cut: break
        }
        return true
    }

    private mutating func retire(at time: Timestamp, _ isMeant: (Int32) -> Bool) {
        expected = expected.map { hub in
            guard isMeant(hub.number), hub.retired == nil else { return hub }
            return LedgerHub(
                number: hub.number, name: hub.name, publicKey: hub.publicKey, joined: hub.joined,
                retired: time, answersOnly: hub.answersOnly)
        }
    }
}
