// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import Synchronization

/// Counts the requests of a signer that were denied or failed, by reason.
package final class EndingTally: Sendable {
    /// The counts of one kind of ending, by reason code.
    package typealias Counts = [ReasonCode: Int]

    private let counts = Mutex<(denied: Counts, failed: Counts)>(([:], [:]))

    /// Counts an answer; repetitions of an answer are not counted.
    func count(_ answer: Answer) {
        guard !answer.isRepeated, case .outcome(let outcome) = answer.ending else { return }
        counts.withLock { counts in
            switch outcome {
            case .done: break
            case .denied(let reason): counts.denied[reason.code, default: 0] += 1
            case .failed(let reason): counts.failed[reason.code, default: 0] += 1
            }
        }
    }

    /// The number of denied requests by reason.
    package var denied: Counts { counts.withLock { $0.denied } }

    /// The number of failed requests by reason.
    package var failed: Counts { counts.withLock { $0.failed } }
}
