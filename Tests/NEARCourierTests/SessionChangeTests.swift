// SPDX-License-Identifier: Apache-2.0

import FakeNEAR
import Foundation
import NEARCourier
import SigningCodecs
import SigningCore
import SigningStorage
import Testing

@Suite("A client that is connected elsewhere while its call is looked up")
struct SessionChangeTests {
    private let chain: FakeChain
    private let home: WalletHome

    init() throws {
        chain = try FakeChain()
        home = try WalletHome()
    }

    private func connect(_ channel: WalletChannel, to address: String) async {
        let params: JSON = ["network": "testnet", "signerId": .string(address)]
        let answer = await channel.answer(frame("signIn", params))
        #expect(json(answer)["result"] != nil)
    }

    @Test("no nonce of one account is used for another, and the next call is carried out")
    func race() async throws {
        let other = try home.addImplicitAccount()
        let channel = home.courier(chain)
        await connect(channel, to: "alice.testnet")
        chain.during {
            let done = DispatchSemaphore(value: 0)
            Task {
                _ = await channel.answer(frame("signOut", [:]))
                await connect(channel, to: other.address)
                done.signal()
            }
            done.wait()
        }
        let answer = json(await channel.answer(frame("signAndSendTransaction", transfer)))
        #expect(answer["error"]?["code"]?.text == "unavailable")
        #expect(chain.nonces.isEmpty)
        #expect(try home.ledger.unsent().isEmpty)
        let again = json(await channel.answer(frame("signAndSendTransaction", transfer)))
        #expect(again["result"]?["transaction"]?["signer_id"]?.text == other.address)
        #expect(chain.nonces.count == 1)
    }
}
