// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto

/// A full group beside a single payment, in the same run.
enum AlgorandBench {
    private static let count = 16

    static func run(_ home: BenchHome) async throws {
        let group = try request(ofPayments: count)
        var best = (one: 0.0, group: 0.0)
        for _ in 0..<5 {
            best.one = max(best.one, try await Clock.perSecond { try await home.answer(.arc27) })
            best.group = max(best.group, try await Clock.perSecond { try await home.answer(group) })
        }
        let ratio = (best.one / best.group * 100).rounded() / 100
        print("\(group.name): \(Int(best.group))/s")
        print("a group of \(count) payments costs \(ratio) of one (target \(count))")
    }

    /// A group of payments like that of the single request.
    private static func request(ofPayments count: Int) throws -> BenchRequest {
        var ids: [MessagePack] = []
        for amount in 1...count {
            let payment = try payment(UInt64(amount), group: nil)
            let bytes = Array("TX".utf8) + payment
            ids.append(.binary(Digest.sha512_256(bytes.span)))
        }
        let list = MessagePack.map([MessagePackMember(name: "txlist", value: .array(ids))])
        let preimage = Array("TG".utf8) + list.encode()
        let group = Digest.sha512_256(preimage.span)
        var items: [JSON] = []
        for amount in 1...count {
            let bytes = try payment(UInt64(amount), group: group)
            items.append(["txn": .string(Base64.encode(bytes.span))])
        }
        let frame: JSON = [
            "id": "e5162ef6-4258-460c-b464-4540956e0e16",
            "reference": "arc0027:sign_transactions:request",
            "params": [
                "providerId": "02657eaf-be17-4efc-b0a4-19d654b2448e", "txns": .array(items),
            ],
        ]
        return BenchRequest(
            name: "arc27 group of \(count)", adapter: "arc27", frame: frame.write())
    }

    private static func payment(_ amount: UInt64, group: [UInt8]?) throws -> [UInt8] {
        let sender = try Hex.decode(
            "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")
        let genesis = try Base64.decode("SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=")
        var fields: [(String, MessagePack)] = [
            ("amt", .unsigned(amount)), ("fee", .unsigned(1_000)),
            ("fv", .unsigned(85_001_236)), ("gen", .text("testnet-v1.0")),
            ("gh", .binary(genesis)), ("lv", .unsigned(85_002_236)),
            ("rcv", .binary([UInt8](repeating: 0x79, count: 32))), ("snd", .binary(sender)),
            ("type", .text("pay")),
        ]
        if let group { fields.append(("grp", .binary(group))) }
        return MessagePack.map(fields.map { MessagePackMember(name: $0, value: $1) }).encode()
    }
}
