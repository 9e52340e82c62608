// SPDX-License-Identifier: Apache-2.0

extension Stop {
    static let late = Stop.failed(
        Reason(
            .ledgerUnavailable, "too long went by between the record and the key; ask again"))

    var reason: Reason {
        switch self {
        case .denied(let reason, _), .failed(let reason): reason
        case .refused(let error): Reason(.lookupFailed, error.reason)
        case .chosen: Reason(.keyUnavailable, "the account that was chosen is gone")
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
            case .frozen: .denied(Reason(.frozen, "the owner stopped all signing"))
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
            case .unknownKey: .failed(Reason(.keyUnavailable, "the key is gone"))
            case .locked: .failed(Reason(.keyUnavailable, "the vault is locked"))
            case .declined: .denied(Reason(.personDenied, "nobody gave the passphrase"))
            case .unavailable: .failed(Reason(.keyUnavailable, "the vault cannot be read"))
            case .damaged(let name):
                .failed(Reason(.keyUnavailable, "the record of \"\(name)\" was damaged or changed"))
            case .forgedGrant(let id):
                .denied(Reason(.policyDenied, "nobody vouches for the remembered answer \(id)"))
            case .foreignPolicy:
                .denied(Reason(.policyChanged, "another policy is in force; ask again"))
            case .domain: .denied(Reason(.domainRefused, "these bytes are not what the key signs"))
            case .unsupportedOperation:
                .denied(Reason(.domainRefused, "the key does not offer this operation"))
            case .invalidPeer:
                .failed(Reason(.invalidPeer, "the other side's public key is not a key"))
            case .undecryptable: .failed(Reason(.undecryptable, "could not decrypt"))
            case .failed: .failed(Reason(.keyFailed, "the key operation failed"))
            }
    }
}

extension KeyStoreError {
    /// True if secret material may have been used before this error.
    var mayHaveUsedKey: Bool {
        switch self {
        case .failed, .undecryptable: true
        case .unknownKey, .locked, .declined, .unavailable, .damaged, .forgedGrant, .foreignPolicy,
            .domain,
            .unsupportedOperation, .invalidPeer:
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
