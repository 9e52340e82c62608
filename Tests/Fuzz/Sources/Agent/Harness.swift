// SPDX-License-Identifier: Apache-2.0

@testable import SigningAgent
@testable import SigningCodecs
@testable import SigningService
@testable import Socket

/// Bytes that any program of the user may write to the agent or to `countersign mcp`; the first
/// byte chooses the receiver.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let body = Array(input.dropFirst())
    switch (input.first ?? 0) % 5 {
    case 0: submission(body)
    case 1: answer(body)
    case 2: owner(body)
    case 3: message(body)
    default: head(body)
    }
    return 0
}

private func submission(_ body: [UInt8]) {
    let wires = ["nip155", "nep413", "arc27"]
    guard let read = try? Submission(body, wires: wires, frameBytesMax: 1_024) else { return }
    precondition(!read.frame.isEmpty, "an empty frame")
    precondition(read.client?.isEmpty != true, "an empty name")
    precondition(read.wire.map { wires.contains($0.name) } ?? true, "a wire of its own")
}

/// An answer of the API; writing an accepted one and reading it gives an equal answer.
private func answer(_ body: [UInt8]) {
    guard let read = try? QuestionAnswer(body) else { return }
    precondition(read.given.isYes || read.granting == nil, "a no that grants")
    guard let members = read.given.jsonMembers else {
        preconditionFailure("an answer without a word")
    }
    let again = try? GivenAnswer(.object(JSONObject(members)))
    precondition(again == read.given, "another answer")
}

private func owner(_ body: [UInt8]) {
    let head = HTTPHead(
        method: "POST", path: "/", query: [],
        headers: [("Content-Type", "application/json")])
    let request = HTTPRequest(head: head, body: body, peer: .inProcess(), process: 0)
    _ = try? OwnerBody(request, members: ["passphrase"]).passphrase()
}

private func message(_ line: [UInt8]) {
    guard let read = try? MCPMessage(line) else { return }
    _ = read.progressToken
    precondition(
        (read.clientName?.utf8.count ?? 1) <= MCPLimits.nameBytesMax, "a name beyond its limit")
}

/// Headers in the library's format: a name, a colon and a value on each line.
private func head(_ bytes: [UInt8]) {
    let headers = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
    }
    let head = HTTPHead(method: "POST", path: "/", query: [], headers: headers)
    guard head.refusal(bodyBytesMax: 1_024) == nil else { return }
    precondition((0...1_024).contains(head.bodyBytes), "a body beyond its limit")
}
