// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Transactions that go to a network once they are all signed.
struct Posting {
    /// All of one network; each passed on, or signed by a key held here.
    let items: [SigningItem]
    let hash: ARC27Configuration.Hash

    /// The network; nil where the list is empty.
    var network: ARC27Configuration.Network? { items.first?.network }

    /// The ids of the transactions, in the order of the list.
    var ids: [String] {
        items.map { item in
            let id = Transaction.id(ofEncoded: item.wire.bytes, hash)
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
    func broadcast(_ signed: [[UInt8]?]) -> Broadcast? {
        let bytes = signed.compactMap(\.self)
        guard let network, bytes.count == items.count else { return nil }
        let ids = ids
        let groups = places.map { place in
            let sender = items[place.lowerBound].wire.transaction.sender
            return Broadcast.Item(
                id: ids[place.lowerBound],
                sender: AlgorandAddress.text(publicKey: sender.span, sha512_256: hash),
                bytes: Array(bytes[place].joined()))
        }
        return Broadcast(network: network.policyName, items: groups)
    }

    /// The ids of what the network took, null for the rest, and why the first is not there;
    /// nil where these are not the deliveries of this posting.
    func outcome(
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

extension ARC27Failure {
    /// Some of the transactions are not known to be on the network; nil stands for them.
    static func failedToPost(_ ids: [String?], _ problem: String) -> Self {
        let list = ids.map { $0.map(JSON.string) ?? .null }
        return Self(
            .failedToPost, "\(ids.count(where: { $0 != nil })) of \(ids.count) posted; \(problem)",
            data: ["successTxnIDs": .array(list)])
    }
}

extension ARC27Adapter {
    /// Whether what a frame asks for hangs on which nodes are there.
    public func asksForNodes(_ frame: Span<UInt8>) -> Bool {
        guard !configuration.postingNetworks.isEmpty, let envelope = try? ARC27Envelope(frame),
            (try? checkAddressee(of: envelope)) != nil,
            let method = ARC27Wire.Method(rawValue: envelope.method)
        else { return false }
        return method.posts || method == .discover
    }

    /// The same adapter, which offers posting on no other networks than these.
    public func posting(onlyTo networks: [ARC27Configuration.Network]) -> ARC27Adapter {
        var configuration = configuration
        configuration.postingNetworks.removeAll { !networks.contains($0) }
        return ARC27Adapter(configuration)
    }
}

extension ARC27Configuration {
    /// Whether a network has a node that takes transactions.
    func canPost(to network: Network) -> Bool { postingNetworks.contains(network) }

    /// The methods of a network in the order of their names, without discover.
    func methods(of network: Network) -> [String] {
        ARC27Wire.Method.allCases
            .filter { $0 != .discover && (!$0.posts || canPost(to: network)) }
            .map(\.rawValue).sorted()
    }

    /// Whether a method is offered on any network.
    func offers(_ method: ARC27Wire.Method) -> Bool {
        !method.posts || networks.contains(where: canPost)
    }
}

extension ARC27Wire.Method {
    /// Whether it needs a node.
    var posts: Bool { self == .postTransactions || self == .signAndPostTransactions }
}
