// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningNetwork

extension JSON {
    /// The amount that a string holds in decimal digits, as NEAR writes numbers of 128 bits.
    var amount: UInt128? { text.flatMap { $0.isDecimal ? UInt128($0) : nil } }

    /// The member that must be there.
    func member(_ name: String) throws(RPCError) -> JSON {
        guard let value = self[name] else { throw .malformed("\(name) is missing") }
        return value
    }

    /// The string that must be there.
    func text(_ name: String) throws(RPCError) -> String {
        guard let text = try member(name).text else { throw .malformed("\(name) is no string") }
        return text
    }

    /// The integer that must be there.
    func unsigned(_ name: String) throws(RPCError) -> UInt64 {
        guard let value = try member(name).unsigned else {
            throw .malformed("\(name) is no integer from 0 to 2^64-1")
        }
        return value
    }

    /// The amount that must be there.
    func amount(_ name: String) throws(RPCError) -> UInt128 {
        guard let value = try member(name).amount else { throw .malformed("\(name) is no amount") }
        return value
    }

    /// The elements that must be there.
    func list(_ name: String) throws(RPCError) -> [JSON] {
        guard let list = try member(name).list else { throw .malformed("\(name) is no list") }
        return list
    }

    /// The hash in base58 that must be there.
    func hash(_ name: String) throws(RPCError) -> [UInt8] {
        let text = try text(name)
        let hash = try? Base58.decode(text, countMax: Self.hashCount)
        guard let hash, hash.count == Self.hashCount else {
            throw .malformed("\(name) is no hash")
        }
        return hash
    }

    private static let hashCount = 32
}
