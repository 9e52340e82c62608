// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import SigningStorage

/// How questions to several people are put in words, and who is told that one waits.
public struct JointWords: Sendable {
    /// All that a person is shown of a question, to the last byte.
    public let text: @Sendable (ApprovalQuestion) -> String
    /// Told once a question waits: its digest in hexadecimal digits, and whom it asks.
    public let told: @Sendable (_ digest: String, _ demands: [ApproverDemand]) -> Void
    /// Runs the asking; a command cancels it when a signal ends the command, which takes the
    /// question back.
    public let running: @Sendable (@escaping Asking) async throws(ApprovalError) -> JointAnswers

    /// Puts a question before people and waits for their answers.
    public typealias Asking = @Sendable () async throws(ApprovalError) -> JointAnswers

    /// Puts these together.
    public init(
        text: @escaping @Sendable (ApprovalQuestion) -> String,
        told: @escaping @Sendable (String, [ApproverDemand]) -> Void = { _, _ in },
        running:
            @escaping @Sendable (@escaping Asking) async throws(ApprovalError)
            -> JointAnswers = { (asking) async throws(ApprovalError) in try await asking() }
    ) {
        self.text = text
        self.told = told
        self.running = running
    }
}

/// Lays questions to several people into the ledger, where each finds them, and waits for their
/// signed answers there.
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

    /// Where nobody has words for a question, none is asked.
    var canAsk: Bool { words != nil }

    func decide(
        _ question: ApprovalQuestion, demands: [ApproverDemand]
    ) async throws(ApprovalError) -> JointAnswers {
        guard let words else { throw .unavailable }
        let ownKeys: [[UInt8]]
        do throws(ServiceError) {
            ownKeys = try vault.ownApprovers(onRecordOf: ledger)
        } catch {
            throw .unavailable
        }
        let text = words.text(question)
        let retired = (try? ledger.retiredApprovers()) ?? []
        let isMeetable = demands.allSatisfy { $0.isMeetable(besides: ownKeys, retired: retired) }
        // Nothing is cut, and nobody waits for those who cannot be enough.
        guard text.utf8.count <= JointQuestion.textBytesMax, isMeetable else {
            throw .unavailable
        }
        let joint = JointQuestion(
            binding: question.binding, text: text,
            totals: question.totals.map { "\($0.amount) \($0.asset.id)" }, demands: demands,
            ownKeys: ownKeys)
        return try await words.running { () async throws(ApprovalError) in try await ask(joint) }
    }

    /// Puts a question where its approvers find it, and waits.
    func ask(_ joint: JointQuestion) async throws(ApprovalError) -> JointAnswers {
        let digest = JointRecord.digest(of: joint)
        let isPut: Bool
        do throws(LedgerError) {
            isPut = try await ledger.put(joint, at: SystemEnvironment().now())
        } catch {
            // Others may see it all the same.
            await withdraw(digest)
            throw .unavailable
        }
        guard isPut else { throw .tooMany }
        words?.told(digest.hexText, joint.demands)
        do throws(ApprovalError) {
            return try await answers(to: joint, digest)
        } catch {
            await withdraw(digest)
            throw error
        }
    }

    /// Takes a question back that was not used.
    func withdraw(_ digest: [UInt8]) async { try? await ledger.withdraw(digest) }

    /// Looks again and again until the answers decide; a question that is given up is taken back.
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
            switch waiting?.standing(by: check) {
            case .approved(let yeses):
                // Nobody takes it any more.
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

    /// Others may answer at other hubs, and where no agent runs nobody else here takes that in.
    private func catchUp() async {
        await withTaskExecutorPreference(BlockingThreads.shared) {
            // What keeps it back is told where the record is written.
            _ = try? ledger.catchUp(after: Self.copyAge)
        }
    }

    /// How old what is known of other hubs may be.
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
    /// The approver keys that count as own: this vault's, which are put on record where hubs share
    /// it, and those of the other hubs that sign.
    func ownApprovers(onRecordOf ledger: SQLiteLedger) throws(ServiceError) -> [[UInt8]] {
        let keys = try ServiceError.wrapping { () throws(VaultError) in
            try approverKeys().map(\.publicKey)
        }
        return try ServiceError.wrapping { () throws(LedgerError) in
            try ledger.putOnRecord(ownApprovers: keys, at: SystemEnvironment().now())
            return Array(try ledger.ownApprovers().union(keys))
        }
    }

    /// The same as far as it is known, without writing anything.
    func knownOwnApprovers(in ledger: SQLiteLedger) throws(ServiceError) -> [[UInt8]] {
        let keys = try ServiceError.wrapping { () throws(VaultError) in
            try approverKeys().map(\.publicKey)
        }
        return try ServiceError.wrapping { () throws(LedgerError) in
            Array(try ledger.ownApprovers().union(keys))
        }
    }
}
