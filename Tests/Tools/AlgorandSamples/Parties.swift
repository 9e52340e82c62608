// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// Three accounts: A and B are held here, C is not.
package struct Parties {
    /// The seeds of the accounts held here.
    package let seeds = [SampleKeys.a, SampleKeys.b]
    package let keyA, keyB, keyC: [UInt8]
    package let a, b, c: JSON

    package init() throws {
        keyA = try SampleKeys.publicKey(seed: SampleKeys.a)
        keyB = try SampleKeys.publicKey(seed: SampleKeys.b)
        keyC = try SampleKeys.publicKey(seed: SampleKeys.c)
        a = .string(try SampleKeys.address(seed: SampleKeys.a))
        b = .string(try SampleKeys.address(seed: SampleKeys.b))
        c = .string(try SampleKeys.address(seed: SampleKeys.c))
    }

    package func multisig(_ threshold: Int64, _ addresses: JSON...) -> JSON {
        [
            "version": 1, "threshold": .integer(threshold), "addrs": .array(addresses),
        ]
    }

    package func item(from sender: [UInt8], _ members: KeyValuePairs<String, JSON> = [:]) -> JSON {
        let bytes = Draft().with("snd", .binary(sender)).bytes
        var object = JSONObject([
            .init(name: "txn", value: .string(Base64.encode(bytes.span)))
        ])
        for (name, value) in members { object.members.append(.init(name: name, value: value)) }
        return .object(object)
    }
}
