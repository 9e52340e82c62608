// SPDX-License-Identifier: Apache-2.0

import AdapterFuzzing

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    switch first {
    // A map of MessagePack; neither a frame nor a map of CBOR begins with these bytes.
    case 0x80...0x8f, 0xde:
        AlgorandFuzzing.runTransaction(input)
        AlgorandFuzzing.runSigned(input)
    default: AlgorandFuzzing.runFrame(input)
    }
    return 0
}
