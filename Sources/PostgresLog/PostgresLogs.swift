// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningStorage

/// Opens and makes shared logs on PostgreSQL.
package struct PostgresLogs: SharedLogMaker {
    /// Registers the opener once; a program that supports shared records uses it at its start.
    package static let register: Void = SharedLogs.register(PostgresLogs(), for: "postgresql")

    /// Returns the log at an address; it connects later.
    package func open(_ address: String) throws(LedgerError) -> any SharedLog {
        PostgresLog(try Self.parsed(address))
    }

    /// Makes the tables of an empty log.
    package func make(at address: String) throws(LedgerError) -> any SharedLog {
        let place = try Self.parsed(address)
        _ = try PostgresLog.create(at: place)
        return PostgresLog(place)
    }

    /// Parses an address; errors do not show parts of it that could be credentials.
    package func address(_ text: String) throws(SharedLogAddressError) -> SharedLogAddress {
        let address = try PostgresAddress(text)
        let places = address.places.map { "\($0.host):\($0.port)" }.joined(separator: ",")
        return SharedLogAddress(
            serverText: "\(places)/\(address.database)", schema: address.schema,
            mayLoseLast: address.mayLoseLast, files: address.files,
            usesSockets: address.usesSockets)
    }

    private static func parsed(_ address: String) throws(LedgerError) -> PostgresAddress {
        do throws(SharedLogAddressError) {
            return try PostgresAddress(address)
        } catch {
            throw .unavailable("\(error.text): \(error.hint)")
        }
    }
}
