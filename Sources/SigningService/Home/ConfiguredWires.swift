// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningVault
package import SigningWires

/// Wires whose configuration depends on the settings of a home.
package protocol ConfiguredWires: Sendable {
    /// Returns the settings that the vault of a new home gets, by name.
    func firstSettings() -> [String: String]

    /// Makes the wires for these settings.
    func adapters(under settings: HomeSettings) throws(ServiceError) -> AdapterSet

    /// Reads the owner's names for accounts of other people; nil if there are none.
    func accountNames(
        under settings: HomeSettings
    ) throws(ServiceError) -> (any AccountNames)?
}

/// The settings in the vault of a home.
package struct HomeSettings: Sendable {
    /// The settings as they were read, by name.
    package let values: [String: String]
    /// Reads one setting from the vault; nil without a vault.
    private let reading: (@Sendable (String) throws -> String?)?

    /// Creates settings that never change.
    package init(_ values: [String: String] = [:]) {
        self.values = values
        reading = nil
    }

    /// Creates the settings of a vault, as they were read.
    package init(_ values: [String: String], in vault: Vault) {
        self.values = values
        // The vault keeps the wires for its domains, so a strong reference would keep it open.
        reading = { [weak vault] name in
            guard let vault else { throw ServiceError("the home is closed", hint: nil) }
            return try vault.setting(name)
        }
    }

    /// Returns one setting as it is now, such as after a person was asked.
    package func current(_ name: String) throws(ServiceError) -> String? {
        guard let reading else { return values[name] }
        do {
            return try reading(name)
        } catch {
            throw ServiceError(error)
        }
    }
}
