// SPDX-License-Identifier: Apache-2.0

import AdapterFuzzing
import SigningCodecs

@testable import SigningAgent
@testable import Socket

private let wires = ["nip07", "nep413", "arc27"]
private let nostrKey = "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917"
private let account = AdapterFuzzing.account(
    "nostr", .bip340, key: nostrKey, address: nostrKey)

/// Bytes that a page may have the extension write to its host; the first byte says where the
/// stream is cut in two.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let stream = Array(input.dropFirst())
    let whole = messages(of: [stream])
    let place = stream.isEmpty ? 0 : Int(first) % stream.count
    let cut = messages(of: [Array(stream[..<place]), Array(stream[place...])])
    precondition(whole == cut, "messages depend on how their bytes come")
    for message in whole ?? [] { read(message) }
    // A single message, without its length.
    read(stream)
    return 0
}

/// The messages of a stream that arrives in parts; nil if a length is invalid.
private func messages(of parts: [[UInt8]]) -> [[UInt8]]? {
    var reader = NativeMessages()
    return try? parts.flatMap { try reader.take($0) }
}

/// Decodes a message; the agent receives a valid one unchanged, or refuses it.
private func read(_ bytes: [UInt8]) {
    guard let message = try? BrowserMessage(bytes), case .call(let call) = message else { return }
    precondition(call.id.utf8.count == 32, "an id that is none")
    _ = call.countedClient
    let body = call.submission(waitSeconds: 1).write()
    guard let read = try? Submission(body, wires: wires, frameBytesMax: 512 << 10) else { return }
    precondition(read.frame == Array(call.frame.utf8), "another frame")
    precondition(read.wire?.name == call.wire, "another wire")
    precondition(read.page?.origin.text == call.origin, "another page")
    precondition(read.page?.topOrigin.text == call.topOrigin, "another page around it")
    precondition(read.client == nil && !read.isByLink, "a name that no page has")
    switch call.wire {
    case "nip07": AdapterFuzzing.run(read.frame, adapter: "nip07", account: account)
    case "nep413": NEARFuzzing.runCall(read.frame)
    default: AlgorandFuzzing.runFrame(read.frame)
    }
}
