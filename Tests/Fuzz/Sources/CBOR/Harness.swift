// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let count = try? CBOR.itemCount(at: input.span) {
        let item = Array(input.prefix(count))
        precondition(item.count == count && count > 0, "an item beyond the end")
        precondition((try? CBOR.itemCount(at: item.span)) == count, "more than the item was read")
        let short = Array(item.dropLast())
        precondition((try? CBOR.itemCount(at: short.span)) == nil, "an item without its end")
    }
    guard let value = try? CBOR.decode(input.span) else { return 0 }
    let encoded = value.encode()
    precondition((try? CBOR.decode(encoded.span))?.encode() == encoded, "not a fixed point")
    precondition((try? CBOR.itemCount(at: encoded.span)) == encoded.count, "another length")
    return 0
}
