// SPDX-License-Identifier: Apache-2.0

import Foundation
public import SigningService

/// A signer for the examples: a home in a new folder, whose owner says yes to each question.
///
/// It stands for the signer of a user, which is another program.
public final class ExampleSigner: Sendable {
    /// The account that signs.
    public let account: Account
    /// The signer of the home.
    public let local: LocalSigner
    private let path: String

    /// Makes the home with one key, and unlocks it.
    public init(
        _ chain: some Chain, _ wire: some ProtocolAdapter, account: String? = nil,
        network: String? = nil, couriers: [any Courier] = []
    ) throws {
        path =
            FileManager.default.temporaryDirectory.appending(path: "ask-\(UUID().uuidString)").path
        let passphrase = SecretBytes.random(count: 32)
        let parts = ProtocolSupport(chains: [chain], wires: [wire])
        try OpenHome.create(at: path, speaking: parts, passphrase: passphrase)
        let home = try OpenHome(at: path, speaking: parts)
        self.account = try home.makeKey(
            chain, name: "me", account: account, network: network, passphrase: passphrase)
        try home.attest(policy: "version = 2\ndefault = \"ask\"\n", passphrase: passphrase)
        local = try LocalSigner(of: home, asking: Person(), couriers: couriers)
        try local.unlock(passphrase: passphrase)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the reply to a frame of a client.
    public func reply(to frame: [UInt8]) async throws -> [UInt8] {
        let answer = await local.answer(Frame(bytes: frame, peer: .inProcess("app")), over: nil)
        guard case .message(let bytes) = answer.reply else { throw Unexpected("no reply") }
        return bytes
    }

    /// A user who says yes.
    private struct Person: Approval {
        func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
            .approved(question.binding)
        }
    }
}

/// A result that differs from the expected one.
public struct Unexpected: Error, CustomStringConvertible {
    /// The step and its result.
    public let description: String

    /// Makes the error.
    public init(_ text: String) { description = text }
}

/// Prints a step with its result; throws if it is not the expected one.
public func expect<Value: Equatable>(_ step: String, _ found: Value, _ wanted: Value) throws {
    guard found == wanted else { throw Unexpected("\(step): \(found)") }
    print("\(step): \(found)")
}
