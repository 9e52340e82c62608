// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningStorage

/// The address of a shared log: `postgresql://user@host:port/database?sslrootcert=/path`.
///
/// Only the options that this type knows are accepted, so that an address cannot set an option of
/// libpq that weakens the security of the connection.
package struct PostgresAddress: Hashable, Sendable {
    /// One of several servers with the same database.
    package struct Place: Hashable, Sendable {
        /// A host name, an IP address, or the folder of a Unix socket.
        package let host: String
        package let port: UInt16

        /// True if the host is the folder of a Unix socket.
        var isSocket: Bool { host.hasPrefix("/") }
        /// True if the host is this machine.
        var isHere: Bool { isSocket || ["127.0.0.1", "::1", "localhost"].contains(host) }
    }

    /// The servers, in the order in which they are tried.
    package let places: [Place]
    package let user: String
    package let database: String
    /// The schema with the tables.
    package let schema: String
    /// The number of replicas that must have stored a batch before the batch counts as written.
    package let replicas: Int
    /// True if the owner accepts that the last confirmed batches may be lost with the server.
    package let mayLoseLast: Bool
    /// The file of the certificate authorities that verify servers; nil for plain connections to
    /// this machine.
    package let authoritiesFile: String?
    /// The password file in the address.
    package let passwordFile: String?

    /// The maximum length of an address, in bytes.
    static let bytesMax = 2_048
    static let placesMax = 8
    static let replicasMax = 9
    /// The longest name, in bytes; PostgreSQL cuts off longer names without an error.
    static let nameBytesMax = 63
    static let pathBytesMax = 1_024
    static let portDefault: UInt16 = 5_432
    static let schemaDefault = "countersign"

    /// Parses an address; errors do not show parts of it that could be credentials.
    package init(_ text: String) throws(SharedLogAddressError) {
        let parts = try PostgresAddressParts(text)
        user = try Self.name(parts.user, "user")
        database = try Self.name(parts.database, "database")
        var options = parts.options
        places = try Self.places(parts.hosts, &options)
        schema =
            try options.take("schema").map { value throws(SharedLogAddressError) in
                try Self.name(value, "schema")
            } ?? Self.schemaDefault
        replicas = try Self.replicas(options.take("replicas"))
        mayLoseLast = try Self.mayLoseLast(options.take("replication"), replicas)
        passwordFile = try Self.path(options.take("passfile"), "passfile")
        authoritiesFile = try Self.authorities(&options, for: places)
        try options.checkAllUsed()
    }

    /// True if a server is reached over a Unix socket.
    package var usesSockets: Bool { places.contains(where: \.isSocket) }

    /// The files that connections read, and the folders of sockets.
    package var files: [String] {
        [authoritiesFile, PasswordFile.path(named: passwordFile)].compactMap { $0 }
            + places.filter(\.isSocket).map(\.host)
    }
}

extension PostgresAddress {
    /// A name for the server; metacharacters of SQL have no special meaning.
    private static func name(_ text: String, _ what: String) throws(SharedLogAddressError) -> String
    {
        guard !text.isEmpty else {
            throw SharedLogAddressError("the address does not name a \(what)", hint: form)
        }
        guard text.utf8.count <= nameBytesMax, text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) })
        else {
            throw SharedLogAddressError(
                "the name of the \(what) has to be at most \(nameBytesMax) ASCII characters",
                hint: "rename it in the database")
        }
        guard what != "schema" || !text.hasPrefix("pg_") else {
            throw SharedLogAddressError(
                "PostgreSQL reserves schema names that begin with pg_",
                hint: "leave schema= out, or choose another name")
        }
        return text
    }

    private static func path(
        _ text: String?, _ what: String
    ) throws(SharedLogAddressError) -> String? {
        guard let text else { return nil }
        guard text.hasPrefix("/"), text.utf8.count <= pathBytesMax,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
        else {
            throw SharedLogAddressError(
                "\(what)= is not the path of a file", hint: "give the full path, from /")
        }
        return text
    }

    private static func replicas(_ text: String?) throws(SharedLogAddressError) -> Int {
        guard let text else { return 0 }
        guard text.utf8.count == 1, let digit = text.utf8.first, (0x30...0x39).contains(digit)
        else {
            throw SharedLogAddressError(
                "replicas= has to be a number from 0 to \(replicasMax)", hint: "write replicas=1")
        }
        return Int(digit - 0x30)
    }

    private static func mayLoseLast(
        _ text: String?, _ replicas: Int
    ) throws(SharedLogAddressError) -> Bool {
        guard let text else { return false }
        guard text == "asynchronous" else {
            throw SharedLogAddressError(
                "replication= only takes the value asynchronous", hint: "leave it out")
        }
        guard replicas == 0 else {
            throw SharedLogAddressError(
                "replication=asynchronous and replicas= contradict each other",
                hint: "leave one of them out")
        }
        return true
    }

    /// The file of certificate authorities; nil is allowed only if all servers are on this machine.
    private static func authorities(
        _ options: inout PostgresAddressOptions, for places: [Place]
    ) throws(SharedLogAddressError) -> String? {
        let mode = options.take("sslmode")
        let file = try path(options.take("sslrootcert"), "sslrootcert")
        switch mode {
        case nil where places.allSatisfy(\.isSocket), "disable":
            guard places.allSatisfy(\.isHere) else {
                throw SharedLogAddressError(
                    "sslmode=disable is for this machine only",
                    hint: "write sslmode=verify-full&sslrootcert=FILE")
            }
            guard file == nil else {
                throw SharedLogAddressError(
                    "sslrootcert= names a file that a plain connection does not use",
                    hint: "leave it out, or write sslmode=verify-full")
            }
            return nil
        case nil, "verify-full":
            guard places.allSatisfy({ !$0.isSocket }) else {
                throw SharedLogAddressError(
                    "a Unix socket does not use TLS", hint: "leave sslmode= out")
            }
            guard let file else {
                throw SharedLogAddressError(
                    "the address does not name the certificates that verify the server",
                    hint: "add sslrootcert=FILE, with the certificate of the authority")
            }
            return file
        default:
            throw SharedLogAddressError(
                "sslmode= is neither verify-full nor disable",
                hint: "leave it out: the server is verified then")
        }
    }

    /// The form of an address, as a hint.
    static let form = "write postgresql://USER@HOST/DATABASE?sslrootcert=FILE"
}
