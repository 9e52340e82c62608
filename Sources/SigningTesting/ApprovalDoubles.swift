// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// An approver with a fixed behaviour.
public struct FixedApproval: Approval {
    /// The behaviour of the approver.
    public enum Behaviour: Sendable {
        /// Approves the question asked.
        case approve
        /// Approves, but names another question.
        case approveSomethingElse
        /// Denies.
        case deny
        /// Approves or denies, and wants the answer remembered.
        case remember(Grant.Answer, Remembering)
        /// Approves, and grants these of the client's wishes.
        case grant(Set<Int>, Remembering)
        /// Cannot ask.
        case unavailable
        /// Never answers; returns only when cancelled.
        case silent
        /// Approves after this many milliseconds.
        case slow(milliseconds: Int)
    }

    private let behaviour: Behaviour

    /// Creates an approver.
    public init(_ behaviour: Behaviour) { self.behaviour = behaviour }

    /// Answers according to the behaviour.
    public func decide(
        _ question: ApprovalQuestion
    ) async throws(ApprovalError) -> ApprovalAnswer {
        switch behaviour {
        case .approve: return .approved(question.binding)
        case .approveSomethingElse: return .approved(Self.other(question.binding))
        case .deny: return .denied()
        case .remember(.yes, let wish): return .approved(question.binding, remembering: wish)
        case .remember(.no, let wish): return .denied(remembering: wish)
        case .grant(let places, let wish):
            return .approved(question.binding, granting: GrantedWishes(places, for: wish))
        case .unavailable: throw .unavailable
        case .silent:
            try? await Task.sleep(for: .seconds(3_600))
            throw .timedOut
        case .slow(let milliseconds):
            try? await Task.sleep(for: .milliseconds(milliseconds))
            return .approved(question.binding)
        }
    }

    private static func other(_ binding: ApprovalBinding) -> ApprovalBinding {
        ApprovalBinding(
            nonce: binding.nonce.reversed() + [0], requestDigest: binding.requestDigest,
            policyHash: binding.policyHash, keys: binding.keys, expires: binding.expires)
    }
}

/// A question as a hub would ask it, for tests of approvals.
public enum SampleQuestion {
    /// Creates a question about one signature that a client requests.
    public static func make(
        title: String = "sign a note", client: String = "https://app.example",
        dangers: [Danger] = [], expires: Timestamp = Timestamp(seconds: 1_790_000_120)
    ) -> ApprovalQuestion {
        ApprovalQuestion(
            binding: ApprovalBinding(
                nonce: [UInt8](repeating: 1, count: 16),
                requestDigest: [UInt8](repeating: 2, count: 32),
                policyHash: [UInt8](repeating: 3, count: 32), keys: [KeyID("key")],
                expires: expires),
            act: .sign, summary: Summary(title: title, lines: [], warnings: []),
            client: Client(id: client, name: nil, proof: .claimed), accounts: [],
            effects: [.publishes], dangers: dangers)
    }
}
