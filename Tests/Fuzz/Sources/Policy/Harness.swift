// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCore
import SigningPolicy

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    _ = try? TOMLPolicy.load(
        input.span, fileName: "policy.toml", schemas: AdapterSet(providerID: "").schemas,
        at: Timestamp(seconds: 1_790_000_000),
        sha256: { _ in [UInt8](repeating: 0, count: 32) })
    return 0
}
