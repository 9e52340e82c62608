// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// What the record keeps of a key between calls: how far its chain was, and the last nonce.
///
/// A node that lies about the height makes what it has signed count for longer than anybody was
/// shown; one that lies about the nonce ends what waits to be sent.
package struct NEARKeyMemory: Sendable {
    private let subject: Note.Subject
    private let network: String
    private let height: UInt64?
    private let time: Int64?
    private let nonce: UInt64?

    /// Blocks in a second that no chain makes more of, in the long run and for a while.
    private static let blocksPerSecond: (ever: UInt64, lately: UInt64) = (2, 4)
    /// The later of the two first blocks, and a time before both.
    private static let start = (height: UInt64(42_376_888), seconds: Int64(1_595_000_000))
    /// Blocks that clocks may be apart.
    private static let slack: UInt64 = 10_000
    /// By how much other wallets may have raised a nonce without a word.
    private static let nonceStepMax: UInt64 = 1_000_000

    /// Reads what is on record.
    package init(of account: Account, on network: String, in context: DecodingContext) {
        subject = .key(account.id)
        self.network = network
        func noted(_ name: String) -> UInt64? {
            context.noted("near/\(network)/\(name)", .key(account.id))
                .map { UInt64(clamping: $0.value) }
        }
        height = noted("height")
        time = noted("time").map(Int64.init(clamping:))
        nonce = noted("nonce")
    }

    /// Whether the chain can have come so far by now.
    package func canBe(atHeight height: UInt64, now: Timestamp) -> Bool {
        let ever = Self.seconds(from: Self.start.seconds, to: now)
        guard height <= Self.start.height + ever * Self.blocksPerSecond.ever else { return false }
        guard let last = self.height, let time else { return true }
        let lately = Self.seconds(from: time, to: now)
        return height <= last + lately * Self.blocksPerSecond.lately + Self.slack
    }

    /// From 0 up, and far below where anything made of it overflows, whatever the clock says.
    private static func seconds(from start: Int64, to now: Timestamp) -> UInt64 {
        let (seconds, isOver) = now.seconds.subtractingReportingOverflow(start)
        return isOver ? 0 : min(UInt64(clamping: seconds), 1 << 40)
    }

    /// Whether a nonce is far above what the key was at when it was last used here.
    package func isJump(to nonce: UInt64) -> Bool {
        self.nonce.map { nonce > $0 + Self.nonceStepMax } ?? false
    }

    /// What is kept of a call: the furthest height with its time, which a lower one does not
    /// take back, and the nonce.
    package func notes(_ found: NEARLookup.Found, at now: Timestamp) -> [Note] {
        func note(_ name: String, _ value: Int64) -> Note {
            Note(subject, "near/\(network)/\(name)", value)
        }
        var notes: [Note] = []
        if let last = found.nonces.max() { notes.append(note("nonce", Int64(clamping: last))) }
        if found.blockHeight >= height ?? 0 {
            notes.append(note("height", Int64(clamping: found.blockHeight)))
            notes.append(note("time", now.seconds))
        }
        return notes
    }
}
