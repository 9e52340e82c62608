// SPDX-License-Identifier: Apache-2.0

@testable import SigningCore
@testable import SigningFiles
@testable import SigningService
@testable import SigningStorage

/// Bytes that another machine may write into rows, files and entries of a shared record; the first
/// byte chooses the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let body = Array(input.dropFirst())
    switch (input.first ?? 0) % 8 {
    case 0: question(body)
    case 1: numbers(body)
    case 2: answer(body)
    case 3: statement(body)
    case 4: entry(body)
    case 5: receipt(body)
    case 6: content(body)
    default: places(body)
    }
    return 0
}

/// The text of a question; an accepted text is within the limits and can be shown.
private func question(_ text: [UInt8]) {
    guard let read = JointRecord.question(text) else { return }
    precondition(read.isPossible, "a question beyond its limits")
    show(read)
}

/// A question with arbitrary numbers, which must not crash the code that reads it.
private func numbers(_ bytes: [UInt8]) {
    var words = bytes.chunked().makeIterator()
    func next() -> Int64 { words.next() ?? 0 }
    let demands = (0..<2).map { _ in
        ApproverDemand(
            rule: "r", minimum: Int(next()),
            members: [ApproverDemand.Member(name: "m", key: [UInt8(truncatingIfNeeded: next())])],
            seconds: next())
    }
    let question = JointQuestion(
        binding: ApprovalBinding(
            nonce: [], requestDigest: [], policyHash: [], keys: [],
            expires: Timestamp(seconds: next())),
        text: "t", totals: [], demands: demands, ownKeys: [])
    show(question, at: Timestamp(seconds: next()))
    let time = Timestamp(seconds: next())
    let more = next()
    precondition((time.adding(seconds: more) < time) == (more < 0 && time.seconds > .min))
}

private func show(_ question: JointQuestion, at now: Timestamp = Timestamp(seconds: 1_000)) {
    let digest = JointRecord.digest(of: question)
    let item = ApproverItem(
        WaitingJointQuestion(digest: digest, question: question, answers: []), of: nil,
        retired: [], keys: [], at: now)
    precondition(item.progress.allSatisfy { $0.missing >= 0 }, "a negative number of people")
    precondition(!item.stateText.isEmpty && !item.whole(at: now).isEmpty)
    precondition(question.binding.expires.secondsLeft(at: now) >= 0)
    _ = question.endsInTime(after: now)
}

private func answer(_ text: [UInt8]) {
    guard let read = JointRecord.answer(text) else { return }
    precondition(read.digest.count == 32 && read.answer.signature.count == 64)
}

private func statement(_ text: [UInt8]) {
    guard let read = HubStatement.read(String(decoding: text, as: UTF8.self)) else { return }
    for place in read.statement.places { _ = HubStatement.earlier(than: place.sequence) }
}

/// An entry with any sequence and time, beside a text that may be valid.
private func entry(_ bytes: [UInt8]) {
    var words = bytes.prefix(16).map { $0 }.chunked().makeIterator()
    let sequence = words.next() ?? 0
    let time = Timestamp(seconds: words.next() ?? 0)
    let body = Array(bytes.dropFirst(16))
    for kind in AuditKind.allCases {
        let entry = AuditEntry(
            sequence: sequence, time: time, kind: kind.rawValue,
            body: String(decoding: body, as: UTF8.self), previousHash: [],
            hash: AuditChain.hash(after: [], sequence: sequence, body: body))
        _ = entry.predecessor
        _ = AttestingEntry(entry)
        _ = RecordedRequest(entry)
        if let snapshot = LogSnapshot(entry) {
            precondition(snapshot.place.sequence >= 0 && snapshot.partCount > 0)
        }
        guard let content = entry.statedContent else { continue }
        _ = GovernedAct(content.entry, after: [])
    }
    _ = GrantRecord.grant(String(decoding: body, as: UTF8.self))
}

/// The body of an entry; an accepted body is exactly the encoding of its content.
private func content(_ bytes: [UInt8]) {
    guard let read = try? EntryBody(bytes) else { return }
    precondition(read.bytes == bytes, "a body in another form")
}

private func receipt(_ text: [UInt8]) {
    _ = Receipt(text)?.problem()
    _ = ActReceipt(text)?.problem()
}

private func places(_ bytes: [UInt8]) {
    if let place = LogPlace(bytes: bytes) { precondition((0..<Int64.max).contains(place.sequence)) }
    if let key = HubKey(bytes) { precondition(key.number > 0) }
    if let part = SnapshotPart(bytes) { _ = part.digest(after: SnapshotPart.origin) }
    _ = RunningTotal(bytes)?.adding(.max).since(.zero)
}

extension [UInt8] {
    /// Big-endian numbers of 8 bytes each.
    fileprivate func chunked() -> [Int64] {
        stride(from: 0, to: count - count % 8, by: 8).map { start in
            Int64(bitPattern: self[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) })
        }
    }
}
