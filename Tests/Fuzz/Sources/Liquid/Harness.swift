// SPDX-License-Identifier: Apache-2.0

import AdapterFuzzing
import SigningCore

@testable import LiquidAuth
@testable import SigningCodecs

/// Bytes that servers of Liquid Auth, their pages and apps that show an address may send; the
/// first byte chooses the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let body = Array(input.dropFirst())
    switch (input.first ?? 0) % 5 {
    case 0: AdapterFuzzing.run(body, adapter: "liquid", account: account)
    case 1: packet(body)
    case 2: address(body)
    case 3: frame(body)
    default: server(body)
    }
    return 0
}

private let account = AdapterFuzzing.account(
    "algorand", .ed25519, key: "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8",
    address: "AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4IXQ2UGE")

/// A packet of a signalling server; encoding a signal must give the same signal.
private func packet(_ bytes: [UInt8]) {
    guard case .event(let name, let argument, _)? = SignallingPacket(bytes),
        let signal = Signal(event: name, argument), !signal.isTooLong
    else { return }
    guard case .event(let sent, let value, nil)? = SignallingPacket(signal.message) else {
        preconditionFailure("a signal of ours is not read")
    }
    precondition(Signal(event: sent, value) == signal, "another signal")
}

/// An address that an app shows: an accepted address names a page's origin and one request.
private func address(_ bytes: [UInt8]) {
    guard let uri = try? LiquidURI(String(decoding: bytes, as: UTF8.self)) else { return }
    precondition(uri.origin.isPage)
    precondition((1...LiquidURI.requestIDBytesMax).contains(uri.requestID.utf8.count))
}

/// A frame that a page sends over a channel: an answer of the channel is JSON, or CBOR in Base64.
private func frame(_ bytes: [UInt8]) {
    let freshID = [UInt8](repeating: 7, count: 16)
    if let offer = ChannelNegotiation(bytes, freshID: freshID) {
        precondition((try? JSON.parse(offer.reply.span)) != nil, "an answer that is no JSON")
    }
    for refusal in [ChannelRefusal.tooMany, .answerTooLarge(bytesMax: 1)] {
        guard let answer = refusal.answer(to: bytes, freshID: freshID) else { continue }
        if ChannelRefusal.isJSON(bytes) {
            precondition((try? JSON.parse(answer.span))?["error"] != nil, "an answer without why")
        } else {
            precondition(
                (try? Base64.decode(
                    String(decoding: answer, as: UTF8.self), alphabet: .url, padding: .forbidden))
                    != nil, "an answer that is no Base64")
        }
    }
}

/// An ICE server as JSON; encoding an accepted one must give an equal server.
private func server(_ bytes: [UInt8]) {
    guard let json = try? JSON.parse(bytes.span), let server = ICEServer(json) else { return }
    precondition(ICEServer(server.json) == server, "another server")
}
