// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The context that a request is created in.
package struct NEARContext {
    /// The state of the hub.
    package let hub: DecodingContext
    /// The lookup, if there was one.
    package let lookup: NEARLookup?

    package init(hub: DecodingContext, lookup: NEARLookup?) {
        self.hub = hub
        self.lookup = lookup
    }
}
