// SPDX-License-Identifier: Apache-2.0

extension Stop {
    static let late = Stop.failed(
        Reason(
            .ledgerUnavailable, "too much time passed between recording and signing; ask again"))

    var reason: Reason {
        switch self {
        case .denied(let reason, _), .failed(let reason): reason
        case .refused(let error): Reason(.lookupFailed, error.reason)
        case .chosen: Reason(.keyUnavailable, "the chosen account was removed")
        }
    }

    var kind: String {
        switch self {
        case .denied: "denied"
        case .failed, .refused, .chosen: "failed"
        }
    }

    init(_ error: LedgerError) {
        self =
            switch error {
            case .limitExceeded(let counter):
                .denied(Reason(.limitExceeded, "the limit \(counter) is used up"))
            case .replayed: .denied(Reason(.replayed, "this request was answered before"))
            case .frozen:
                .denied(Reason(.frozen, "the owner froze all signing until \"countersign thaw\""))
            case .policyChanged:
                .denied(Reason(.policyChanged, "the policy changed meanwhile; ask again"))
            case .personDenied(let name):
                .denied(Reason(.personDenied, "denied by the approver \(name)"))
            case .grantChanged:
                .denied(Reason(.policyChanged, "a remembered answer changed meanwhile; ask again"))
            case .connectionEnded:
                .denied(Reason(.policyChanged, "the client was disconnected meanwhile"))
            case .unavailable, .corrupt, .corruptLog, .notApproved:
                .failed(Reason(.ledgerUnavailable, "the ledger cannot be written"))
            }
    }

    init(_ error: KeyStoreError) {
        self =
            switch error {
            case .unknownKey: .failed(Reason(.keyUnavailable, "the key was removed"))
            case .locked: .failed(Reason(.keyUnavailable, "the vault is locked"))
            case .declined: .denied(Reason(.personDenied, "the passphrase was not given"))
            case .unavailable(let text): .failed(Reason(.keyUnavailable, text))
            case .damaged(let name):
                .failed(Reason(.keyUnavailable, "the record of \"\(name)\" was damaged or changed"))
            case .forgedGrant(let id):
                .denied(Reason(.policyDenied, "the vault does not confirm remembered answer \(id)"))
            case .foreignPolicy:
                .denied(Reason(.policyChanged, "another policy is in force; ask again"))
            case .domain: .denied(Reason(.domainRefused, "the key does not sign these bytes"))
            case .unsupportedOperation:
                .denied(Reason(.domainRefused, "the key does not support this operation"))
            case .unknownAlgorithm(_, let id):
                .failed(Reason(.keyUnavailable, "this program does not support \(id) keys"))
            case .invalidPeer:
                .failed(Reason(.invalidPeer, "the other side's public key is not valid"))
            case .undecryptable: .failed(Reason(.undecryptable, "could not decrypt"))
            case .failed: .failed(Reason(.keyFailed, "the key operation failed"))
            }
    }
}

extension Reason {
    static let pendingConflict = Reason(
        .pendingConflict, "another request with this id waits for its answer")

    static let servedOtherwise = Reason(
        .policyChanged, "the settings of this client changed meanwhile; ask again")
}

extension KeyStoreError {
    /// True if a secret key may have been used before this error.
    var mayHaveUsedKey: Bool {
        switch self {
        case .failed, .undecryptable: true
        case .unknownKey, .locked, .declined, .unavailable, .damaged, .forgedGrant, .foreignPolicy,
            .domain, .unsupportedOperation, .unknownAlgorithm, .invalidPeer:
            false
        }
    }
}

extension KeyResult {
    /// The result's bytes, hashed for the record.
    var bytes: [UInt8] {
        switch self {
        case .publicKey(let bytes), .signature(let bytes, _), .ciphertext(let bytes),
            .plaintext(let bytes), .passkey(let bytes):
            bytes
        }
    }
}
