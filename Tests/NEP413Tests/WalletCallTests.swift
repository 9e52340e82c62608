// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import NEAR
@testable import NEP413

/// Every call in wallet_calls.json.
@Suite("The calls of near-connect")
struct WalletCallTests {
    private static let calls = Vectors.file("wallet_calls.json")["calls"]?.list ?? []
    private static let found = NEARLookup.Found(
        nonces: [101, 102, 103], blockHash: [UInt8](repeating: 7, count: 32), blockHeight: 5_000)

    private func signer(_ network: String = "mainnet") throws -> Signer {
        try Signer(address: "alice.\(network == "mainnet" ? "near" : "testnet")", network: network)
    }

    private func context(
        _ accounts: [Account], _ sessions: [ClientConnection] = [], client: String? = "app"
    ) -> DecodingContext {
        DecodingContext(
            accounts: accounts,
            peer: Peer(channel: "test", claim: client), client: .claiming(client),
            now: Timestamp(seconds: 1_800_000_000), freshID: [UInt8](repeating: 9, count: 16),
            wasSeen: { _ in false }, connections: { _ in sessions })
    }

    private func frame(_ call: JSON) -> [UInt8] {
        (["method": call["method"] ?? nil, "params": call["params"] ?? nil] as JSON).write()
    }

    private func call(_ method: String, _ place: Int = 0) throws -> JSON {
        let found = Self.calls.filter { $0["method"]?.text == method }
        return try #require(found.indices.contains(place) ? found[place] : nil)
    }

    private func session(_ account: Account, _ network: String = "mainnet") -> ClientConnection {
        ClientConnection(
            id: [UInt8](repeating: 1, count: 16), protocolID: ProtocolID("near"),
            client: Client(id: "app", name: nil, proof: .claimed), network: network,
            key: account.id, address: account.address, started: Timestamp(seconds: 1))
    }

    private func names(_ json: JSON?) -> Set<String> {
        Set(json?.object?.members.map(\.name) ?? [])
    }

    /// The reply of the wallet if nothing fails.
    private func answer(_ frame: [UInt8], _ signer: Signer, _ context: DecodingContext) throws
        -> Reply
    {
        let request = try decode(frame, context)
        let results = try request.operations.map { operation -> KeyResult in
            switch operation.operation {
            case .publicKey: return .publicKey(signer.account.publicKey)
            default: return try signer.sign(operation)
            }
        }
        return adapter.encode(.done(results), to: request)
    }

    @Test("every call is answered in the shape expected", arguments: calls)
    func shapes(_ call: JSON) throws {
        let network = call["params"]?["network"]?.text ?? ""
        let signer = try signer(network)
        let context = context([signer.account], [session(signer.account)])
        let reply = try answer(frame(call), signer, context)
        if case .broadcast(let broadcast) = reply {
            let item = try #require(broadcast.items.first)
            #expect(broadcast.network == network && broadcast.items.count == 1)
            let text = Array(Base64.encode(item.bytes.span).utf8)
            #expect(verify(try adapter.readSigned(text.span)) == "as given")
            return
        }
        let result = try #require(try json(reply)["result"])
        let expected = try #require(call["result"])
        #expect(names(result) == names(expected))
        #expect(result.list?.count == expected.list?.count)
        #expect(names(result.list?.first) == names(expected.list?.first))
        #expect(
            names(result.list?.first?["signedMessage"])
                == names(expected.list?.first?["signedMessage"]))
    }

    @Test("looked-up values complete the transaction, and the client's values take precedence")
    func lookingUp() throws {
        let signer = try signer()
        let sending = frame(try call("signAndSendTransaction"))
        let need = try #require(try self.need(sending, context([signer.account])))
        #expect(need.account == signer.account && need.network == "mainnet")
        #expect(need.nonceCount == 1)
        #expect(need.series == "near/mainnet/alice.near/\(need.publicKey)")
        let request = try decode(sending, context([signer.account]))
        guard case .transactions(let transactions, _, _) = request.near.body else {
            throw TestFailure("no transactions")
        }
        #expect(transactions[0].nonce == 101)
        #expect(transactions[0].blockHash == [UInt8](repeating: 7, count: 32))
        #expect(request.terms.serials == [SerialUse(series: need.series, number: 101)])
        #expect(request.operations[0].dangers == [.tokenTransfer])
        let none = context([signer.account])
        #expect(try code(sending, none, finding: nil) == "network_unavailable")
        let own: JSON = [
            "method": "signTransaction",
            "params": [
                "network": "mainnet", "receiverId": "bob.near", "nonce": "7",
                "blockHash": "244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM",
                "actions": [["type": "Transfer", "params": ["deposit": "1"]]],
            ],
        ]
        let bytes = own.write()
        #expect(try self.need(bytes, none) == nil)
        let offline = try decode(bytes, none, finding: nil)
        #expect(offline.terms.serials.map(\.number) == [7])
        #expect(offline.operations[0].dangers == [.offlineNonce])
        let message = try self.need(frame(try call("signMessage")), none)
        #expect(message?.uses == [.message] && message?.isOptional == true)
        for method in ["signIn", "getAccounts", "signOut"] {
            let other = frame(try call(method))
            #expect(try self.need(other, none) == nil)
        }
        let adding = frame(try call("signIn", 1))
        #expect(try self.need(adding, none)?.nonceCount == 1)
    }

    private func decode(
        _ frame: [UInt8], _ context: DecodingContext,
        finding found: NEARLookup.Found? = Self.found
    ) throws(AdapterError) -> NEP413Request {
        try adapter.decode(frame, finding: found, in: context)
    }

    private func need(
        _ frame: [UInt8], _ context: DecodingContext
    ) throws(AdapterError) -> NEARLookupNeed? {
        try adapter.need(of: try adapter.read(frame.span), in: context)
    }

    private func code(
        _ frame: [UInt8], _ context: DecodingContext,
        finding found: NEARLookup.Found? = Self.found
    ) throws -> String {
        do throws(AdapterError) {
            _ = try decode(frame, context, finding: found)
        } catch {
            return error.code
        }
        throw TestFailure("accepted")
    }

    @Test("a nonce that occurs twice in one call is refused")
    func sameNonce() throws {
        let item: JSON = ["receiverId": "bob.near", "actions": [], "nonce": "7"]
        for (method, member) in [
            ("signAndSendTransactions", "transactions"), ("signDelegateActions", "delegateActions"),
        ] {
            let call: JSON = .object(
                JSONObject([
                    .init(name: "method", value: .string(method)),
                    .init(
                        name: "params",
                        value: .object(
                            JSONObject([.init(name: member, value: [item, item])]))),
                ]))
            let signer = try signer()
            #expect(try code(call.write(), context([signer.account])) == "invalid_request")
        }
    }

    @Test("signing in opens a session, on another network it ends the one before")
    func signingIn() throws {
        let signer = try signer()
        let bytes = frame(
            ["method": "signIn", "params": ["network": "mainnet"]])
        let old = session(signer.account, "testnet")
        let request = try decode(bytes, context([signer.account], [old]))
        #expect(request.method == "sign_in" && request.operations.map(\.effects) == [[.revealsKey]])
        guard case .opens(let opened) = request.terms.connectionChanges.last else {
            throw TestFailure("nothing opens")
        }
        #expect(request.terms.connectionChanges.first == .ends(id: old.id))
        #expect(opened.network == "mainnet" && opened.address == "alice.near")
        #expect(try code(bytes, context([signer.account], client: nil)) == "client_required")
    }

    @Test("a key is added as asked: one contract, its methods, its allowance, or any and no bound")
    func addingKey() throws {
        let signer = try signer()
        for (place, allowance, methods) in [
            (1, Int128(250_000_000_000_000_000_000_000), ["add_message"]),
            (2, .max, ["*"]),
        ] {
            let request = try decode(frame(try call("signIn", place)), context([signer.account]))
            #expect(request.method == "sign_transaction")
            let operation = request.operations[0]
            #expect(operation.dangers == [.addsKey])
            #expect(operation.effects == [.grantsAuthority])
            let facts = operation.facts
            #expect(facts.first { $0.name == "allowance" }?.value == .integer(allowance))
            #expect(
                facts.first { $0.name == "key.methods" }?.value
                    == .list(methods.map { .text($0) }))
            #expect(facts.first { $0.name == "receiver" }?.value == .text("alice.near"))
            #expect(request.terms.connectionChanges.count == 1)
        }
    }

    @Test("signing out ends sessions and forgets; a client that is not signed in gets an error")
    func signingOut() throws {
        let signer = try signer()
        let out = frame(try call("signOut"))
        let request = try decode(out, context([signer.account], [session(signer.account)]))
        let client = Client(id: "app", name: nil, proof: .claimed)
        #expect(
            request.terms.connectionChanges == [
                .ends(id: [UInt8](repeating: 1, count: 16)), .forgets(client, ProtocolID("near")),
            ])
        #expect(request.operations.isEmpty)
        let accounts = frame(try call("getAccounts"))
        #expect(try code(accounts, context([signer.account])) == "not_signed_in")
        let elsewhere = session(signer.account, "testnet")
        #expect(try code(accounts, context([signer.account], [elsewhere])) == "not_signed_in")
        // The key was removed, so the answer lists no account.
        #expect(try code(accounts, context([], [session(signer.account)])) == "not_signed_in")
    }

    @Test("of several accounts the connected one signs")
    func connected() throws {
        let signer = try signer()
        let other = try Signer(address: "bob.near", network: "mainnet")
        let bytes = frame(try call("signMessage"))
        let both = [signer.account, other.account]
        #expect(try code(bytes, context(both)) == "account_required")
        let request = try decode(bytes, context(both, [session(other.account)]))
        #expect(request.account == other.account)
    }

    @Test("the network's words are the answer, and no signed bytes are lost")
    func broadcast() throws {
        let signer = try signer()
        let context = context([signer.account])
        let request = try decode(frame(try call("signAndSendTransaction")), context)
        let items = ["one", "two"].map {
            Broadcast.Item(id: $0, sender: "alice.near", bytes: [1, 2, 3])
        }
        let good = Broadcast.Delivery(items[0], .accepted(Array(#"{"status":1}"#.utf8)))
        #expect(try json(adapter.encode([good], to: request)) == ["result": ["status": 1]])
        let cases: [(Broadcast.Result, String)] = [
            (.refused(name: "Expired", "too old"), "transaction_refused"),
            (.unknown("no answer"), "broadcast_unknown"), (.notSent("no route"), "not_broadcast"),
            (.declined(name: "Expired", "too old"), "broadcast_unknown"),
        ]
        for (result, code) in cases {
            let reply = try json(adapter.encode([.init(items[1], result)], to: request))
            #expect(reply["error"]?["code"]?.text == code)
            #expect(reply["error"]?["signedHashes"] == ["two"])
            #expect(!"\(reply)".contains("AQID"))
        }
        #expect(adapter.encode([], to: request) != .message([]))
    }

    @Test("each of several transactions has its own outcome, and a failed one is not a success")
    func partly() throws {
        let signer = try signer()
        let transfers = (1...3).map { _ in
            #"{"receiverId":"bob.near","actions":[{"type":"Transfer","params":{"deposit":"1"}}],"#
                + #""nonce":"NONCE","blockHash":"244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM"}"#
        }
        let list = transfers.enumerated()
            .map { $1.replacing("NONCE", with: String($0 + 1)) }.joined(separator: ",")
        let call =
            #"{"method":"signAndSendTransactions","params":{"network":"mainnet","transactions":["#
            + list + "]}}"
        let request = try decode(Array(call.utf8), context([signer.account]))
        let accepted = Broadcast.Result.accepted(Array(#"{"transaction":{"hash":"one"}}"#.utf8))
        let failed = Broadcast.Result.failed(Array(#"{"status":{"Failure":{}}}"#.utf8))
        func reported(_ results: [Broadcast.Result]) throws -> JSON {
            let deliveries = zip(["one", "two", "three"], results).map {
                Broadcast.Delivery(.init(id: $0, sender: "alice.near", bytes: [1, 2, 3]), $1)
            }
            return try json(adapter.encode(deliveries, to: request))
        }
        let middle = try reported([accepted, failed, .notSent("an earlier one was not accepted")])
        let error = try #require(middle["error"])
        #expect(middle["result"] == nil && error["code"]?.text == "transaction_failed")
        #expect(
            error["message"]?.text
                == "1 carried out, 1 failed, 1 not sent: the transaction failed on the chain "
                + "(one carried out, two failed, three not sent)")
        #expect(
            error["transactions"] == [
                ["hash": "one", "state": "carried_out"], ["hash": "two", "state": "failed"],
                ["hash": "three", "state": "not_sent"],
            ])
        #expect(error["signedHashes"] == ["three"] && error["outcomes"]?.list?.count == 2)
        let last = try reported([accepted, accepted, failed])
        #expect(last["error"]?["code"]?.text == "transaction_failed" && last["result"] == nil)
        let unknown = try reported([accepted, .unknown("no answer"), .notSent("kept back")])
        #expect(unknown["error"]?["code"]?.text == "broadcast_unknown")
        #expect(unknown["error"]?["message"]?.text?.contains("1 not known, 1 not sent") == true)
        #expect(try reported([accepted, accepted, accepted])["result"]?.list?.count == 3)
    }

    @Test(
        "invalid calls",
        arguments: [
            (#"{"method":"nope","params":{}}"#, "unsupported_method"),
            (#"{"method":"verifyOwner","params":{}}"#, "unsupported_method"),
            (#"{"method":"signMessage"}"#, "invalid_request"),
            (#"{"method":"signIn","params":{"network":"x"}}"#, "invalid_request"),
            (#"{"method":"signIn","params":{},"id":1}"#, "invalid_request"),
            (#"{"method":"signIn","params":{"networks":"mainnet"}}"#, "invalid_request"),
            (
                #"{"method":"signIn","params":{"network":"mainnet","public\u212aey":"x"}}"#,
                "invalid_request"
            ),
            (
                #"{"method":"signAndSendTransactions","params":{"transactions":[]}}"#,
                "invalid_request"
            ),
            (
                #"{"method":"signDelegateActions","params":{"delegateActions":{}}}"#,
                "invalid_request"
            ),
            (#"{"method":"signTransaction","params":{"transaction":"AA=="}}"#, "invalid_request"),
            (#"{"method":"signTransaction","params":{"transaction":"%"}}"#, "invalid_request"),
            (
                #"{"method":"signInAndSignMessage","params":{"messageParams":{"message":"hi","#
                    + #""recipient":"a.near","nonce":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"#
                    + #"AAAAAA="},"#
                    + #""addFunctionCallKey":{"contractId":"a.near","allowMethods":{"anyMethod":"#
                    + #"true},"publicKey":"ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFt"#
                    + #"rqbZ79Qy"}}}"#,
                "unsupported_method"
            ),
            (#"{"method":"getAccounts","params":{},"message":"hi"}"#, "invalid_request"),
        ])
    func none(_ text: String, _ expected: String) throws {
        #expect(try code(Array(text.utf8), context([try signer().account])) == expected)
    }
}
