// SPDX-License-Identifier: Apache-2.0

/// The networks that this hub knows by name.
package enum NEARNetwork {
    package static let names = ["mainnet", "testnet"]

    package static func isKnown(_ name: String) -> Bool { names.contains(name) }
}
