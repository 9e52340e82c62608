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
    /// Returns the vault of the settings; nil once it is closed.
    private let vault: (@Sendable () -> Vault?)?

    /// Creates settings that never change.
    package init(_ values: [String: String] = [:]) {
        self.values = values
        vault = nil
    }

    /// Creates the settings of a vault, as they were read.
    package init(_ values: [String: String], in vault: Vault) {
        self.values = values
        // The vault keeps the wires for its domains, so a strong reference would keep it open.
        self.vault = { [weak vault] in vault }
    }

    /// Returns one setting as it is now, such as after a person was asked.
    package func current(_ name: String) throws(ServiceError) -> String? {
        guard let vault else { return values[name] }
        guard let vault = vault() else { throw ServiceError("the home is closed", hint: nil) }
        do {
            return try vault.setting(name)
        } catch {
            throw ServiceError(error)
        }
    }

    /// True if the settings whose names begin with a prefix are those that were read; false if they
    /// cannot be read now.
    package func isCurrent(_ prefix: String) -> Bool {
        guard let vault else { return true }
        guard let now = try? vault()?.terms().settings else { return false }
        let own = { (settings: [String: String]) in settings.filter { $0.key.hasPrefix(prefix) } }
        return now == values || own(now) == own(values)
    }

    /// True if the settings were compared with their seal: the vault is unlocked, which fails if
    /// they are not the sealed ones.
    package var areChecked: Bool { vault.map { $0()?.isUnlocked ?? false } ?? true }
}
