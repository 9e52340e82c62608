// SPDX-License-Identifier: Apache-2.0

import AdapterFuzzing

private let account = AdapterFuzzing.account(
    "nostr", .bip340, key: "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917",
    address: "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917")

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    AdapterFuzzing.run(input, adapter: "nip55", account: account)
    return 0
}
