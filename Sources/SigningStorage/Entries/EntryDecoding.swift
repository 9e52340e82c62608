// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

extension EntryBody {
    /// Decodes a body; throws for every text that is not exactly the encoding of an entry.
    init(_ bytes: [UInt8]) throws(EntryError) {
        var reader = EntryReader(bytes)
        let kind = try reader.kind()
        try reader.begin()
        entry = try Entry(kind, &reader)
        try reader.end()
        clock = reader.entryClock
        time = reader.entryTime
    }
}

extension Entry {
    fileprivate init(_ kind: AuditKind, _ reader: inout EntryReader) throws(EntryError) {
        switch kind {
        case .intent: self = .intent(try IntentEntry(&reader))
        case .result: self = .result(try ResultEntry(&reader))
        case .refusal: self = .refusal(try RefusalEntry(&reader))
        case .freeze: self = .freeze(try FreezeEntry(&reader))
        case .thaw: self = .thaw(try ThawEntry(&reader))
        case .revoke: self = .revoke(try RevokeEntry(&reader))
        case .attest: self = .attest(try AttestEntry(&reader))
        case .export: self = .export(try ExportEntry(&reader))
        case .broadcast: self = .broadcast(try BroadcastEntry(&reader))
        case .accept:
            try reader.clock()
            try reader.kind(kind)
            self = .accept(mark: try reader.hex("mark"))
            try reader.time()
        case .repair: self = .repair(try RepairEntry(&reader))
        case .archive: self = .archive(try ArchiveEntry(&reader))
        case .hub: self = .hub(try HubEntry(&reader))
        case .approver: self = .approver(try ApproverEntry(&reader))
        case .key: self = .key(try KeyEntry(&reader))
        case .carry: self = .carry(try CarryEntry(&reader))
        case .draw: self = .draw(try DrawEntry(&reader))
        case .ask: self = .ask(try AskEntry(&reader))
        case .answer: self = .answer(try AnswerEntry(&reader))
        case .withdraw:
            try reader.clock()
            try reader.kind(kind)
            self = .withdraw(try reader.hexes("questions"))
            try reader.time()
        }
    }
}
