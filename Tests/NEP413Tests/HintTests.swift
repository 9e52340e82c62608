// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import NEAR
@testable import NEP413

/// Members that apps send and that grant nothing do not make a call invalid.
@Suite("Hints in the calls of apps")
struct HintTests {
    private let signer: Signer

    init() throws { signer = try Signer(network: "mainnet") }

    private static let nonce = Base64.encode([UInt8](repeating: 7, count: 32).span)
    private static let transfer =
        #""receiverId":"bob.near","actions":[{"type":"Transfer","params":{"deposit":"1"}}],"#
        + #""nonce":"7","blockHash":"244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM""#

    private func read(_ call: String) throws -> NEP413Request {
        try decode(Array(call.utf8), holding: [signer.account], client: "app")
    }

    private func shown(_ request: NEP413Request) -> [String] {
        request.summary.lines.map { "\($0.label): \($0.text)" }
    }

    @Test("an app that names its contract is connected, and a person sees that it gets no key")
    func contract() throws {
        let words =
            #""network":"mainnet","contractId":"berryclub.near","methodNames":["draw","buy"]"#
        let plain = try read(#"{"method":"signIn","params":{\#(words)}}"#)
        let lines = [
            "wants to work with: berryclub.near", "wants to call: draw", "wants to call: buy",
            "gets: no key",
        ]
        #expect(shown(plain).suffix(4) == lines[...])
        #expect(plain.method == "sign_in" && plain.terms.connectionChanges.count == 1)
        #expect(plain.operations.map(\.operation) == [.publicKey])
        // The client's words are quoted.
        #expect(
            plain.summary.lines.first { $0.text == "berryclub.near" }?.author == .client)
        let message = #"{"message":"hi","recipient":"b.near","nonce":"\#(Self.nonce)"}"#
        let both = try read(
            #"{"method":"signInAndSignMessage","params":{\#(words),"messageParams":\#(message)}}"#)
        #expect(both.method == "sign_message" && lines.allSatisfy(shown(both).contains))
    }

    @Test("a key is added where it is asked for alone, with or without a contract")
    func key() throws {
        let key =
            #""addFunctionCallKey":{"contractId":"app.near","publicKey":"#
            + #""ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy","#
            + #""allowMethods":{"anyMethod":true}}"#
        let maker = NEARLookup.Found(
            nonces: [5], blockHash: [UInt8](repeating: 1, count: 32), blockHeight: 9)
        let call = #"{"method":"signIn","params":{"contractId":"other.near",\#(key)}}"#
        let context = DecodingContext(
            accounts: [signer.account], peer: Peer(channel: "test", claim: "app"),
            client: .claiming("app"), now: Timestamp(seconds: 1_800_000_000),
            freshID: [UInt8](repeating: 9, count: 16), wasSeen: { _ in false })
        let request = try adapter.decode(Array(call.utf8), finding: maker, in: context)
        #expect(request.method == "sign_transaction")
        let receiver = Fact("key.receiver", .list([.text("app.near")]))
        #expect(request.operations[0].facts.contains(receiver))
        #expect(shown(request).contains("wants to work with: other.near"))
        #expect(!shown(request).contains("gets: no key"))
    }

    @Test(
        "an invalid or empty hint keeps no client out",
        arguments: [
            #"{"method":"signIn"}"#, #"{"method":"signIn","params":null}"#,
            #"{"method":"signIn","params":{"contractId":null,"methodNames":null}}"#,
            #"{"method":"signIn","params":{"contractId":7,"methodNames":"draw"}}"#,
            #"{"method":"signIn","params":{"contractId":"","methodNames":[1,null]}}"#,
            #"{"method":"signIn","params":{"accountId":"alice.near","keyType":null}}"#,
            #"{"method":"signIn","params":{"successUrl":"https://a.example/","failureUrl":"x"}}"#,
            #"{"method":"signOut","params":null}"#,
            #"{"method":"signOut","params":{"network":null}}"#, #"{"method":"signOut"}"#,
            #"{"method":"signTransaction","params":{\#(transfer),"publicKey":null,"memo":null}}"#,
            #"{"method":"signMessage","params":{"message":"hi","recipient":"b","#
                + #""nonce":"\#(nonce)","callbackUrl":null,"state":null,"accountId":null}}"#,
        ])
    func nothing(_ call: String) throws {
        #expect(try read(call).summary.title.isEmpty == false)
    }

    @Test("a callback beside a transaction is ignored, and its actions stay the same")
    func callback() throws {
        let call =
            #"{"method":"signAndSendTransaction","params":{\#(Self.transfer),"#
            + #""callbackUrl":"https://app.example/","meta":"m"}}"#
        guard case .transactions(let transactions, _, _) = try read(call).near.body else {
            Issue.record("no transactions")
            return
        }
        #expect(transactions[0].receiver == "bob.near")
        #expect(transactions[0].actions == [.transfer(deposit: 1)])
    }

    @Test(
        "a call that would grant or change something is refused as before",
        arguments: [
            #"{"method":"signIn","params":{"allowance":"1"}}"#,
            #"{"method":"signIn","params":{"keys":["x"]}}"#,
            #"{"method":"signAndSendTransaction","params":{\#(transfer),"contractId":"b.near"}}"#,
            #"{"method":"signAndSendTransaction","params":{\#(transfer),"deposit":"1"}}"#,
            #"{"method":"signTransaction","params":{\#(transfer),"callbackUrl":"https://x.y/"}}"#,
            #"{"method":"signMessage"}"#, #"{"method":"signAndSendTransaction","params":null}"#,
        ])
    func refused(_ call: String) throws {
        #expect(throws: AdapterError.self) { try read(call) }
    }
}
