// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningNetwork

extension JSON {
    /// The amount in a string of decimal digits, the NEAR form of 128-bit numbers.
    var amount: UInt128? { text.flatMap { $0.isDecimal ? UInt128($0) : nil } }

    /// Returns a required member.
    func member(_ name: String) throws(RPCError) -> JSON {
        guard let value = self[name] else { throw .malformed("\(name) is missing") }
        return value
    }

    /// Returns a required string.
    func text(_ name: String) throws(RPCError) -> String {
        guard let text = try member(name).text else { throw .malformed("\(name) is not a string") }
        return text
    }

    /// Returns a required integer.
    func unsigned(_ name: String) throws(RPCError) -> UInt64 {
        guard let value = try member(name).unsigned else {
            throw .malformed("\(name) is not an integer from 0 to 2^64-1")
        }
        return value
    }

    /// Returns a required amount.
    func amount(_ name: String) throws(RPCError) -> UInt128 {
        guard let value = try member(name).amount else {
            throw .malformed("\(name) is not an amount")
        }
        return value
    }

    /// Returns the elements of a required list.
    func list(_ name: String) throws(RPCError) -> [JSON] {
        guard let list = try member(name).list else { throw .malformed("\(name) is not a list") }
        return list
    }

    /// Returns a required hash in Base58.
    func hash(_ name: String) throws(RPCError) -> [UInt8] {
        let text = try text(name)
        let hash = try? Base58.decode(text, countMax: Self.hashCount)
        guard let hash, hash.count == Self.hashCount else {
            throw .malformed("\(name) is not a hash")
        }
        return hash
    }

    private static let hashCount = 32
}
