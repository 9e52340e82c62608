// SPDX-License-Identifier: Apache-2.0

import Algorand
import LoopbackServer
import SigningCore
import SigningNetwork
import Testing

@testable import AlgorandCourier

@Suite("Needs of lookups, with slow nodes") struct OfferingTests {
    @Test("all nodes are asked at once, and one that hangs is left out soon")
    func slow() async throws {
        let hung = try LoopbackServer { _ in .stall([]) }
        let good = try FakeAlgod()
        let courier = AlgorandCourier(nodes: [
            AlgorandNode(Algod(url: hung.url), on: .mainnet), good.node,
        ])
        let context = DecodingContext(
            accounts: [], peer: Peer(channel: "test"), now: Timestamp(seconds: 0), freshID: [],
            wasSeen: { _ in nil })
        let clock = ContinuousClock()
        let begun = clock.now
        let found = await courier.lookUp(.offering(on: [.mainnet, .testnet]), in: context)
        // Without the time limit, the calls would take 20 seconds; 8 allow for a busy machine.
        #expect(clock.now - begun < .seconds(8))
        guard case .posting(able: _, problems: let problems) = found else {
            Issue.record("nothing was found")
            return
        }
        #expect(problems.contains { $0.hasPrefix("mainnet: ") })
    }

    @Test("several needs are looked up at once, and their answers keep the order")
    func several() async throws {
        let node = try FakeAlgod()
        let context = DecodingContext(
            accounts: [], peer: Peer(channel: "test"), now: Timestamp(seconds: 9), freshID: [],
            wasSeen: { _ in nil })
        let accounts = (1...3).map {
            AlgorandAddress.text(publicKey: [UInt8](repeating: $0, count: 32).span)
        }
        node.rekey(accounts[1], to: accounts[0])
        let found = await node.courier.lookUp(
            .several(
                [.posting(on: [.testnet])] + accounts.map { .authority(of: $0, on: [.testnet]) }),
            in: context)
        #expect(found.posting?.able == [.testnet])
        #expect(found.authorities.map(\.account) == accounts)
        #expect(
            found.authorities.map { $0.signers.map(\.address) }
                == [[accounts[0]], [accounts[0]], [accounts[2]]])
        #expect(found.ages && found.authorities.allSatisfy { $0.time == context.now })
    }
}
