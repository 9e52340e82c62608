// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let value = try? JSON.parse(input.span) else { return 0 }
    let written = value.write()
    precondition((try? JSON.parse(written.span))?.write() == written, "not a fixed point")
    return 0
}
