// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The notes about a key between calls: the last block height of its chain, and the last nonce.
///
/// They reveal false answers of a node. With a false height, a delegate action would be valid for
/// longer than a person saw. With a false nonce, transactions that wait to be sent would become
/// invalid.
package struct NEARKeyMemory: Sendable {
    private let subject: Note.Subject
    private let network: String
    private let height: UInt64?
    private let time: Int64?
    private let nonce: UInt64?

    /// The maximum number of blocks in a second, on average and for a short time.
    private static let blocksPerSecond: (ever: UInt64, lately: UInt64) = (2, 4)
    /// The later of the two first blocks, and a time before both, in Unix seconds.
    private static let start = (height: UInt64(42_376_888), seconds: Int64(1_595_000_000))
    /// The number of blocks by which clocks may differ.
    private static let slack: UInt64 = 10_000
    /// The amount by which other wallets may have raised a nonce unnoticed.
    private static let nonceStepMax: UInt64 = 1_000_000

    /// Reads the notes.
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

    /// True if the chain can have reached this height by now.
    package func isPlausible(atHeight height: UInt64, now: Timestamp) -> Bool {
        let ever = Self.seconds(from: Self.start.seconds, to: now)
        guard height <= Self.start.height + ever * Self.blocksPerSecond.ever else { return false }
        guard let last = self.height, let time else { return true }
        let lately = Self.seconds(from: time, to: now)
        return height <= last + lately * Self.blocksPerSecond.lately + Self.slack
    }

    /// Returns the seconds since `start`, limited so that later products cannot overflow.
    private static func seconds(from start: Int64, to now: Timestamp) -> UInt64 {
        let (seconds, isOver) = now.seconds.subtractingReportingOverflow(start)
        return isOver ? 0 : min(UInt64(clamping: seconds), 1 << 40)
    }

    /// True if a nonce is far above the last one used here.
    package func isJump(to nonce: UInt64) -> Bool {
        self.nonce.map { nonce > $0 + Self.nonceStepMax } ?? false
    }

    /// Returns the notes of a call: the nonce, and the height and time if the height is not lower.
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

/// The use of an access key by a call, in the terms of its permissions on the chain.
package enum NEARKeyUse: Hashable, Sendable {
    /// A message, which represents the whole account (NEP-413).
    case message
    /// A transaction or delegate action with exactly one call and no deposit.
    case call(receiver: String, method: String)
    /// Any other transaction or delegate action.
    case anything

    /// Creates the use for one transaction or delegate action.
    package init(_ actions: [NEARAction], of receiver: String) {
        if actions.count == 1, case .functionCall(let call) = actions[0], call.deposit == 0 {
            self = .call(receiver: receiver, method: call.method)
        } else {
            self = .anything
        }
    }
}
