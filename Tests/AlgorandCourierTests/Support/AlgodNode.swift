// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import SigningCodecs
import SigningNetwork

@testable import AlgorandCourier

/// A node that gives one answer to every request.
struct AlgodNode {
    let server: LoopbackServer
    var algod: Algod { Algod(url: server.url) }

    init(_ reply: LoopbackServer.Reply) throws {
        server = try LoopbackServer { _ in reply }
    }

    init(status: Int = 200, _ text: String) throws {
        try self.init(
            .answer(
                status: status, headers: ["Content-Type: application/json"],
                body: [UInt8](text.utf8)))
    }

    /// The first line and the headers of the first request.
    var head: String { server.requests.first?.head ?? "" }

    static let id = "TQEW5CY2I6WWR3APDQEUI3LGR5TQ23STLTEN45A74HHQ6GDQIEWA"
    static let params = """
        {"consensus-version":"https://github.com/algorandfoundation/specs/tree/x","fee":0,\
        "genesis-hash":"SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=",\
        "genesis-id":"testnet-v1.0","last-round":50331732,"min-fee":1000}
        """
    static let unknown = """
        {"message":"could not find the transaction in the transaction pool or in the last 1000 \
        confirmed rounds"}
        """
}
