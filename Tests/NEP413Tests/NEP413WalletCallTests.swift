// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

/// Every call that near-connect sends to a wallet.
///
/// `signMessage` sends exactly the members of this wire: message, recipient, network, and the nonce
/// as an array of numbers.
@Suite("The calls of wallet_calls.json")
struct NEP413WalletCallTests {
    private static let calls = Vectors.file("wallet_calls.json")["calls"]?.list ?? []
    private static let nonce = [UInt8](0..<32)

    private func call(_ method: String) throws -> JSON {
        try #require(Self.calls.first { $0["method"]?.text == method })
    }

    private func signer() throws -> Signer { try Signer(network: "mainnet") }

    private func names(_ json: JSON?) -> Set<String> {
        Set(json?.object?.members.map(\.name) ?? [])
    }

    @Test("all calls are there")
    func counts() { #expect(Self.calls.count == 10) }

    @Test("the parameters of signMessage are a request, answered in the shape expected")
    func signMessage() throws {
        let call = try call("signMessage")
        let params = try #require(call["params"])
        let request = try decode(params.write(), holding: [try signer().account])
        #expect(request.payload.message == "hi" && request.payload.recipient == "myapp.near")
        #expect(request.payload.nonce == Self.nonce && request.payload.callbackURL == nil)
        #expect(request.network == "mainnet")
        let answer = try signer().answer(params.write())
        #expect(answer["accountId"]?.text == "alice.near")
        #expect(names(answer) == names(call["result"]))
    }

    @Test("so are the messageParams of signInAndSignMessage")
    func signInAndSignMessage() throws {
        let call = try call("signInAndSignMessage")
        let params = try #require(call["params"]?["messageParams"])
        let request = try decode(params.write(), holding: [try signer().account])
        #expect(request.payload.message == "Sign in" && request.payload.nonce == Self.nonce)
        let answer = try signer().answer(params.write())
        #expect(names(answer) == names(call["result"]?.list?.first?["signedMessage"]))
    }

    @Test("a message for one network is not signed by another network's key")
    func network() throws {
        let params = try #require(try call("signMessage")["params"])
        let error = try refusal(
            params.write(), holding: [try Signer(network: "testnet").account])
        #expect(error.code == "account_not_found")
    }

    @Test("the parameters of every other call are refused", arguments: calls)
    func others(_ call: JSON) throws {
        guard call["method"]?.text != "signMessage" else { return }
        let params = try #require(call["params"])
        let error = try refusal(params.write(), holding: [try signer().account])
        #expect(error.code == "invalid_request")
    }

    @Test("the bridge's replies are not requests")
    func bridge() throws {
        let messages = try #require(
            Vectors.file("wallet_calls.json")["iosBridgeMessages"]?.list)
        #expect(messages.count == 12)
        for message in messages {
            let error = try refusal(message.write(), holding: [try signer().account])
            #expect(error.code == "invalid_request")
        }
    }
}
