// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

/// A key with which a person approves or denies questions to several approvers.
///
/// The vault stores approver keys like transport keys. They sign only such answers: no request of a
/// client can use them.
package struct ApproverKey: Hashable, Sendable {
    /// The owner's name for the key.
    package let name: String
    /// The Ed25519 public key, 32 bytes.
    package var publicKey: [UInt8] { record.publicKey }
    private let record: TransportRecord

    /// The transport name under which the vault stores such keys.
    static let transport = "approver"
    /// The maximum number of approver keys in one home.
    static let countMax = 16

    fileprivate init(_ record: TransportRecord) {
        self.record = record
        name = String(decoding: record.body, as: UTF8.self)
    }

    /// Signs an answer to a question; needs an unlocked vault.
    ///
    /// Throws for a question that is ambiguous or that no hub can have written. All signatures of
    /// approver keys are made here, so that no such question can be answered.
    package func answer(
        _ question: JointQuestion, isYes: Bool, in vault: Vault,
        at now: Timestamp = SystemEnvironment().now()
    ) throws(VaultError) -> JointAnswer {
        guard question.isPossible, question.endsInTime(after: now) else {
            throw .refusedQuestion("a number, a length or a time in it is beyond its limit")
        }
        guard !isYes || question.isOfOneKind else {
            throw .refusedQuestion(JointAnswerError.ambiguous.text)
        }
        let key = try vault.open(record, signing: Self.domain).key
        let statement = question.statement(
            digest: JointRecord.digest(of: question), isYes: isYes, by: publicKey)
        do throws(KeyStoreError) {
            let input = SigningInput(domain: Self.domain.id, preimage: statement)
            guard case .signature(let signature, _) = try key.perform(.sign(input)) else {
                throw .failed
            }
            return JointAnswer(publicKey: publicKey, isYes: isYes, signature: signature)
        } catch {
            throw .corruptedRecord(name)
        }
    }

    /// The signing domain of approver keys.
    private static let domain = SigningDomain(
        id: SigningDomain.ID("approver/answer"), protocolID: ProtocolID("approver"),
        algorithm: .ed25519, prehash: .none, prefix: JointAnswer.prefix
    ) { preimage, publicKey in preimage.suffix(publicKey.count).elementsEqual(publicKey) }
}

extension Vault {
    /// The approver keys of this home, oldest first.
    package func approverKeys() throws(VaultError) -> [ApproverKey] {
        try transportRecords(of: ApproverKey.transport).map { ApproverKey($0) }
    }

    /// Creates an approver key; needs an unlocked vault.
    package func makeApproverKey(named name: String) throws(VaultError) -> ApproverKey {
        try Self.checkName(name)
        let known = try approverKeys()
        guard !known.contains(where: { $0.name == name }) else { throw .alreadyExists(name) }
        guard known.count < ApproverKey.countMax else {
            throw .storage("there are \(ApproverKey.countMax) approver keys already")
        }
        return ApproverKey(
            try addTransportKey(of: ApproverKey.transport, signing: .ed25519) { _ in
                Array(name.utf8)
            })
    }

    /// Deletes an approver key irrevocably.
    package func remove(_ key: ApproverKey) throws(VaultError) {
        try removeTransportKey(key.publicKey)
    }
}
