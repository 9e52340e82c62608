// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// The hubs that share a ledger, computed from the ledger's `hub` entries.
struct HubTally {
    /// The hubs that the entries name, in order of their numbers.
    private(set) var expected: [LedgerHub] = []

    /// Applies a `hub` entry; false if the entry is malformed or adds a hub whose number is not
    /// larger than all before.
    mutating func take(_ entry: AuditEntry, _ body: JSON) -> Bool {
        guard let change = body["what"]?.text.flatMap({ AuditRecord.HubChange(rawValue: $0) }),
            let number = body["hub"]?.integerValue.flatMap({ Int32(exactly: $0) }),
            let name = body["name"]?.text,
            let key = body["key"]?.text.flatMap({ try? Hex.decode($0) })
        else { return false }
        switch change {
        case .share, .join, .invite:
            guard number > expected.last?.number ?? 0 else { return false }
            expected.append(
                LedgerHub(
                    number: number, name: name, publicKey: key, joined: entry.sequence,
                    retired: nil, answersOnly: change == .invite))
        case .retire: retire(at: entry.time) { $0 == number }
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
