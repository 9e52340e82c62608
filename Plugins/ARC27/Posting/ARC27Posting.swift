// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension AlgorandRefusal {
    /// Returns the error for transactions that may not be on the network; nil replaces their ids.
    static func failedToPost(_ ids: [String?], _ problem: String) -> Self {
        let list = ids.map { $0.map(JSON.string) ?? .null }
        return Self(
            .failedToPost, "\(ids.count(where: { $0 != nil })) of \(ids.count) posted; \(problem)",
            data: ["successTxnIDs": .array(list)])
    }
}

extension ARC27Configuration {
    /// Returns true if a network has a node that accepts transactions.
    func canPost(to network: AlgorandNetwork) -> Bool { postingNetworks.contains(network) }

    /// Returns the methods of a network, sorted by name, without discover.
    func methods(of network: AlgorandNetwork) -> [String] {
        ARC27Wire.Method.allCases
            .filter { $0 != .discover && (!$0.posts || canPost(to: network)) }
            .map(\.rawValue).sorted()
    }

    /// Returns true if a method is offered on any network.
    func offers(_ method: ARC27Wire.Method) -> Bool {
        !method.posts || networks.contains(where: canPost)
    }
}

extension ARC27Wire.Method {
    /// True if the method needs a node.
    var posts: Bool { self == .postTransactions || self == .signAndPostTransactions }
}
