// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

/// The decoders that write a secret into memory of their caller.
@Suite struct SecretDecodingTests {
    enum Form: CaseIterable {
        case hex, base58, base64, bech32

        func encode(_ bytes: [UInt8]) -> String {
            switch self {
            case .hex: Hex.encode(bytes.span)
            case .base58: Base58.encode(bytes.span)
            case .base64: Base64.encode(bytes.span)
            case .bech32: Bech32.encode(hrp: "nsec", bytes.span)
            }
        }

        func decode(_ text: String, into output: inout MutableSpan<UInt8>) throws -> Int {
            let text = text.utf8.span
            return switch self {
            case .hex: try Hex.decode(text, into: &output)
            case .base58: try Base58.decode(text, into: &output)
            case .base64: try Base64.decode(text, into: &output)
            case .bech32: try Bech32.decode(text, hrp: "nsec", into: &output)
            }
        }
    }

    @Test("the bytes and their count come back, the rest stays as it was", arguments: Form.allCases)
    func decodes(form: Form) throws {
        var generator = SplitMix64()
        for _ in 0..<100 {
            let bytes = generator.bytes(max: 60)
            var output = [UInt8](repeating: 0xee, count: 64)
            var span = output.mutableSpan
            let count = try form.decode(form.encode(bytes), into: &span)
            #expect(Array(output[..<count]) == bytes)
            #expect(output[count...].allSatisfy { $0 == 0xee })
        }
    }

    @Test("memory of the exact size is enough, one byte less is not", arguments: Form.allCases)
    func limit(form: Form) throws {
        let bytes = [UInt8](repeating: 0xc3, count: 32)
        var output = [UInt8](repeating: 0, count: 32)
        var span = output.mutableSpan
        #expect(try form.decode(form.encode(bytes), into: &span) == 32)
        #expect(output == bytes)
        #expect(throws: CodecError.tooLong(limit: 31)) {
            var short = [UInt8](repeating: 0, count: 31)
            var span = short.mutableSpan
            return try form.decode(form.encode(bytes), into: &span)
        }
    }

    @Test("a key with another prefix is refused", arguments: ["npub", "nse", "nsecc", "", "NSEC"])
    func prefix(hrp: String) {
        let text = Bech32.encode(hrp: "nsec", [UInt8](0..<32).span)
        #expect(throws: CodecError.self) {
            var output = [UInt8](repeating: 0, count: 32)
            var span = output.mutableSpan
            return try Bech32.decode(text.utf8.span, hrp: hrp, into: &span)
        }
    }

    @Test("an upper-case key is read")
    func upperCase() throws {
        let text = Bech32.encode(hrp: "nsec", [UInt8](0..<32).span).uppercased()
        var output = [UInt8](repeating: 0, count: 32)
        var span = output.mutableSpan
        #expect(try Bech32.decode(text.utf8.span, hrp: "nsec", into: &span) == 32)
        #expect(output == [UInt8](0..<32))
    }
}
