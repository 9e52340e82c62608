// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The kinds of entries.
package enum AuditKind: String, CaseIterable, Sendable {
    case intent, result, refusal, freeze, thaw, revoke, attest, export, broadcast, accept, repair
    case archive, hub, approver, key, carry, draw, ask, answer, withdraw

    /// The kinds that the ledger keeps when it is archived: the newest of the first two, all of the
    /// third.
    static let kept = [attest, freeze, repair]
}

/// One change of the record, as its entry states it.
///
/// Members that only older programs left out are optional; the payloads name the ledger format that
/// brought them.
enum Entry: Hashable, Sendable {
    /// A request will use keys.
    case intent(IntentEntry)
    /// A reserved request has ended.
    case result(ResultEntry)
    /// A request was not carried out.
    case refusal(RefusalEntry)
    /// All signing stops.
    case freeze(FreezeEntry)
    /// Signing may go on.
    case thaw(ThawEntry)
    /// Grants are revoked, or connections end.
    case revoke(RevokeEntry)
    /// A policy is in force from now on.
    case attest(AttestEntry)
    /// The secret of a key was written out.
    case export(ExportEntry)
    /// An item was sent to a network, with this result.
    case broadcast(BroadcastEntry)
    /// A signed message of another party was accepted; it is known by this mark.
    case accept(mark: [UInt8])
    /// The owner repaired something.
    case repair(RepairEntry)
    /// Entries were moved to a file.
    case archive(ArchiveEntry)
    /// Something happened to the hubs that share the record.
    case hub(HubEntry)
    /// The standing of approver keys changed.
    case approver(ApproverEntry)
    /// The name or the tags of a key changed.
    case key(KeyEntry)
    /// Content from before entries named it is on record from now on (since format 16).
    case carry(CarryEntry)
    /// Numbers were drawn for items that the home signs (since format 17).
    case draw(DrawEntry)
    /// Several people are asked (since format 17).
    case ask(AskEntry)
    /// One of them answered (since format 17).
    case answer(AnswerEntry)
    /// Questions that nothing has used are withdrawn, by their digests (since format 17).
    case withdraw([[UInt8]])

    /// The kind of the entry.
    var kind: AuditKind {
        switch self {
        case .intent: .intent
        case .result: .result
        case .refusal: .refusal
        case .freeze: .freeze
        case .thaw: .thaw
        case .revoke: .revoke
        case .attest: .attest
        case .export: .export
        case .broadcast: .broadcast
        case .accept: .accept
        case .repair: .repair
        case .archive: .archive
        case .hub: .hub
        case .approver: .approver
        case .key: .key
        case .carry: .carry
        case .draw: .draw
        case .ask: .ask
        case .answer: .answer
        case .withdraw: .withdraw
        }
    }

    /// The approvals of several people that the entry contains; nil if there are none.
    var approval: ApprovalEntry? {
        switch self {
        case .intent(let intent): intent.approval
        case .thaw(let thaw): thaw.approval
        case .attest(let attest): attest.approval
        case .export(let export): export.approval
        case .key(let key): key.approval
        default: nil
        }
    }

    /// The longest text of a client's choice that is recorded, in characters.
    static let textMax = 512

    /// A text of foreign origin, cut if it is too long for the record.
    static func clipped(_ text: String) -> String {
        // No text has more characters than bytes.
        guard text.utf8.count > textMax else { return text }
        return String(text.unicodeScalars.prefix(textMax))
    }
}

/// The content of an entry: a change with the time on record and the time that the clock showed.
struct EntryBody: Hashable, Sendable {
    /// The time that the clock showed.
    var clock: Timestamp
    /// The time on record; it never goes back.
    var time: Timestamp
    /// The change.
    var entry: Entry
}
