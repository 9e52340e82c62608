// SPDX-License-Identifier: Apache-2.0

import AdapterFuzzing

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if input.first == UInt8(ascii: "{") {
        NEARFuzzing.runCall(input)
    } else {
        NEARFuzzing.runTransaction(input)
        NEARFuzzing.runSigned(input)
    }
    return 0
}
