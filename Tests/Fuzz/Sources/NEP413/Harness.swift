// SPDX-License-Identifier: Apache-2.0

import AdapterFuzzing

private let account = AdapterFuzzing.account(
    "near", .ed25519, key: "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8",
    address: "alice.near")

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    AdapterFuzzing.run(input, adapter: "nep413", account: account)
    return 0
}
