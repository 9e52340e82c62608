// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningService
package import SigningStorage

/// Publishes what was revoked or ended in the record, by any process: the one place that does so.
package struct RecordEvents: Sendable {
    private let removals: Removals
    private let ring: EventRing

    /// Creates a publisher for a home, which reports to `ring` what is removed from now on.
    package init(of home: OpenHome, _ ledger: SQLiteLedger, reportingTo ring: EventRing) {
        removals = Removals(of: home, ledger)
        self.ring = ring
    }

    /// Publishes what was removed since the last look.
    func look() {
        for removal in removals.take() {
            let subject = removal.client.map {
                EventRing.Subject(client: $0.id, proof: $0.proof)
            }
            ring.publish(removal.event.rawValue, ["id": .string(removal.id)], about: subject)
        }
    }

    /// Looks after each change of the home until the task is cancelled.
    func keep(_ watch: HomeWatch) async {
        while !Task.isCancelled {
            let seen = watch.revision
            await withTaskExecutorPreference(BlockingThreads.shared) { look() }
            await watch.wait(after: seen)
        }
    }
}
