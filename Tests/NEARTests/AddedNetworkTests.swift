// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCore
import Testing

@testable import NEAR

@Suite("NEAR networks that the owner added")
struct AddedNetworkTests {
    private static let known = NEARNetwork.names + ["sandbox"]
    private func request(
        _ network: String?, holding account: Account, _ networks: [String] = known
    ) throws(NEARRefusal) -> NEARRequest {
        let hub = DecodingContext(
            accounts: [account], peer: Peer(channel: "test"),
            now: Timestamp(seconds: 1_800_000_000), freshID: [], wasSeen: { _ in false })
        return try NEARRequest(
            message: MessageCall().payload,
            of: NEARClientContext(accountID: nil, key: nil, network: network, among: networks),
            signsIn: false, in: NEARContext(hub: hub, lookup: nil))
    }

    private func code(_ body: () throws(NEARRefusal) -> Void) -> NEARRefusal? {
        do throws(NEARRefusal) { try body() } catch { return error }
        return nil
    }

    @Test("only a key that is bound to an added network signs on it, as the bytes do not name it")
    func bound() throws {
        let message = try request("sandbox", holding: JudgedTransaction.account("sandbox"))
        #expect(message.fact("network") == .text("sandbox"))
        #expect(!message.dangers.contains(.unknownNetwork))
        for other in [nil, "mainnet", "testnet", "othernet"] {
            #expect(
                code { () throws(NEARRefusal) in
                    _ = try request("sandbox", holding: JudgedTransaction.account(other))
                } != nil)
        }
        _ = try request("mainnet", holding: JudgedTransaction.account(nil))
    }

    @Test(
        "a key that is bound to a removed network opens no connection, and its message is a danger")
    func removed() throws {
        let account = JudgedTransaction.account("sandbox")
        let message = try request(nil, holding: account, NEARNetwork.names)
        #expect(message.dangers.contains(.unknownNetwork))
        let context = NEARClientContext(
            accountID: nil, key: nil, network: nil, among: NEARNetwork.names)
        #expect(code { () throws(NEARRefusal) in _ = try context.network(or: account) } != nil)
        let known = NEARClientContext(accountID: nil, key: nil, network: nil, among: Self.known)
        #expect(try known.network(or: account) == "sandbox")
    }
}
