// SPDX-License-Identifier: Apache-2.0

import NIP155Client
import NIP155Messages

private let client = try? NIP155Client(success: "myapp://ok?own=1", error: "myapp://no")
private let peer = "fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556"
private let calls: [NIP155Call] = [
    .publicKey(permissions: [NIP155Permission(.nip44Decrypt)]),
    .signEvent(json: #"{"kind":1,"content":""}"#, returning: .event),
    .nip04Encrypt(plaintext: "x", peer: peer), .nip44Encrypt(plaintext: "x", peer: peer),
]

/// A callback from a hostile page; the last byte chooses the call.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: input.dropLast(), as: UTF8.self)
    let call = calls[Int(input.last ?? 0) % calls.count]
    guard let request = try? client?.request(call, id: "7") else { return 0 }
    _ = try? request.read(callback: text)
    _ = try? request.read(callback: "myapp://ok?own=1&id=7&" + text)
    return 0
}
