// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite("CBOR against a second reader of the same rules") struct CBORAgreementTests {
    /// True if both readers refuse, or decode the same value; NaN is compared as bytes.
    private func agree(_ bytes: [UInt8]) -> Bool {
        let value = try? CBOR.decode(bytes.span)
        return value?.encode() == SecondReader.read(bytes)?.encode()
    }

    @Test("every input of one and two bytes")
    func short() {
        for first in UInt8.min...UInt8.max {
            if !agree([first]) { Issue.record("\(first)") }
            for second in UInt8.min...UInt8.max where !agree([first, second]) {
                Issue.record("\(first) \(second)")
            }
        }
    }

    @Test("every half float")
    func halves() throws {
        for bits in UInt16.min...UInt16.max {
            let bytes = [0xf9, UInt8(bits >> 8), UInt8(bits & 0xff)]
            let half = Double(Float16(bitPattern: bits))
            guard case .float(let value) = try CBOR.decode(bytes.span) else {
                throw CodecError.truncated
            }
            if value != half, !(value.isNaN && half.isNaN) { Issue.record("\(bits)") }
            if (value.sign == .minus) != (half.sign == .minus), !half.isNaN {
                Issue.record("the sign of \(bits)")
            }
        }
    }

    @Test("made-up inputs, most of them nearly right")
    func random() {
        let heads: [UInt8] = [
            0x00, 0x01, 0x17, 0x18, 0x19, 0x1b, 0x20, 0x38, 0x3b, 0x40, 0x41, 0x58, 0x5f, 0x60,
            0x61, 0x62, 0x78, 0x7f, 0x80, 0x81, 0x82, 0x98, 0x9f, 0xa0, 0xa1, 0xa2, 0xb8, 0xbf,
            0xc0, 0xd8, 0xe0, 0xf4, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xff, 0xff, 0xff, 0xc3,
        ]
        let pieces: [[UInt8]] = [
            [0xd9, 0xd9, 0xf7], [0x61, 0x61], [0x61, 0x62], [0x62, 0xc3, 0xbc],
        ]
        var generator = SplitMix64()
        var accepted = 0
        for _ in 0..<60_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...9, using: &generator) {
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    bytes += pieces[Int.random(in: pieces.indices, using: &generator)]
                } else {
                    bytes.append(heads[Int.random(in: heads.indices, using: &generator)])
                }
            }
            if !agree(bytes) { Issue.record("\(bytes)") }
            if SecondReader.read(bytes) != nil { accepted += 1 }
        }
        #expect(accepted > 500, "enough of them are right")
    }

    @Test("changed bytes of right inputs")
    func changed() throws {
        var generator = SplitMix64()
        let rows = try #require(try vectors("algorand/arc27_messages.json")["conversations"]?.list)
        for row in rows.prefix(20) {
            for form in ["cborx_frame_b64url", "indefinite_frame_b64url"] {
                let text = try #require(row["request"]?[form]?.text)
                let right = try Base64.decode(text, alphabet: .url, padding: .forbidden)
                #expect(agree(right))
                for _ in 0..<50 {
                    var bytes = right
                    let place = Int.random(in: bytes.indices, using: &generator)
                    bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                    if !agree(bytes) { Issue.record("\(bytes)") }
                }
            }
        }
    }
}

/// A second implementation of the rules, recursive and without libcbor.
private struct SecondReader {
    private struct Refused: Error {}

    private let bytes: [UInt8]
    private var place = 0

    static func read(_ bytes: [UInt8]) -> CBOR? {
        var reader = SecondReader(bytes: bytes)
        let value = try? reader.item(depth: 0)
        return reader.place == bytes.count ? value : nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func byte() throws -> UInt8 {
        guard place < bytes.count else { throw Refused() }
        place += 1
        return bytes[place - 1]
    }

    private mutating func number(_ info: UInt8) throws -> UInt64 {
        if info < 24 { return UInt64(info) }
        guard info < 28 else { throw Refused() }
        var number: UInt64 = 0
        for _ in 0..<(1 << (info - 24)) { number = number << 8 | UInt64(try byte()) }
        return number
    }

    /// Consumes a break; returns true if there was one.
    private mutating func ends() throws -> Bool {
        guard place < bytes.count else { throw Refused() }
        guard bytes[place] == 0xff else { return false }
        place += 1
        return true
    }

    private mutating func item(depth: Int) throws -> CBOR {
        let first = try byte()
        let info = first & 31
        switch first >> 5 {
        case 0: return .unsigned(try number(info))
        case 1:
            guard let value = Int64(exactly: try number(info)) else { throw Refused() }
            return .negative(-1 - value)
        case 2: return .bytes(try string(2, info) { $0 })
        case 3: return .text(String(decoding: try string(3, info, Self.utf8), as: UTF8.self))
        case 4: return .array(try array(info, depth: depth))
        case 5: return .map(try map(info, depth: depth))
        case 6:
            guard try number(info) == 55799 else { throw Refused() }
            return try item(depth: depth)
        default: return try simple(info)
        }
    }

    private mutating func simple(_ info: UInt8) throws -> CBOR {
        switch info {
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        case 23: return .undefined
        case 25: return .float(Double(Float16(bitPattern: UInt16(try number(info)))))
        case 26: return .float(Double(Float(bitPattern: UInt32(try number(info)))))
        case 27: return .float(Double(bitPattern: try number(info)))
        default: throw Refused()
        }
    }

    private static func utf8(_ bytes: [UInt8]) throws -> [UInt8] {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Refused() }
        return bytes
    }

    private mutating func string(
        _ major: UInt8, _ info: UInt8, _ check: ([UInt8]) throws -> [UInt8]
    ) throws -> [UInt8] {
        guard info == 31 else {
            let count = try number(info)
            guard count <= UInt64(bytes.count - place) else { throw Refused() }
            place += Int(count)
            return try check([UInt8](bytes[(place - Int(count))..<place]))
        }
        var whole: [UInt8] = []
        while try !ends() {
            let first = try byte()
            guard first >> 5 == major, first & 31 != 31 else { throw Refused() }
            whole += try string(major, first & 31, check)
        }
        return whole
    }

    private mutating func array(_ info: UInt8, depth: Int) throws -> [CBOR] {
        guard depth < 32 else { throw Refused() }
        var list: [CBOR] = []
        if info == 31 {
            while try !ends() { list.append(try item(depth: depth + 1)) }
        } else {
            let count = try number(info)
            while list.count < count { list.append(try item(depth: depth + 1)) }
        }
        return list
    }

    private mutating func map(_ info: UInt8, depth: Int) throws -> [CBORMember] {
        guard depth < 32 else { throw Refused() }
        var list: [CBORMember] = []
        var names: Set<String> = []
        let count = info == 31 ? nil : try number(info)
        while true {
            if let count {
                if list.count >= count { return list }
            } else if try ends() {
                return list
            }
            // A container in place of a name is refused before it is decoded.
            guard case .text(let name) = try item(depth: 32), names.insert(name).inserted else {
                throw Refused()
            }
            list.append(CBORMember(name: name, value: try item(depth: depth + 1)))
        }
    }
}
