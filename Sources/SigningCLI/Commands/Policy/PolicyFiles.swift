// SPDX-License-Identifier: Apache-2.0

import SigningPolicy
import SigningService
import SigningWires

extension PolicyLoading {
    /// Reads a policy file; `isInForce` is true for a file that may have an older format.
    static func reading(
        _ path: String, for adapters: AdapterSet, isInForce: Bool = false
    ) throws -> Self {
        try load(path: path, adapters: adapters, isInForce: isInForce)
    }

    /// The policy; throws the findings if it cannot be used.
    func inUse(_ path: String) throws -> TOMLPolicy {
        try usable(path)
    }
}
