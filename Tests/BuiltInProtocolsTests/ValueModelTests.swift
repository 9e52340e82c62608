// SPDX-License-Identifier: Apache-2.0

import Algorand
import BuiltInProtocols
import SigningCore
import SigningService
import Testing

@testable import SigningPolicyTools

@Suite("What the worst case knows about protocols")
struct ValueModelTests {
    static let schemas = ProtocolSupport.builtIn.adapters.schemas

    @Test("its fields, methods and dangers are declared by the adapters")
    func names() throws {
        for (name, model) in ValueModel.known {
            let own = Self.schemas.filter { $0.protocolID.name == name }
            let fields =
                model.coinTerms.map(\.field) + [model.tokenAmount?.field].compactMap { $0 }
                + [model.tokenName].filter { !$0.isEmpty } + model.types.keys
                + model.control.values.compactMap { $0 }
            for field in fields {
                #expect(own.contains { $0.field(named: field) != nil }, "\(name): \(field)")
            }
            let dangers =
                [model.coinEnding, model.tokenEnding].compactMap { $0 } + model.orders
                + model.control.keys + model.guarded.values.flatMap { $0 }
                + model.coinTerms.flatMap { $0.usual?.without ?? [] }
            for danger in dangers {
                #expect(
                    own.contains { $0.dangers.contains(Danger(danger)) }, "\(name): \(danger)")
            }
            for method in model.guarded.keys {
                #expect(own.contains { $0.methods.contains(method) }, "\(name): \(method)")
            }
        }
    }

    @Test("every protocol that is built in is known")
    func protocols() {
        #expect(Set(Self.schemas.map(\.protocolID.name)) == Set(ValueModel.known.keys))
    }

    @Test("a fee without the danger of high fees is at most the one that it assumes")
    func fees() throws {
        let fee = ValueModel.known["algorand"]?.coinTerms.first { $0.field == "fee" }
        let others = Int128(TransactionGroup.countMax - 1) * TransactionGroup.feeForOthers
        #expect(fee?.usual?.most == TransactionGroup.feeUsualMax + others)
    }
}
