// SPDX-License-Identifier: Apache-2.0

package import LiquidAuth
package import SigningService
internal import SigningStorage
internal import SigningVault
package import Socket

extension Agent {
    /// The resources of an agent beside requests.
    ///
    /// `signer` belongs to the home. `events` publishes what is removed from the record.
    /// `service` runs connections to pages; nil for none. `terminalMinutes` is how long a terminal
    /// session with the passphrase is remembered. `lock` locks the vault, which also ends the
    /// owner's sessions.
    package static func resources(
        of owner: OwnerCheck, in home: OpenHome, by signer: LocalSigner,
        asking queue: QuestionQueue, reportingBy events: RecordEvents,
        connecting service: LiquidService? = nil,
        remembering terminalMinutes: Int = OwnerTerminals.minutesDefault,
        lock: @escaping @Sendable () -> Void
    ) -> [any SocketResource] {
        queue.check(
            by: { [signer] question in signer.obstacle(to: question) },
            whileVisible: { home.vault.isUnlocked })
        let terminals = OwnerTerminals(
            minutes: terminalMinutes, vault: { home.vault.unlocking },
            freeze: { [signer] in try? signer.ledger.newestFreeze() })
        let sessions = OwnerSessions(endingWith: terminals, vault: { home.vault.unlocking })
        let readers = Readers(sessions: sessions, authenticator: TokenAuthenticator(of: signer))
        return [
            OwnerResource(owner, remembering: terminals) {
                lock()
                // The sessions have ended too, so their waiting clients must check again.
                queue.announce()
            }, OwnerSessionResource(sessions, of: owner, remembering: terminals),
            OwnerTerminalResource(terminals, opening: sessions),
            QuestionResource(queue, for: sessions),
            ApprovalResource(
                ApproverInbox(of: home, signer.ledger), reportingTo: queue, for: sessions),
            RecordResource(
                of: home, by: signer, for: readers, schemas: queue.schemas,
                reportingBy: events),
            EventResource(queue.events, for: readers),
            HomeResource(of: home, by: signer, knowing: sessions),
            LiquidResource(service, in: home, for: sessions),
        ]
    }
}
