// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningPolicy
import SigningService

extension PolicyLoading {
    /// Reads a policy file that a command names; `isInForce` where it may be an old one.
    static func reading(
        _ path: String, for adapters: AdapterSet, isInForce: Bool = false
    ) throws(CLIError) -> Self {
        try CLIError.wrapping { () throws(ServiceError) in
            try load(path: path, adapters: adapters, isInForce: isInForce)
        }
    }

    /// The policy, where it can be used.
    func inUse(_ path: String) throws(CLIError) -> TOMLPolicy {
        try CLIError.wrapping { () throws(ServiceError) in try usable(path) }
    }
}
