// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// The transactions that go to a network once all of them are signed.
package struct Posting {
    /// The transactions, all of one network; each is passed on, or signed by a key held here.
    package let items: [SigningItem]

    package init(items: [SigningItem]) { self.items = items }

    /// The network; nil if the list is empty.
    package var network: AlgorandNetwork? { items.first?.network }

    /// The ids of the transactions, in the order of the list.
    package var ids: [String] {
        items.map { item in
            let id = Transaction.id(ofEncoded: item.wire.bytes)
            return Base32.encode(id.span)
        }
    }

    /// The range of each group in the list; a transaction outside any group is a range of one.
    private var places: [Range<Int>] {
        var places: [Range<Int>] = []
        for item in items where item.index == 0 { places.append(item.group.members) }
        return places
    }

    /// Returns every group as one item, because the network takes a group as a whole.
    ///
    /// Nil if the list is empty or a transaction is not signed.
    package func broadcast(_ signed: [[UInt8]?]) -> Broadcast? {
        let bytes = signed.compactMap(\.self)
        guard let network, bytes.count == items.count else { return nil }
        let ids = ids
        let groups = places.map { place in
            let sender = items[place.lowerBound].wire.transaction.sender
            return Broadcast.Item(
                id: ids[place.lowerBound],
                sender: AlgorandAddress.text(publicKey: sender.span),
                bytes: Array(bytes[place].joined()))
        }
        return Broadcast(network: network.policyName, items: groups)
    }

    /// Returns the ids that the network accepted, null for the others, and the problem of the first
    /// failure.
    ///
    /// Nil if the deliveries do not belong to this posting.
    package func outcome(
        _ deliveries: [Broadcast.Delivery]
    ) -> (ids: [String?], problem: String?)? {
        let places = places
        guard deliveries.count == places.count else { return nil }
        var ids: [String?] = ids
        var problem: String?
        for (place, delivery) in zip(places, deliveries) {
            guard let reason = delivery.result.problem else { continue }
            for index in place { ids[index] = nil }
            guard problem == nil else { continue }
            let isLast = place.upperBound == items.count
            problem =
                place.numbers + ": " + reason + (isLast ? "" : "; the later ones were not sent")
        }
        return (ids, problem)
    }
}

extension Range<Int> {
    /// The positions of the members, counted from 1.
    fileprivate var numbers: String {
        count == 1
            ? "transaction \(lowerBound + 1)" : "transactions \(lowerBound + 1) to \(upperBound)"
    }
}

extension Broadcast.Result {
    /// The reason that it is not on the network, as the client may know it; nil if it was accepted.
    ///
    /// Details of a transport problem are only for the owner, as they name the node and its
    /// address.
    fileprivate var problem: String? {
        switch self {
        case .accepted: nil
        case .failed: "the network took it, and it failed"
        case .refused(_, let text): text
        case .declined(_, let text): text + "; it may be carried out anyway"
        case .notSent: "it was not sent"
        case .unknown: "it is not known whether the network has it"
        }
    }
}
