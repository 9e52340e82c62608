// SPDX-License-Identifier: Apache-2.0

/// Opens a connection to the first server that accepts writes.
enum PostgresConnecting {
    /// The longest time for trying all servers, in seconds.
    static let secondsMax = 10
    /// The longest time for trying one address, in seconds.
    static let secondsForOneMax = 3

    /// Opens a connection; the servers are tried in order.
    static func open(_ address: PostgresAddress) throws(PostgresError) -> PostgresConnection {
        let deadline = Deadline(secondsFromNow: secondsMax)
        let passwordFile = try PasswordFile.checked(named: address.passwordFile)
        var refusals: [String] = []
        for place in address.places {
            let found: [String?] =
                place.isSocket ? [nil] : HostLookup.addresses(of: place.host, until: deadline)
            if found.isEmpty { refusals.append("\(place.host) is not found") }
            for number in found where deadline.millisecondsLeft > 0 {
                var settings = fixedSettings
                settings += [
                    ("user", address.user), ("dbname", address.database),
                    ("host", place.host), ("port", "\(place.port)"),
                    ("passfile", passwordFile ?? noFile),
                ]
                if let number { settings.append(("hostaddr", number)) }
                settings += security(address.authoritiesFile)
                do throws(PostgresError) {
                    return try PostgresConnection(
                        settings: settings,
                        until: deadline.atMost(secondsFromNow: secondsForOneMax))
                } catch {
                    guard case .unreachable(let text) = error else { throw error }
                    if !refusals.contains(text) { refusals.append(text) }
                }
            }
        }
        if refusals.isEmpty { refusals = ["the servers do not answer in time"] }
        throw .unreachable(
            "the database cannot be reached: " + refusals.joined(separator: "; ").clipped)
    }

    /// The path of a file that does not exist, for settings with a default file in the user's home.
    private static let noFile = "/dev/null/none"

    /// The settings of every connection.
    ///
    /// No value may be empty, as libpq would then use its default.
    private static let fixedSettings: [(keyword: String, value: String)] = [
        ("application_name", "countersign"), ("client_encoding", "UTF8"),
        ("target_session_attrs", "read-write"), ("gssencmode", "disable"),
        ("sslcert", noFile), ("sslkey", noFile), ("sslcompression", "0"),
        ("ssl_min_protocol_version", "TLSv1.2"),
    ]

    private static func security(
        _ authoritiesFile: String?
    ) -> [(keyword: String, value: String)] {
        guard let authoritiesFile else {
            return [("sslmode", "disable"), ("channel_binding", "disable")]
        }
        // Channel binding lets the check of the password fail if the connection is intercepted.
        return [
            ("sslmode", "verify-full"), ("sslrootcert", authoritiesFile),
            ("channel_binding", "require"),
        ]
    }
}
