// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let value = try? CBOR.decode(input.span) else { return 0 }
    let encoded = value.encode()
    precondition((try? CBOR.decode(encoded.span))?.encode() == encoded, "not a fixed point")
    return 0
}
