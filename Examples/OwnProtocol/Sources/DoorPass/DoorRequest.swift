// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// A request for a pass.
public struct DoorRequest: SignRequest {
    /// The only operation, a signature.
    public let operations: [RequestedOperation]
    /// The facts: the door and the duration.
    public let facts: [Fact]
    /// The dangers: a pass for every door.
    public let dangers: [Danger]

    let pass: Pass
    private let account: Account
    private let minutes: Int64

    /// The protocol id, `door`.
    public var protocolID: ProtocolID { DoorAdapter.protocolID }
    /// The one method of the wire.
    public var method: String { DoorAdapter.method }
    /// Nil: the wire does not name a client.
    public var client: Client? { nil }
    /// The effects: the holder of the pass is taken for the owner of the key.
    public var effects: [Effect] { [.provesIdentity] }
    /// Always `full`: every signed byte is understood.
    public var decoding: Decoding { .full }
    /// Nil: a repeated pass gives no additional access.
    public var replayToken: ReplayToken? { nil }

    init(_ pass: Pass, by account: Account, now: Timestamp) {
        self.pass = pass
        self.account = account
        // A minute that has begun counts as a whole one.
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

    /// The summary for a person.
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
