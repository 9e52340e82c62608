// SPDX-License-Identifier: Apache-2.0

import ARC27Client

private let client = try? ARC27Client(providerID: ARC27Client.liquidProviderID)
private let item = ARC27Client.TransactionToSign(
    [0x82, 0xa3, 0x73, 0x6e, 0x64, 0xc4, 0x20] + [UInt8](repeating: 7, count: 32)
        + [0xa4, 0x74, 0x79, 0x70, 0x65, 0xa3, 0x70, 0x61, 0x79])
private let calls: [ARC27Client.Call] = [
    .discover, .enable(), .disable(), .signTransactions([item]), .signAndPostTransactions([item]),
    .signMessage("x"),
]

/// A frame from a hostile peer; the last byte chooses the call.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let call = calls[Int(input.last ?? 0) % calls.count]
    let request = try? client?.request(call, id: "7")
    precondition(request != nil, "no request")
    let frame = [UInt8](input.dropLast())
    _ = try? request?.read(frame.span)
    let method = call.method.rawValue
    let envelope = #"{"requestId":"7","id":"8","reference":"arc0027:\#(method):response","#
    let reply = [UInt8](envelope.utf8) + frame
    _ = try? request?.read(reply.span)
    return 0
}
