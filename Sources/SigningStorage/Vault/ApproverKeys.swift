// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// A key by which a person says yes or no to what others are asked.
///
/// It is kept as the keys of transports are, and signs nothing but such answers: no request of a
/// client leads to it.
package struct ApproverKey: Hashable, Sendable {
    /// What its owner calls it.
    package let name: String
    /// The Ed25519 public key, 32 bytes.
    package var publicKey: [UInt8] { record.publicKey }
    private let record: TransportRecord

    /// The name by which the vault knows such keys.
    static let transport = "approver"
    /// The most of one home.
    static let countMax = 16

    fileprivate init(_ record: TransportRecord) {
        self.record = record
        name = String(decoding: record.body, as: UTF8.self)
    }

    /// Answers a question; needs an unlocked vault.
    ///
    /// Nothing else signs by such a key, so that people are kept here from a yes to what poses as
    /// something else, and from any answer to what no hub can have written.
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

    /// All that such a key signs.
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

    /// Makes an approver key; needs an unlocked vault.
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

    /// Deletes an approver key for good.
    package func remove(_ key: ApproverKey) throws(VaultError) {
        try removeTransportKey(key.publicKey)
    }
}
