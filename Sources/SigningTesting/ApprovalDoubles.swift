// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// An approver that answers as it was made to.
public struct FixedApproval: Approval {
    /// How it behaves.
    public enum Behaviour: Sendable {
        /// Says yes to the question asked.
        case approve
        /// Says yes, but to another question.
        case approveSomethingElse
        /// Says no.
        case deny
        /// Says yes or no and wants it remembered.
        case remember(Grant.Answer, Remembering)
        /// Says yes and grants these of the client's wishes.
        case grant(Set<Int>, Remembering)
        /// Cannot ask.
        case unavailable
        /// Never answers; returns only when cancelled.
        case silent
        /// Says yes after this many milliseconds.
        case slow(milliseconds: Int)
    }

    private let behaviour: Behaviour

    /// Makes an approver.
    public init(_ behaviour: Behaviour) { self.behaviour = behaviour }

    /// Answers as it was made to.
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
