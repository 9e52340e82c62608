// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension ABIType {
    /// The most elements that are written one by one.
    private static let elementsMax = 32

    /// Returns a value of this type in words; texts are quoted and may be cut.
    func words(for value: ABIValue) -> String {
        switch (self, value) {
        case (.ufixed(_, let decimals), .number(let bytes)):
            return Self.decimal(bytes, decimals: decimals)
        case (_, .number(let bytes)): return Self.decimal(bytes, decimals: 0)
        case (_, .bool(let isTrue)): return isTrue ? "true" : "false"
        case (_, .address(let key)): return AlgorandAddress.text(publicKey: key.span)
        case (_, .string(let text)): return ABICall.quoted(text)
        case (_, .bytes(let bytes)):
            return bytes.isEmpty ? "no bytes" : "hex \(Hex.encode(bytes.span))"
        case (.tuple(let types), .values(let values)):
            return Self.listed(zip(types, values).map { $0.words(for: $1) })
        case (.array(let element, _), .values(let values)),
            (.list(let element), .values(let values)):
            return Self.listed(values.map { element.words(for: $0) })
        case (_, .values): return "no value"
        }
    }

    private static func listed(_ words: [String]) -> String {
        let rest = words.count > elementsMax ? ", and \(words.count - elementsMax) more" : ""
        return "[\(words.prefix(elementsMax).joined(separator: ", "))\(rest)]"
    }

    /// Returns a big-endian integer in decimal digits, with this many of them behind the point.
    static func decimal(_ bytes: [UInt8], decimals: Int) -> String {
        var digits: [UInt8] = []
        var number = Array(bytes.drop { $0 == 0 })
        while !number.isEmpty {
            var rest = 0
            var quotient: [UInt8] = []
            for byte in number {
                let part = rest << 8 | Int(byte)
                rest = part % 10
                if part >= 10 || !quotient.isEmpty { quotient.append(UInt8(part / 10)) }
            }
            digits.append(UInt8(ascii: "0") + UInt8(rest))
            number = quotient
        }
        while digits.count < decimals + 1 { digits.append(UInt8(ascii: "0")) }
        let text = String(decoding: digits.reversed(), as: UTF8.self)
        guard decimals > 0 else { return text }
        return "\(text.dropLast(decimals)).\(text.suffix(decimals))"
    }
}
