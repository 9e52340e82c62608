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
        case .success(.approved(let approved)):
            // A yes to anything else, or one that came late, is no yes.
            guard approved == binding else {
                throw .denied(Reason(.personDenied, "the approval was for another request"))
            }
            guard environment.now() <= binding.expires else { throw .denied(.timedOut) }
            return .person
        case .success(.denied): throw .denied(Reason(.personDenied, "denied by a person"))
        case .failure(.unavailable):
            throw .denied(
                Reason(
                    .approvalUnavailable,
                    "a person must approve this and none can be asked here"
                        + (reasons.first.map { " (\($0.text))" } ?? ""),
                    rule: reasons.first?.rule))
        case .failure(.timedOut): throw .denied(.timedOut)
        }
    }

    private typealias Heard = Result<ApprovalAnswer, ApprovalError>

    /// Races the approver against the time limit.
    private func answer(to question: ApprovalQuestion) async -> Heard {
        await withTaskGroup(of: Heard.self) { [approval, approvalSeconds] group in
            group.addTask {
                do throws(ApprovalError) {
                    return .success(try await approval.decide(question))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                // Cancelled as soon as the approver has answered.
                try? await Task.sleep(for: .seconds(approvalSeconds))
                return .failure(.timedOut)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.timedOut)
        }
    }
}

extension Reason {
    fileprivate static let timedOut = Reason(.approvalTimedOut, "nobody approved in time")
}
