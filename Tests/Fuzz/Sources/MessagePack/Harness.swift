// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let value = try? MessagePack.decodeCanonical(input.span) else { return 0 }
    precondition(value.encode() == input, "accepted bytes that are not canonical")
    return 0
}
