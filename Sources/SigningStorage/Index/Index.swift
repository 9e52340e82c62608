// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The tables that follow from the entries of the record; only this type changes them.
///
/// A replay of all entries into empty tables gives the same rows. So a change depends on its entry,
/// the entry's place and the tables alone: on no clock, no randomness, no hash order, no setting.
/// Entries before format 17 state less: an entry of kind `carry` names what the tables were to have
/// besides. The tables `questions` and `writers` follow from no entries; `blobs` has bytes that
/// entries name; `local`, `checkpoints`, `log_places` and `hub_statements` belong to this machine.
struct Index: ~Copyable {
    let access: Access<LedgerError>

    /// Creates the index of a ledger that is open for changes.
    init(of ledger: borrowing Access<LedgerError>) { access = Access(of: ledger) }

    /// Makes the changes of the tables that an entry at this place of the chain stands for.
    func apply(
        _ entry: Entry, at head: AuditHead, _ bytes: NamedBytes = .none
    ) throws(LedgerError) {
        try use(entry.approval, at: head)
        switch entry {
        case .intent(let intent): try apply(intent, at: head)
        case .result(let result): try apply(result, at: head, bytes)
        case .refusal(let refusal): try insert(refusal.remembers, at: head)
        case .freeze(let freeze): try set("frozen", to: freeze.reason)
        case .thaw: try clear("frozen")
        case .revoke(let revoke):
            try self.revoke(revoke.grants, at: head.time)
            for id in revoke.connections ?? [] { try end(connection: id) }
        case .attest(let attest): try apply(attest, at: head)
        case .broadcast(let broadcast): try apply(broadcast)
        case .accept(let mark): try accept(mark, at: head)
        case .repair(let repair): try apply(repair, at: head)
        case .archive(let archive): try insert(archive.segment)
        case .hub(let hub): try apply(hub, at: head)
        case .approver(let approver): try apply(approver, at: head)
        case .carry(let carry): try apply(carry)
        case .draw(let draw): try apply(draw)
        case .ask(let ask): try apply(ask, at: head, bytes)
        case .answer(let answer): try apply(answer)
        case .withdraw(let questions): for digest in questions { try withdraw(digest) }
        case .export, .key: break
        }
    }

    /// Sets a value that exists once.
    func set(_ name: String, to value: String) throws(LedgerError) {
        try access.run("REPLACE INTO meta (name, value) VALUES (?, ?)", .text(name), .text(value))
    }

    /// Deletes a value that exists once.
    func clear(_ name: String) throws(LedgerError) {
        try access.run("DELETE FROM meta WHERE name = ?", .text(name))
    }
}
