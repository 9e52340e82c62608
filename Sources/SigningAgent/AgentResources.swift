// SPDX-License-Identifier: Apache-2.0

package import LiquidAuth
package import SigningService
internal import SigningStorage
package import Socket

extension Agent {
    /// What an agent serves beside requests.
    ///
    /// `signer` is that of the home. `desk` runs connections to pages, where there are any. `lock`
    /// locks the vault; with it end the sessions of its owner.
    package static func resources(
        of owner: OwnerCheck, in home: OpenHome, by signer: LocalSigner,
        asking board: QuestionQueue, connecting service: LiquidService? = nil,
        lock: @escaping @Sendable () -> Void
    ) -> [any SocketResource] {
        board.check { [signer] question in signer.obstacle(to: question) }
        let sessions = OwnerSessions(vault: { home.vault.unlocking })
        let readers = Readers(sessions: sessions, authenticator: TokenAuthenticator(of: signer))
        return [
            OwnerResource(owner) {
                lock()
                // Whose session has ended by that hears of it.
                board.announce()
            }, OwnerSessionResource(sessions, of: owner),
            QuestionResource(board, for: sessions),
            ApprovalResource(
                ApproverInbox(of: home, signer.ledger), telling: board, for: sessions),
            RecordResource(
                of: home, by: signer, for: readers, schemas: board.schemas,
                telling: board.events),
            EventResource(board.events, for: readers),
            HomeResource(of: home, by: signer, knowing: sessions),
            LiquidResource(service, in: home, for: sessions),
        ]
    }
}
