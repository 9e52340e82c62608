// SPDX-License-Identifier: Apache-2.0

/// Who said yes.
enum Consent: String {
    case policy
    case person
}

extension SigningHub {
    /// Step 6: who says yes; a person only where the policy asks for one.
    func consent(
        to decoded: Decoded<some SignRequest>, _ judgement: Judgement
    ) async throws(Stop) -> Consent {
        switch judgement.verdict {
        case .allow: return .policy
        case .ask(let reasons): return try await ask(about: decoded, judgement, reasons)
        case .deny(let reasons):
            throw .denied(reasons.first ?? Reason(.policyDenied, "denied by the policy"))
        }
    }

    /// Asks a person; the answer counts for this request alone.
    private func ask(
        about decoded: Decoded<some SignRequest>, _ judgement: Judgement, _ reasons: [Reason]
    ) async throws(Stop) -> Consent {
        let judged = decoded.judged
        let now = environment.now()
        let binding = ApprovalBinding(
            nonce: environment.randomBytes(16), requestDigest: decoded.digest,
            policyHash: judgement.policyHash, keys: judged.operations.map(\.account.id),
            expires: Timestamp(seconds: now.seconds + approvalSeconds))
        let question = ApprovalQuestion(
            binding: binding, summary: decoded.request.summary.completed(with: judged),
            client: judged.client,
            accounts: judged.operations.map(\.account), effects: judged.allEffects,
            dangers: judged.allDangers, reasons: reasons)
        switch await answer(to: question) {
        case .approved(let approved):
            // A yes to anything else, or one that came late, is no yes.
            guard approved == binding else {
                throw .denied(Reason(.personDenied, "the approval was for another request"))
            }
            guard environment.now() <= binding.expires else { throw .denied(.timedOut) }
            return .person
        case .denied: throw .denied(Reason(.personDenied, "denied by a person"))
        case .error(.unavailable):
            throw .denied(
                Reason(
                    .approvalUnavailable, "a person must approve this and none can be asked here",
                    rule: reasons.first?.rule))
        case .error(.timedOut): throw .denied(.timedOut)
        }
    }

    private enum Heard: Sendable {
        case approved(ApprovalBinding)
        case denied
        case error(ApprovalError)
    }

    /// Races the approver against the time limit.
    private func answer(to question: ApprovalQuestion) async -> Heard {
        await withTaskGroup(of: Heard.self) { [approval, approvalSeconds] group in
            group.addTask { await Self.hear(approval, question) }
            group.addTask {
                // Cancelled as soon as the approver has answered.
                try? await Task.sleep(for: .seconds(approvalSeconds))
                return .error(.timedOut)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .error(.timedOut)
        }
    }

    private static func hear(_ approval: any Approval, _ question: ApprovalQuestion) async -> Heard
    {
        do throws(ApprovalError) {
            switch try await approval.decide(question) {
            case .approved(let binding): return .approved(binding)
            case .denied: return .denied
            }
        } catch {
            return .error(error)
        }
    }
}

extension Reason {
    fileprivate static let timedOut = Reason(.approvalTimedOut, "nobody approved in time")
}
