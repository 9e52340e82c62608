// SPDX-License-Identifier: Apache-2.0

import Algorand
package import SigningCodecs
import SigningDigests

/// A payment whose members can be changed one by one.
package struct Draft: Sendable {
    package private(set) var members: [MessagePackMember]

    package init(type: String = "pay") {
        members = [
            .init(name: "fee", value: .unsigned(1000)), .init(name: "fv", value: .unsigned(10)),
            .init(name: "gh", value: .binary(AlgorandNetwork.testnet.genesisHash)),
            .init(name: "lv", value: .unsigned(1010)),
            .init(name: "snd", value: .binary(Self.key(7))),
            .init(name: "type", value: .text(type)),
        ]
    }

    package init(type: String, _ members: KeyValuePairs<String, MessagePack>) {
        self = members.reduce(Draft(type: type)) { $0.with($1.key, $1.value) }
    }

    package func with(_ name: String, _ value: MessagePack?) -> Self {
        var draft = self
        draft.members.removeAll { $0.name == name }
        if let value { draft.members.append(.init(name: name, value: value)) }
        return draft
    }

    package var bytes: [UInt8] { MessagePack.map(members).encode() }

    package static func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    package static func bytes(_ count: Int, _ byte: UInt8 = 1) -> MessagePack {
        .binary([UInt8](repeating: byte, count: count))
    }

    package static func map(_ members: KeyValuePairs<String, MessagePack>) -> MessagePack {
        .map(members.map { .init(name: $0.key, value: $0.value) })
    }

    /// The drafts as one group with the correct group id.
    package static func grouped(_ drafts: [Draft]) -> [[UInt8]] {
        let ids = drafts.map { draft in
            MessagePack.binary(Transaction.id(ofEncoded: draft.bytes))
        }
        let list = MessagePack.map([.init(name: "txlist", value: .array(ids))])
        let preimage = Array("TG".utf8) + list.encode()
        let id = Digest.sha512_256(preimage.span)
        return drafts.map { $0.with("grp", .binary(id)).bytes }
    }
}
