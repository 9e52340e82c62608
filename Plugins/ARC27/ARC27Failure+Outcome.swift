// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension ARC27Failure {
    /// What a client learns of a request that was denied or failed.
    init(_ reason: Reason, method: String) {
        let data: JSON = ["method": .string(method)]
        switch reason.code {
        case .policyDenied, .personDenied, .limitExceeded, .unknownFact, .replayed, .frozen,
            .policyChanged:
            self.init(.methodCanceled, reason.text, data: data)
        case .approvalUnavailable:
            // The code tells a script that asking again cannot help while nobody is there.
            let message = "\(ReasonCode.approvalUnavailable.rawValue): \(reason.text)"
            self.init(.methodCanceled, message, data: data)
        case .approvalTimedOut: self.init(.methodTimedOut, reason.text, data: data)
        case .domainRefused: self.init(.invalidInput, reason.text)
        case .policyUnavailable, .ledgerUnavailable, .keyUnavailable, .undecryptable, .keyFailed:
            self.init(.unknown, reason.text)
        }
    }
}
