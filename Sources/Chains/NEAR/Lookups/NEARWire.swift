// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// A wire of NEAR, as its courier knows it.
package protocol NEARWire: LooksUp where Need == NEARLookupNeed, Lookup == NEARLookup {
    /// The refusal of a call whose lookup failed; the client is not told of the node.
    func refuse(_ failure: NEARLookupFailure) -> AdapterError
}
