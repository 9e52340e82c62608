// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// A pass that somebody wants.
public struct DoorRequest: SignRequest {
    /// One signature.
    public let operations: [RequestedOperation]
    /// The door, and for how long.
    public let facts: [Fact]
    /// Whether it would open every door.
    public let dangers: [Danger]

    let pass: Pass
    private let account: Account
    private let minutes: Int64

    /// `door`.
    public var protocolID: ProtocolID { DoorAdapter.protocolID }
    /// The one method of the wire.
    public var method: String { DoorAdapter.method }
    /// Nobody: the wire does not say who asks.
    public var client: Client? { nil }
    /// Whoever has the pass goes for its maker.
    public var effects: [Effect] { [.provesIdentity] }
    /// Every byte that is signed is understood.
    public var decoding: Decoding { .full }
    /// None: the same pass twice opens no more than once.
    public var replayToken: ReplayToken? { nil }

    init(_ pass: Pass, by account: Account, now: Timestamp) {
        self.pass = pass
        self.account = account
        // A minute that has begun counts.
        minutes = (pass.until.seconds - now.seconds + 59) / 60
        let input = SigningInput(domain: DoorAdapter.domainID, preimage: pass.preimage)
        operations = [
            RequestedOperation(
                account: account, operation: .sign(input), facts: [], effects: [], dangers: [])
        ]
        facts = [
            Fact("door", .text(pass.door)), Fact("minutes", .integer(Int128(minutes))),
            Fact("until", .time(pass.until)),
        ]
        dangers = pass.door == Pass.anyDoor ? [DoorAdapter.anyDoor] : []
    }

    /// What a person is shown.
    public var summary: Summary {
        Summary(
            title: "Make a pass for a door",
            lines: [
                .init("key", account.address), .init("door", pass.door, by: .client),
                .init("until", "\(pass.until.utcText), \(minutes) min from now"),
            ],
            warnings: dangers.isEmpty ? [] : ["it opens every door"])
    }
}
