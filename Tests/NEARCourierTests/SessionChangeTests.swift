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

    private func connect(_ courier: WalletChannel, to address: String) async {
        let params: JSON = ["network": "testnet", "signerId": .string(address)]
        let answer = await courier.answer(frame("signIn", params))
        #expect(json(answer)["result"] != nil)
    }

    @Test("no nonce of one account is used for another, and the next call is carried out")
    func race() async throws {
        let other = try home.addImplicitAccount()
        let courier = home.courier(chain)
        await connect(courier, to: "alice.testnet")
        chain.during {
            let done = DispatchSemaphore(value: 0)
            Task {
                _ = await courier.answer(frame("signOut", [:]))
                await connect(courier, to: other.address)
                done.signal()
            }
            done.wait()
        }
        let answer = json(await courier.answer(frame("signAndSendTransaction", transfer)))
        #expect(answer["error"]?["code"]?.text == "unavailable")
        #expect(chain.nonces.isEmpty)
        #expect(try home.ledger.unsent().isEmpty)
        let again = json(await courier.answer(frame("signAndSendTransaction", transfer)))
        #expect(again["result"]?["transaction"]?["signer_id"]?.text == other.address)
        #expect(chain.nonces.count == 1)
    }
}
