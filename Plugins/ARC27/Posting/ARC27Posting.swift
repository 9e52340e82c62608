// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension AlgorandRefusal {
    /// Some of the transactions are not known to be on the network; nil stands for them.
    static func failedToPost(_ ids: [String?], _ problem: String) -> Self {
        let list = ids.map { $0.map(JSON.string) ?? .null }
        return Self(
            .failedToPost, "\(ids.count(where: { $0 != nil })) of \(ids.count) posted; \(problem)",
            data: ["successTxnIDs": .array(list)])
    }
}

extension ARC27Configuration {
    /// Whether a network has a node that takes transactions.
    func canPost(to network: AlgorandNetwork) -> Bool { postingNetworks.contains(network) }

    /// The methods of a network in the order of their names, without discover.
    func methods(of network: AlgorandNetwork) -> [String] {
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
