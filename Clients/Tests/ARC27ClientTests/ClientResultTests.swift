// SPDX-License-Identifier: Apache-2.0

import ARC27Client
import Algorand
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27Rig
@testable import AlgorandSamples

@Suite("Results and errors that a client reads") struct ClientResultTests {
    private let client: ARC27Client
    private let address: String
    private static let own = JSON.string(TestProvider.providerID)
    private static let hash: JSON = "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="
    private static let mainnet: JSON = "wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8="

    init() throws {
        client = try ARC27Client(providerID: TestProvider.providerID)
        address = try SampleKeys.address(seed: SampleKeys.a)
    }

    private func isInvalid(
        _ request: ARC27Client.PendingRequest, _ result: JSON
    ) -> Bool {
        do {
            _ = try request.read(result: result)
            return false
        } catch {
            if case .invalidReply = error { return true }
            return false
        }
    }

    @Test("enable is about the network asked for, by the provider asked")
    func enable() throws {
        let testnet = AlgorandNetwork.testnet.genesisHash
        let request = try client.request(.enable(genesisHash: testnet), id: "1")
        func result(
            _ hash: JSON = Self.hash, id: JSON = Self.own, account: JSON? = nil,
            session: JSON = "s"
        ) -> JSON {
            [
                "accounts": [account ?? ["address": .string(address)]], "genesisHash": hash,
                "genesisId": "testnet-v1.0", "providerId": id, "sessionId": session, "other": 1,
            ]
        }
        guard case .enabled(let enabled) = try request.read(result: result()) else {
            throw Wrong()
        }
        #expect(enabled.accounts.map(\.address) == [address])
        #expect(enabled.accounts[0].name == nil)
        #expect(enabled.sessionID == "s")
        let upper = JSON.string(TestProvider.providerID.uppercased())
        #expect(!isInvalid(request, result(id: upper)))
        #expect(isInvalid(request, result(Self.mainnet)))
        #expect(isInvalid(request, result("AAAA")))
        #expect(isInvalid(request, result(id: "f6d1c86b-4493-42fb-b88d-a62407b4cdf6")))
        #expect(isInvalid(request, result(account: ["address": "A"])))
        #expect(isInvalid(request, result(account: ["address": .string(address), "name": 1])))
        #expect(isInvalid(request, result(account: "a")))
        for session: JSON in [1, "", "\u{200b}", .string(String(repeating: "s", count: 1_025))] {
            #expect(isInvalid(request, result(session: session)))
        }
        #expect(isInvalid(request, ["accounts": [], "genesisHash": Self.hash]))
        let liquid = try ARC27Client(providerID: ARC27Client.liquidProviderID)
            .request(.enable(), id: "1")
        #expect(!isInvalid(liquid, result(Self.mainnet)))
    }

    @Test("lists have a limit")
    func lists() throws {
        let network: JSON = ["genesisHash": Self.hash, "genesisId": "g", "methods": ["x"]]
        let request = try client.request(.discover, id: "1")
        func result(_ networks: [JSON]) -> JSON {
            ["name": "n", "providerId": Self.own, "networks": .array(networks), "host": "h"]
        }
        guard
            case .discovered(let found) = try request.read(
                result: result([JSON](repeating: network, count: 1_000)))
        else { throw Wrong() }
        #expect(found.networks.count == 1_000)
        #expect(found.host?.visible == "h")
        #expect(isInvalid(request, result([JSON](repeating: network, count: 1_001))))
        #expect(isInvalid(request, result([["genesisHash": Self.hash, "genesisId": "g"]])))
        #expect(isInvalid(request, ["providerId": Self.own, "networks": [network]]))
        #expect(isInvalid(request, ["name": "n", "networks": [network]]))
    }

    @Test("posting gives an id for each transaction")
    func posted() throws {
        let rows = TransactionRow.offered.filter(\.isResignable)
        let one = try rows[0].signed()
        let other = try rows[1].signed()
        let request = try client.request(.postTransactions([one, other]), id: "1")
        let id = JSON.string(String(repeating: "A", count: 52))
        func ids(_ list: [JSON], _ name: String = "txnIDs") -> JSON {
            .object(
                JSONObject([
                    .init(name: "providerId", value: Self.own),
                    .init(name: name, value: .array(list)),
                ]))
        }
        #expect(!isInvalid(request, ids([id, id])))
        #expect(!isInvalid(request, ids([id, id], "txnIds")))
        for list: [JSON] in [[], [id], [id, id, id], [id, nil], [id, "A"], [id, 1]] {
            #expect(isInvalid(request, ids(list)))
        }
        #expect(isInvalid(request, ["txnIDs": [id, id]]))
        let item = ARC27Client.TransactionToSign(try rows[0].bytes())
        let signing = try client.request(.signAndPostTransactions([item]), id: "1")
        #expect(!isInvalid(signing, ["txnIds": [id]]))

        func sent(_ list: JSON) throws -> ARC27Client.Cause {
            let error: JSON = ["code": 4300, "message": "m", "data": ["successTxnIDs": list]]
            guard case .refused(let refusal) = try request.read(error: error) else {
                throw Wrong()
            }
            return refusal.cause
        }
        #expect(try sent([nil, id]) == .notAllPosted(transactionIDs: [nil, id.text]))
        #expect(try sent([nil]) == .notAllPosted(transactionIDs: nil))
        #expect(try sent([1, nil]) == .notAllPosted(transactionIDs: nil))
    }

    @Test("a message is signed by the account asked, also where Pera names no account")
    func messages() throws {
        let request = try client.request(.signMessage("hi", signer: address), id: "1")
        let signature = JSON.string(Base64.encode([UInt8](repeating: 7, count: 64).span))
        guard
            case .messageSigned(let message) = try request.read(result: ["signature": signature])
        else { throw Wrong() }
        #expect(message.signer == address)
        #expect(message.readings == [.prefixed([UInt8]("MXhi".utf8)), .plain([UInt8]("hi".utf8))])
        let other = JSON.string(try SampleKeys.address(seed: [UInt8](1...32)))
        #expect(isInvalid(request, ["signature": signature, "signer": other]))
        #expect(isInvalid(request, ["signature": signature, "signer": "me"]))
        for text: JSON in ["", "AAAA", 1, .string(String(repeating: "A", count: 88))] {
            #expect(isInvalid(request, ["signature": text]))
        }
        #expect(isInvalid(request, [:]))
    }

    @Test("errors keep code and words, with any data")
    func errors() throws {
        let request = try client.request(.discover, id: "1")
        let rows: [(Int64, JSON, ARC27Client.Cause)] = [
            (4000, [], .unknown), (4001, ["method": 1], .canceled(method: nil)),
            (4002, "x", .timedOut(method: nil)), (4003, nil, .methodNotSupported(method: nil)),
            (
                4004, ["genesisHashes": [Self.hash, Self.mainnet]],
                .networkNotSupported(genesisHashes: [
                    AlgorandNetwork.testnet.genesisHash,
                    AlgorandNetwork.mainnet.genesisHash,
                ])
            ),
            (4004, ["genesisHashes": ["x"]], .networkNotSupported(genesisHashes: nil)),
            (4100, ["signer": "x"], .unauthorizedSigner(address: nil)),
            (4201, ["computedGroupId": "AA=="], .invalidGroupID(computed: nil)),
            (5000, [:], .other), (-1, [:], .other),
        ]
        for (code, data, cause) in rows {
            let error: JSON = [
                "code": .integer(code), "message": "no\u{7}\n", "data": data, "providerId": 1,
            ]
            guard case .refused(let refusal) = try request.read(error: error) else {
                throw Wrong()
            }
            #expect(refusal.code == code)
            #expect(refusal.cause == cause)
            #expect("\(refusal.message)" == "no\\u{7}\\n")
            #expect(refusal.providerID == nil)
        }
        let long = ARC27Client.Reply.refused
        guard
            case .refused(let refusal) = try request.read(
                error: ["code": 1, "message": .string(String(repeating: "x", count: 5_000))])
        else { throw Wrong() }
        #expect(long(refusal) == .refused(refusal))
        #expect(refusal.message.visible.hasSuffix("... (4000 more characters)"))
    }

    @Test("undefined is absent; a byte string is not text")
    func cbor() throws {
        func frame(_ result: CBOR, _ rest: [CBORMember] = []) -> String {
            let envelope = CBOR.map(
                [
                    CBORMember(name: "requestId", value: .text("1")),
                    CBORMember(name: "id", value: .text("r")),
                    CBORMember(name: "reference", value: .text("arc0027:disable:response")),
                    CBORMember(name: "result", value: result),
                ] + rest)
            return Base64.encode(envelope.encode().span)
        }
        func result(_ sessions: CBOR) -> CBOR {
            .map([
                CBORMember(name: "genesisHash", value: .text(Self.hash.text ?? "")),
                CBORMember(name: "genesisId", value: .text("g")),
                CBORMember(name: "providerId", value: .text(TestProvider.providerID)),
                CBORMember(name: "sessionIds", value: sessions),
            ])
        }
        let request = try client.request(.disable(), id: "1")
        let absent = frame(result(.undefined), [CBORMember(name: "error", value: .undefined)])
        guard case .disabled(let disabled) = try request.read(absent) else { throw Wrong() }
        #expect(disabled.sessionIDs == nil)
        for sessions in [CBOR.bytes([1]), .array([.bytes([1])]), .array([.undefined]), .null] {
            let error = #expect(throws: ARC27ClientError.self) {
                try request.read(frame(result(sessions)))
            }
            guard case .invalidReply = error else { throw Wrong() }
        }
    }

    private struct Wrong: Error {}
}
