// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// What a request is made with.
package struct NEARContext {
    /// What the hub knows.
    package let hub: DecodingContext
    /// What was looked up, if anything was.
    package let lookup: NEARLookup?

    package init(hub: DecodingContext, lookup: NEARLookup?) {
        self.hub = hub
        self.lookup = lookup
    }
}
