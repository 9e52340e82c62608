// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing
import VectorFiles

@testable import NEAR

@Suite("NEAR transactions, actions and delegate actions against their vectors")
struct TransactionVectorTests {
    private static let transactions = VectorFile.near("transactions.json")["vectors"]?.list ?? []
    private static let actions = VectorFile.near("actions.json")
    private static let delegates = VectorFile.near("delegate_actions.json")

    private func bytes(_ json: JSON, _ name: String) throws -> [UInt8] {
        try Hex.decode(try #require(json[name]?.text))
    }

    @Test("all vectors are there")
    func counts() {
        #expect(Self.transactions.count == 34)
        #expect(Self.actions["vectors"]?.list?.count == 40)
        #expect(Self.actions["malformed"]?.list?.count == 9)
        #expect(Self.delegates["vectors"]?.list?.count == 7)
        #expect(Self.delegates["malformed"]?.list?.count == 2)
    }

    @Test("every transaction is read and written as it was", arguments: transactions)
    func roundTrip(_ vector: JSON) throws {
        let borsh = try bytes(vector, "transactionBorshHex")
        guard vector["mustRefuse"] == nil else {
            #expect(throws: NEARRefusal.self) { try NEARTransaction(borsh) }
            return
        }
        let transaction = try NEARTransaction(borsh)
        #expect(transaction.preimage == borsh)
        #expect(hexOfHash(borsh) == vector["transactionHashHex"]?.text)
        #expect(transaction.signer == vector["transaction"]?["signerId"]?.text)
        #expect(transaction.key.text == vector["transaction"]?["publicKey"]?.text)
        #expect(transaction.receiver == vector["transaction"]?["receiverId"]?.text)
        let names = try #require(vector["transaction"]?["actions"]?.list)
        #expect(transaction.actions.map(\.name) == names.compactMap { $0["type"]?.text })
        if case .v1 = transaction.version {
            #expect(vector["version"]?.integerValue == 1)
        } else {
            #expect(vector["version"]?.integerValue == 0)
        }
        #expect(!transaction.lines().isEmpty)
        for count in 0..<min(borsh.count, 400) {
            #expect(throws: NEARRefusal.self) { try NEARTransaction(Array(borsh.prefix(count))) }
        }
        #expect(throws: NEARRefusal.self) { try NEARTransaction(borsh + [0]) }
    }

    @Test("every action is read and written as it was")
    func actions() throws {
        for vector in try #require(Self.actions["vectors"]?.list) {
            let borsh = try bytes(vector, "borshHex")
            var reader = TransactionReader(borsh)
            if vector["action"]?["params"]?["beneficiaryId"]?.text?.utf8.count == 128 {
                #expect(throws: NEARRefusal.self) { try reader.action() }
                continue
            }
            let action = try reader.action()
            try reader.finish()
            var writer = BorshWriter()
            writer.action(action)
            #expect(writer.bytes == borsh, "\(vector["id"]?.text ?? "")")
            #expect(action.name == vector["action"]?["type"]?.text)
            #expect(!action.lines("action", to: "app.near").isEmpty)
        }
    }

    @Test("malformed actions are refused")
    func malformed() throws {
        for vector in try #require(Self.actions["malformed"]?.list) {
            var reader = TransactionReader(try bytes(vector, "borshHex"))
            #expect(throws: NEARRefusal.self, "\(vector["id"]?.text ?? "")") {
                _ = try reader.action()
                try reader.finish()
            }
        }
    }

    @Test("a known but unsupported method is refused by its name")
    func named() throws {
        func code(_ borsh: [UInt8]) -> NEARRefusal.Code? {
            var reader = TransactionReader(borsh)
            do throws(NEARRefusal) {
                _ = try reader.action()
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code([15]) == .unsupportedAction)
        #expect(code([16]) == .unsupportedAction)
        #expect(code([6, 2] + [UInt8](repeating: 0, count: 1_952)) == .unsupportedKey)
        #expect(code([7, 3, 0, 0, 0, 0x42, 0x6f, 0x62]) == .invalidAccountID)
        #expect(throws: NEARRefusal.postQuantum) { try KeyText(reading: "ml-dsa-65:1111") }
        for vector in try #require(Self.delegates["malformed"]?.list) {
            var reader = TransactionReader(try bytes(vector, "borshHex"))
            #expect(throws: NEARRefusal.self) {
                try DelegateAction(from: &reader, isV2: false)
            }
            var again = TransactionReader(try bytes(vector, "borshHex"))
            do throws(NEARRefusal) {
                _ = try DelegateAction(from: &again, isV2: false)
            } catch {
                #expect(error.code == .nestedDelegate)
            }
        }
        #expect(throws: NEARRefusal.self) { try NEARTransaction([2, 1, 0, 0]) }
    }

    @Test("delegate actions are read, hashed, signed and written as everybody else does")
    func delegates() throws {
        for vector in try #require(Self.delegates["vectors"]?.list) {
            let isV2 = vector["version"]?.integerValue == 2
            let prefix = isV2 ? DelegateAction.prefixV2 : DelegateAction.prefix
            // A nearcore vector is an action of a transaction and has no hashed bytes.
            guard vector["signableHex"] != nil else {
                var reader = TransactionReader(try bytes(vector, "asActionBorshHex"))
                #expect(try reader.action().name == "Delegate")
                continue
            }
            let signable = try bytes(vector, "signableHex")
            #expect(signable.starts(with: prefix))
            var reader = TransactionReader(Array(signable.dropFirst(prefix.count)))
            guard vector["mustRefuse"] == nil else {
                #expect(throws: NEARRefusal.self) {
                    try DelegateAction(from: &reader, isV2: isV2)
                }
                continue
            }
            let action = try DelegateAction(from: &reader, isV2: isV2)
            try reader.finish()
            #expect(action.preimage == signable)
            #expect(hexOfHash(action.preimage) == vector["hashHex"]?.text)
            #expect(
                DelegateAction.isSignable(signable, by: action.key.bytes)
                    == (!isV2 && action.key.curve == .ed25519))
            #expect(!DelegateAction.isSignable(signable, by: [UInt8](repeating: 1, count: 32)))
            guard let signed = vector["signedDelegateBase64"]?.text else { continue }
            let bytes = try Base64.decode(signed)
            let statement = try SignedStatement(nearBytes: bytes)
            #expect(verify(statement) == "as given")
            #expect(bytes == (try SignedDelegate(bytes, isV2: isV2).bytes))
        }
    }

    @Test("no domain claims the bytes of another")
    func domains() throws {
        let registry = DomainRegistry(SigningDomain.near)
        for vector in Self.transactions {
            let borsh = try bytes(vector, "transactionBorshHex")
            guard vector["mustRefuse"] == nil, vector["version"]?.integerValue == 0,
                let transaction = try? NEARTransaction(borsh), transaction.key.curve == .ed25519
            else { continue }
            let account = Account(
                id: KeyID("k"), name: "k", protocolID: ProtocolID("near"), algorithm: .ed25519,
                publicKey: transaction.key.bytes, address: transaction.signer, network: nil)
            for id in [SigningDomain.ID.nearMessage, .nearDelegate] {
                #expect(throws: DomainError.wrongBytes(id)) {
                    try registry.message(
                        for: SigningInput(domain: id, preimage: borsh), by: account)
                }
            }
            let input = SigningInput(domain: .nearTransaction, preimage: borsh)
            let message = try registry.message(for: input, by: account)
            #expect(hex(message) == vector["transactionHashHex"]?.text)
        }
    }
}
