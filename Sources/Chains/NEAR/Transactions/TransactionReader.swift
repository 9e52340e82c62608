// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// Reads the Borsh of NEAR and throws errors in the terms of the wire.
struct TransactionReader {
    private var borsh: BorshReader
    /// True if the actions are those of a delegate action, which cannot contain another one.
    var isInDelegate = false

    init(_ bytes: [UInt8]) {
        borsh = BorshReader(bytes)
    }

    mutating func u8() throws(NEARRefusal) -> UInt8 {
        try read { (reader) throws(CodecError) in try reader.u8() }
    }

    mutating func u16() throws(NEARRefusal) -> UInt16 {
        try read { (reader) throws(CodecError) in try reader.u16() }
    }

    mutating func u32() throws(NEARRefusal) -> UInt32 {
        try read { (reader) throws(CodecError) in try reader.u32() }
    }

    mutating func u64() throws(NEARRefusal) -> UInt64 {
        try read { (reader) throws(CodecError) in try reader.u64() }
    }

    mutating func u128() throws(NEARRefusal) -> UInt128 {
        try read { (reader) throws(CodecError) in try reader.u128() }
    }

    mutating func fixed(_ count: Int) throws(NEARRefusal) -> [UInt8] {
        try read { (reader) throws(CodecError) in try reader.fixed(count) }
    }

    mutating func bytes(_ countMax: Int) throws(NEARRefusal) -> [UInt8] {
        try read { (reader) throws(CodecError) in try reader.byteString(countMax: countMax) }
    }

    mutating func text(_ countMax: Int) throws(NEARRefusal) -> String {
        try read { (reader) throws(CodecError) in try reader.string(countMax: countMax) }
    }

    mutating func option() throws(NEARRefusal) -> Bool {
        try read { (reader) throws(CodecError) in try reader.option() }
    }

    mutating func finish() throws(NEARRefusal) {
        try read { (reader) throws(CodecError) in try reader.finish() }
    }

    /// Reads a text in the syntax of account ids; the chain rejects any other text here.
    mutating func accountID(_ what: String) throws(NEARRefusal) -> String {
        let text = try text(TransactionLimits.textBytesMax)
        guard NEARAccountID.isValid(text) else {
            throw NEARRefusal(.invalidAccountID, "\(what) is not a NEAR account id")
        }
        return text
    }

    mutating func key() throws(NEARRefusal) -> KeyText {
        let curve = try curve()
        return KeyText(curve: curve, bytes: try fixed(curve.keyCount))
    }

    mutating func signature() throws(NEARRefusal) -> NEARSignature {
        let curve = try curve()
        return NEARSignature(curve: curve, bytes: try fixed(curve.signatureCount))
    }

    private mutating func curve() throws(NEARRefusal) -> KeyText.Curve {
        let tag = try u8()
        guard let curve = KeyText.Curve.allCases.first(where: { $0.tag == tag }) else {
            throw tag == KeyText.postQuantumTag
                ? .postQuantum : .invalid("the type of a public key is unknown")
        }
        return curve
    }

    /// Reads a list with its length.
    mutating func list<Item>(
        max: Int, _ what: String, _ item: (inout Self) throws(NEARRefusal) -> Item
    ) throws(NEARRefusal) -> [Item] {
        let count = Int(try u32())
        guard count <= max else { throw .invalid("more than \(max) \(what)") }
        var items: [Item] = []
        for _ in 0..<count { items.append(try item(&self)) }
        return items
    }

    private mutating func read<Value>(
        _ field: (inout BorshReader) throws(CodecError) -> Value
    ) throws(NEARRefusal) -> Value {
        do throws(CodecError) {
            return try field(&borsh)
        } catch {
            throw .invalid("not Borsh of NEAR: \(error.text)")
        }
    }
}
