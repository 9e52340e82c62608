// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let outputMax = 1 << 16
    guard let bytes = try? Gzip.decompress(input.span, outputMax: outputMax) else { return 0 }
    precondition(bytes.count <= outputMax && bytes.count <= input.count * 200, "over the cap")
    return 0
}
