// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: input, as: UTF8.self)
    if let bytes = try? Hex.decode(text) { precondition(Hex.encode(bytes.span) == text) }
    if let bytes = try? Base32.decode(text) { precondition(Base32.encode(bytes.span) == text) }
    if let bytes = try? Base58.decode(text) { precondition(Base58.encode(bytes.span) == text) }
    if let bytes = try? Base64.decode(text) { precondition(Base64.encode(bytes.span) == text) }
    if let (hrp, bytes) = try? Bech32.decode(text) {
        precondition(Bech32.encode(hrp: hrp, bytes.span) == text.lowercased())
    }
    _ = try? PercentEncoding.decode(input.span)
    return 0
}
