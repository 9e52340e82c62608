// SPDX-License-Identifier: Apache-2.0

import SigningService
import Synchronization

/// The app's own way to ask its user, who says yes for a day.
final class Person: Approval {
    private let questions = Mutex(0)

    /// The number of questions so far.
    var questionsCount: Int { questions.withLock { $0 } }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        questions.withLock { $0 += 1 }
        // An app shows `question.summary` here.
        return .approved(question.binding, remembering: Remembering(.day))
    }
}
