// SPDX-License-Identifier: Apache-2.0

public import AlgorandCourier
public import NEARCourier
internal import SigningNetwork

/// The nodes of other networks that a home may ask and send to.
public struct Nodes: Sendable {
    /// NEAR nodes by network, `mainnet` or `testnet`.
    public let near: [String: NEARRPC]
    /// Algorand nodes; the networks they are for are those that posting is offered on.
    public let algorand: [AlgorandNode]

    /// Names them; without any, what needs one is answered offline.
    public init(near: [String: NEARRPC] = [:], algorand: [AlgorandNode] = []) {
        self.near = near
        self.algorand = algorand
    }

    /// Refuses addresses that cannot be used: a mistake in one shows before a key is used.
    public func check() throws(ServiceError) {
        for node in algorand {
            do throws(HTTPError) {
                try node.algod.check()
            } catch {
                throw ServiceError(
                    error.text, hint: "are the URL of the Algorand node and its token right?")
            }
        }
    }
}
