// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The text of a new entry without the values that only its place in the record decides.
///
/// A caller encodes it before it waits for its turn to write.
struct EntryDraft: Sendable {
    let entry: Entry
    /// The time that the clock showed.
    let clock: Timestamp
    private let text: [UInt8]
    /// The place of the member `time` in the text.
    private let timePlace: Int

    /// Encodes a change at this time of the clock.
    init(_ entry: Entry, at clock: Timestamp) {
        self.entry = entry
        self.clock = clock
        var writer = EntryWriter(entry.kind, at: clock)
        entry.write(to: &writer)
        text = writer.bytes
        timePlace = writer.timePlace
    }

    /// The entry's body with its time on record.
    ///
    /// `used` is the used amount of each claim's counter before an intent.
    func body(at time: Timestamp, used: [Int128] = []) -> [UInt8] {
        var writer = EntryWriter(copying: text[..<timePlace], moreBytes: text.count + 64)
        writer.integer("time", time.seconds)
        if !used.isEmpty { writer.texts("used", used.lazy.map { String($0) }) }
        return writer.bytes + text[timePlace...]
    }
}

extension EntryBody {
    /// The body as it is hashed: JSON without white space, names in the order of their bytes.
    var bytes: [UInt8] {
        var used: [Int128] = []
        if case .intent(let intent) = entry { used = intent.used }
        return EntryDraft(entry, at: clock).body(at: time, used: used)
    }
}

extension Entry {
    fileprivate func write(to writer: inout EntryWriter) {
        switch self {
        case .intent(let intent): intent.write(to: &writer)
        case .result(let result): result.write(to: &writer)
        case .refusal(let refusal): refusal.write(to: &writer)
        case .freeze(let freeze): freeze.write(to: &writer)
        case .thaw(let thaw): thaw.write(to: &writer)
        case .revoke(let revoke): revoke.write(to: &writer)
        case .attest(let attest): attest.write(to: &writer)
        case .export(let export): export.write(to: &writer)
        case .broadcast(let broadcast): broadcast.write(to: &writer)
        case .accept(let mark):
            writer.clock()
            writer.kind()
            writer.hex("mark", mark)
            writer.time()
        case .repair(let repair): repair.write(to: &writer)
        case .archive(let archive): archive.write(to: &writer)
        case .hub(let hub): hub.write(to: &writer)
        case .approver(let approver): approver.write(to: &writer)
        case .key(let key): key.write(to: &writer)
        case .carry(let carry): carry.write(to: &writer)
        case .draw(let draw): draw.write(to: &writer)
        case .ask(let ask): ask.write(to: &writer)
        case .answer(let answer): answer.write(to: &writer)
        case .withdraw(let questions):
            writer.clock()
            writer.kind()
            writer.hexes("questions", questions)
            writer.time()
        }
        writer.end()
    }
}
