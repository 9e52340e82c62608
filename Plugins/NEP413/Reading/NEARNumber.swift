// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs

/// Whole numbers of clients: decimal text, or a JSON number that is exact in JavaScript.
enum NEARNumber {
    /// The largest number that JavaScript does not round.
    private static let exactMax = 9_007_199_254_740_991

    static func u64(_ json: JSON?, _ name: String) throws(NEARRefusal) -> UInt64 {
        try read(json, name)
    }

    static func u128(_ json: JSON?, _ name: String) throws(NEARRefusal) -> UInt128 {
        try read(json, name)
    }

    private static func read<Integer: FixedWidthInteger & UnsignedInteger>(
        _ json: JSON?, _ name: String
    ) throws(NEARRefusal) -> Integer {
        guard let json else { throw .invalid("\(name) is missing") }
        if let value = json.integerValue, (0...Int64(exactMax)).contains(value) {
            return Integer(value)
        }
        guard let text = json.text, isDecimal(text), let value = Integer(text) else {
            throw .invalid("\(name) must be a whole number in quotes, within its range")
        }
        return value
    }

    private static func isDecimal(_ text: String) -> Bool {
        guard text != "0" else { return true }
        return !text.isEmpty && !text.hasPrefix("0")
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Returns 32 bytes in Base58, such as a block hash.
    static func hash(_ json: JSON?, _ name: String) throws(NEARRefusal) -> [UInt8] {
        guard let text = json?.text, let hash = try? Base58.decode(text, countMax: 32),
            hash.count == 32
        else { throw .invalid("\(name) must be 32 bytes in base58") }
        return hash
    }
}

/// Bytes in JSON: Base64, or the output of `JSON.stringify` for byte arrays.
enum ByteForm {
    static func read(_ json: JSON?, _ name: String, countMax: Int) throws(NEARRefusal) -> [UInt8] {
        var bytes: [UInt8]?
        switch json {
        case .string(let text):
            do throws(CodecError) {
                bytes = try Base64.decode(
                    text, alphabet: .either, padding: .optional, countMax: countMax)
            } catch {
                guard case .tooLong = error else { break }
                throw .tooLarge(name, bytesMax: countMax)
            }
        case .array(let elements): bytes = self.bytes(of: elements)
        case .object(let object): bytes = self.bytes(of: object)
        default: break
        }
        guard let bytes else { throw .invalid("\(name) must be bytes, best written as base64") }
        guard bytes.count <= countMax else { throw .tooLarge(name, bytesMax: countMax) }
        return bytes
    }

    /// Returns the elements as bytes; nil if one is not a byte.
    static func bytes(of elements: [JSON]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(elements.count)
        for element in elements {
            guard let value = element.integerValue, let byte = UInt8(exactly: value) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    /// Returns a Node `Buffer`, or a `Uint8Array` with its indices in any order; nil for other
    /// objects.
    static func bytes(of object: JSONObject) -> [UInt8]? {
        if let data = object["data"]?.list {
            guard object.members.count == 2, object["type"]?.text == "Buffer" else { return nil }
            return bytes(of: data)
        }
        var bytes = [UInt8](repeating: 0, count: object.members.count)
        for member in object.members {
            // Names are distinct, so the right number of names in range means that all are present.
            guard let index = Int(member.name), String(index) == member.name,
                bytes.indices.contains(index), let value = member.value.integerValue,
                let byte = UInt8(exactly: value)
            else { return nil }
            bytes[index] = byte
        }
        return bytes
    }
}
