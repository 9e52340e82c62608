// SPDX-License-Identifier: Apache-2.0

import Algorand

extension AlgorandRefusal.Kind {
    /// The error code of ARC-27, or of ARC-60 for requests of that form.
    var code: Int64 {
        switch self {
        case .unknown: 4000
        case .methodCanceled: 4001
        case .methodTimedOut: 4002
        case .methodNotSupported: 4003
        case .networkNotSupported: 4004
        case .unauthorizedSigner: 4100
        case .invalidInput: 4200
        case .invalidGroupID: 4201
        case .failedToPost: 4300
        case .invalidScope: 4600
        case .failedDecoding: 4602
        case .invalidSigner: 4603
        case .missingDomain: 4607
        case .missingAuthenticatorData: 4608
        case .badJSON: 4609
        case .failedDomainAuth: 4610
        }
    }
}
