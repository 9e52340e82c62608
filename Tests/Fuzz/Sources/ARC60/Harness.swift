// SPDX-License-Identifier: Apache-2.0

import AdapterFuzzing

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    AlgorandFuzzing.runLogin(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
