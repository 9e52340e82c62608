// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import SigningFiles
internal import SigningStorage
internal import SigningVault

/// The texts and callbacks for questions to several people.
public struct JointWords: Sendable {
    /// Returns the complete text of a question.
    public let text: @Sendable (ApprovalQuestion) -> String
    /// Called once a question waits, with its digest in hexadecimal digits and its demands.
    public let onWaiting: @Sendable (_ digest: String, _ demands: [ApproverDemand]) -> Void
    /// Runs the asking; a command cancels it on a signal, which withdraws the question.
    public let running: @Sendable (@escaping Asking) async throws(ApprovalError) -> JointAnswers

    /// Puts a question before people and waits for their answers.
    public typealias Asking = @Sendable () async throws(ApprovalError) -> JointAnswers

    /// Makes it from its parts.
    public init(
        text: @escaping @Sendable (ApprovalQuestion) -> String,
        onWaiting: @escaping @Sendable (String, [ApproverDemand]) -> Void = { _, _ in },
        running:
            @escaping @Sendable (@escaping Asking) async throws(ApprovalError)
            -> JointAnswers = { (asking) async throws(ApprovalError) in try await asking() }
    ) {
        self.text = text
        self.onWaiting = onWaiting
        self.running = running
    }
}

/// Writes questions to several people into the ledger and waits there for their signed answers.
struct JointQuestions: SeveralPeople {
    private let ledger: SQLiteLedger
    private let vault: Vault
    private let words: JointWords?
    private static let pause = Duration.milliseconds(300)

    init(_ ledger: SQLiteLedger, _ vault: Vault, _ words: JointWords?) {
        self.ledger = ledger
        self.vault = vault
        self.words = words
    }

    /// True if there are texts for questions.
    var canAsk: Bool { words != nil }

    func decide(
        _ question: ApprovalQuestion, demands: [ApproverDemand]
    ) async throws(ApprovalError) -> JointAnswers {
        guard let words else { throw .unavailable }
        let ownKeys: [[UInt8]]
        do {
            ownKeys = try vault.ownApprovers(onRecordOf: ledger)
        } catch {
            throw .unavailable
        }
        let text = words.text(question)
        let retired = (try? ledger.retiredApprovers()) ?? []
        let isSatisfiable = demands.allSatisfy {
            $0.isSatisfiable(besides: ownKeys, retired: retired)
        }
        // The text is never cut, and a demand that cannot be met fails at once.
        guard text.utf8.count <= JointQuestion.textBytesMax, isSatisfiable else {
            throw .unavailable
        }
        let joint = JointQuestion(
            binding: question.binding, text: text,
            totals: question.totals.map { "\($0.amount) \($0.asset.id)" }, demands: demands,
            ownKeys: ownKeys)
        return try await words.running { () async throws(ApprovalError) in try await ask(joint) }
    }

    /// Writes a question where its approvers find it, and waits.
    func ask(_ joint: JointQuestion) async throws(ApprovalError) -> JointAnswers {
        let digest = JointRecord.digest(of: joint)
        let isStored: Bool
        do throws(LedgerError) {
            isStored = try await ledger.put(joint, at: SystemEnvironment().now())
        } catch {
            // Other hubs may see the question in spite of the error.
            await withdraw(digest)
            throw .unavailable
        }
        guard isStored else { throw .tooMany }
        words?.onWaiting(digest.hexText, joint.demands)
        do throws(ApprovalError) {
            return try await answers(to: joint, digest)
        } catch {
            await withdraw(digest)
            throw error
        }
    }

    /// Withdraws a question that was not used.
    func withdraw(_ digest: [UInt8]) async { try? await ledger.withdraw(digest) }

    /// Polls until the answers decide; a question that is given up is withdrawn.
    private func answers(
        to question: JointQuestion, _ digest: [UInt8]
    ) async throws(ApprovalError) -> JointAnswers {
        while true {
            let now = SystemEnvironment().now()
            let waiting: WaitingJointQuestion?
            let check: JointCheck
            do throws(LedgerError) {
                await catchUp()
                waiting = try ledger.jointQuestion(digest)
                check = JointCheck(
                    question, retired: try ledger.retiredApprovers(),
                    own: try ledger.ownApprovers(), at: now)
            } catch {
                throw .unavailable
            }
            switch waiting?.state(by: check) {
            case .approved(let yeses):
                // The client no longer waits for the answer.
                guard !Task.isCancelled else { throw .withdrawn }
                return JointAnswers(to: question, yeses)
            case .refused:
                await withdraw(digest)
                return JointAnswers(to: question, waiting?.answers.filter { !$0.isYes } ?? [])
            case .open, nil: break
            }
            guard now <= question.binding.expires else { throw .timedOut }
            guard (try? await Task.sleep(for: Self.pause)) != nil else { throw .withdrawn }
        }
    }

    /// Reads answers from other hubs, in case no agent does so.
    private func catchUp() async {
        await withTaskExecutorPreference(BlockingThreads.shared) {
            // A problem with the log is reported where the record is written.
            _ = try? ledger.catchUp(after: Self.copyAge)
        }
    }

    /// The greatest age of the data of other hubs.
    private static let copyAge = Duration.seconds(1)

    func check(
        _ question: JointQuestion, at now: Timestamp
    ) throws(ApprovalError) -> JointCheck {
        do throws(LedgerError) {
            return JointCheck(
                question, retired: try ledger.retiredApprovers(), own: try ledger.ownApprovers(),
                at: now)
        } catch {
            throw .unavailable
        }
    }
}

extension Vault {
    /// Returns the approver keys that count as own: this vault's keys and those of other signing
    /// hubs.
    ///
    /// If the record is shared, this vault's keys are recorded first.
    func ownApprovers(onRecordOf ledger: SQLiteLedger) throws -> [[UInt8]] {
        let keys = try approverKeys().map(\.publicKey)
        try ledger.putOnRecord(ownApprovers: keys, at: SystemEnvironment().now())
        return Array(try ledger.ownApprovers().union(keys))
    }

    /// Returns the known own approver keys without writing.
    func knownOwnApprovers(in ledger: SQLiteLedger) throws -> [[UInt8]] {
        let keys = try approverKeys().map(\.publicKey)
        return Array(try ledger.ownApprovers().union(keys))
    }
}
