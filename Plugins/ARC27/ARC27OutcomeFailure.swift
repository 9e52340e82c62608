// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension AlgorandRefusal {
    /// Creates the error for a denied or failed request, without rules and amounts.
    init(_ code: ReasonCode, method: String) {
        let data: JSON = ["method": .string(method)]
        switch code {
        case .policyDenied, .unknownFact:
            self.init(.methodCanceled, "the owner's policy does not allow this", data: data)
        case .personDenied: self.init(.methodCanceled, "the owner said no", data: data)
        case .limitExceeded:
            self.init(.methodCanceled, "a limit of the owner is used up; try later", data: data)
        case .tooManyQuestions:
            self.init(
                .methodCanceled, "too many requests wait for the owner; try later", data: data)
        case .pendingConflict:
            self.init(.methodCanceled, "another request with this id waits", data: data)
        case .replayed: self.init(.methodCanceled, "this was answered before", data: data)
        case .frozen: self.init(.methodCanceled, "the owner stopped all signing", data: data)
        case .policyChanged:
            self.init(
                .methodCanceled, "the policy, the account or your session changed; ask again",
                data: data)
        case .approvalUnavailable:
            // The code lets a script stop asking while no approver is available.
            let message = "\(code.rawValue): the owner must approve this and cannot be asked now"
            self.init(.methodCanceled, message, data: data)
        case .approvalTimedOut:
            self.init(.methodTimedOut, "the owner did not answer in time", data: data)
        case .withdrawn:
            self.init(.methodCanceled, "withdrawn before the owner answered", data: data)
        case .domainRefused, .invalidPeer:
            self.init(.invalidInput, "the key does not sign these bytes")
        case .undeliverable:
            self.init(.unknown, "the answer is larger than one frame; ask for less at a time")
        case .keyUnavailable: self.init(.unknown, "the key is locked or cannot be read")
        case .policyUnavailable, .ledgerUnavailable, .undecryptable, .keyFailed, .lookupFailed:
            self.init(.unknown, "the hub could not do it; the owner's record says why")
        }
    }
}
