// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// Transactions that go to a network once they are all signed.
package struct Posting {
    /// All of one network; each passed on, or signed by a key held here.
    package let items: [SigningItem]

    package init(items: [SigningItem]) { self.items = items }

    /// The network; nil where the list is empty.
    package var network: AlgorandNetwork? { items.first?.network }

    /// The ids of the transactions, in the order of the list.
    package var ids: [String] {
        items.map { item in
            let id = Transaction.id(ofEncoded: item.wire.bytes)
            return Base32.encode(id.span)
        }
    }

    /// Where each group, or transaction outside any, stands in the list.
    private var places: [Range<Int>] {
        var places: [Range<Int>] = []
        for item in items where item.index == 0 { places.append(item.group.members) }
        return places
    }

    /// Every group as one item, because the network takes all of it or nothing; nil where the
    /// list is empty or a transaction is not signed.
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

    /// The ids of what the network took, null for the rest, and why the first is not there;
    /// nil where these are not the deliveries of this posting.
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
                place.numbers + ": " + reason + (isLast ? "" : "; what follows was kept back")
        }
        return (ids, problem)
    }
}

extension Range<Int> {
    /// The members counted from 1.
    fileprivate var numbers: String {
        count == 1
            ? "transaction \(lowerBound + 1)" : "transactions \(lowerBound + 1) to \(upperBound)"
    }
}

extension Broadcast.Result {
    /// Why it is not on the network, as the client may know it; nil where it is.
    ///
    /// What went wrong on the way there is the owner's: it names the node, and where that stands.
    fileprivate var problem: String? {
        switch self {
        case .accepted: nil
        case .failed: "the network carried it out without success"
        case .refused(_, let text): text
        case .declined(_, let text): text + "; it may be carried out all the same"
        case .notSent: "it was not sent"
        case .unknown: "nobody knows whether the network has it"
        }
    }
}
