// SPDX-License-Identifier: Apache-2.0

package import LiquidAuth
package import SigningService
internal import SigningVault
package import Socket

extension Agent {
    /// The resources of an agent beside requests.
    ///
    /// `signer` belongs to the home. `events` publishes what is removed from the record.
    /// `service` runs connections to pages; nil for none. `lock` locks the vault, which also ends
    /// the owner's sessions.
    package static func resources(
        of owner: OwnerCheck, in home: OpenHome, by signer: LocalSigner,
        asking queue: QuestionQueue, reportingBy events: RecordEvents,
        connecting service: LiquidService? = nil,
        lock: @escaping @Sendable () -> Void
    ) -> [any SocketResource] {
        queue.check { [signer] question in signer.obstacle(to: question) }
        let sessions = OwnerSessions(vault: { home.vault.unlocking })
        let readers = Readers(sessions: sessions, authenticator: TokenAuthenticator(of: signer))
        return [
            OwnerResource(owner) {
                lock()
                // The sessions have ended too, so their waiting clients must check again.
                queue.announce()
            }, OwnerSessionResource(sessions, of: owner),
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
