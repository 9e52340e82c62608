// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningStorage

/// The parts of an address; each single value is percent-decoded.
struct PostgresAddressParts {
    let user: String
    /// The hosts as written, separated by commas.
    let hosts: [Substring]
    let database: String
    let options: PostgresAddressOptions

    init(_ text: String) throws(SharedLogAddressError) {
        guard text.utf8.count <= PostgresAddress.bytesMax else {
            throw SharedLogAddressError(
                "the address is longer than \(PostgresAddress.bytesMax) bytes",
                hint: PostgresAddress.form)
        }
        guard text.utf8.allSatisfy({ (0x21..<0x7f).contains($0) && $0 != UInt8(ascii: "#") })
        else {
            throw SharedLogAddressError(
                "the address contains a space, a # or a character that is not ASCII",
                hint: "write such a character as % and two hex digits")
        }
        let scheme = "postgresql://"
        guard text.hasPrefix(scheme) else {
            throw SharedLogAddressError(
                "the address does not begin with postgresql://", hint: PostgresAddress.form)
        }
        let halves = text.dropFirst(scheme.utf8.count)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = halves[0].split(separator: "/", omittingEmptySubsequences: false)
        guard path.count == 2 else {
            throw SharedLogAddressError(
                "the address does not name one database", hint: PostgresAddress.form)
        }
        let authority = path[0].split(separator: "@", omittingEmptySubsequences: false)
        guard authority.count == 2 else {
            throw SharedLogAddressError(
                "the address does not name a user", hint: PostgresAddress.form)
        }
        guard !authority[0].contains(":") else {
            throw SharedLogAddressError(
                "the address contains a password, which others on this machine could see",
                hint: "write it to the password file ~/.pgpass, mode 0600, as"
                    + " host:port:database:user:password")
        }
        user = try Self.decode(authority[0])
        hosts =
            authority[1].isEmpty
            ? [] : authority[1].split(separator: ",", omittingEmptySubsequences: false)
        database = try Self.decode(path[1])
        options = try PostgresAddressOptions(halves.count == 2 ? halves[1] : "")
    }

    /// Decodes the percent-encoding of a part; `PostgresAddress` checks the result.
    static func decode(_ text: Substring) throws(SharedLogAddressError) -> String {
        do throws(CodecError) {
            return try PercentEncoding.decode(Array(text.utf8).span)
        } catch {
            throw SharedLogAddressError(
                "the address contains a % without two hex digits, or bytes that are not UTF-8",
                hint: "write a percent sign itself as %25")
        }
    }
}

/// The options after the question mark.
struct PostgresAddressOptions {
    private var values: [String: String] = [:]

    private static let names = [
        "host", "passfile", "port", "replicas", "replication", "schema", "sslmode", "sslrootcert",
    ]

    init(_ text: Substring) throws(SharedLogAddressError) {
        guard !text.isEmpty else { return }
        for piece in text.split(separator: "&", omittingEmptySubsequences: false) {
            let halves = piece.split(separator: "=", omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty else {
                throw SharedLogAddressError(
                    "the part after ? must have the form name=value&name=value",
                    hint: PostgresAddress.form)
            }
            let name = try PostgresAddressParts.decode(halves[0])
            guard name != "password" else {
                throw SharedLogAddressError(
                    "the address contains a password, which others on this machine could see",
                    hint: "write it to the password file ~/.pgpass, mode 0600")
            }
            guard Self.names.contains(name) else {
                // The address may come from another person, so only plain names are shown.
                let shown = name.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x5f }
                throw SharedLogAddressError(
                    shown && name.utf8.count < 40
                        ? "the address does not take \(name)="
                        : "the address does not take one of the names after the ?",
                    hint: "the address takes: " + Self.names.joined(separator: ", "))
            }
            let value = try PostgresAddressParts.decode(halves[1])
            guard values.updateValue(value, forKey: name) == nil else {
                throw SharedLogAddressError(
                    "\(name)= is given twice in the address", hint: "leave one of them out")
            }
        }
    }

    /// Removes an option and returns its value.
    mutating func take(_ name: String) -> String? { values.removeValue(forKey: name) }

    /// Throws if an option was not used.
    func checkAllUsed() throws(SharedLogAddressError) {
        guard let name = values.keys.min() else { return }
        throw SharedLogAddressError(
            "\(name)= is only for addresses with host= and without a host before the database",
            hint: "write the host and its port in one place")
    }
}

extension PostgresAddress {
    /// The servers: those written before the database, or the folder of a socket from `host=`.
    static func places(
        _ hosts: [Substring], _ options: inout PostgresAddressOptions
    ) throws(SharedLogAddressError) -> [Place] {
        guard hosts.count <= placesMax else {
            throw SharedLogAddressError(
                "the address names more than \(placesMax) servers", hint: "leave some out")
        }
        guard hosts.isEmpty else {
            var places: [Place] = []
            for host in hosts { places.append(try place(host)) }
            guard Set(places).count == places.count else {
                throw SharedLogAddressError(
                    "the address names a server twice", hint: "leave one of them out")
            }
            return places
        }
        guard let folder = options.take("host") else {
            throw SharedLogAddressError("the address does not name a server", hint: form)
        }
        guard folder.hasPrefix("/") else {
            throw SharedLogAddressError(
                "host= is for the folder of a Unix socket", hint: form)
        }
        return [
            Place(host: try socketFolder(folder), port: try port(options.take("port")))
        ]
    }

    private static func place(_ text: Substring) throws(SharedLogAddressError) -> Place {
        let refusal = SharedLogAddressError(
            "a server in the address is neither a host nor the folder of a socket",
            hint: form)
        let bracket = text.hasPrefix("[") ? text.lastIndex(of: "]") : text.startIndex
        guard let bracket else { throw refusal }
        let colon = text[bracket...].firstIndex(of: ":")
        let host = text[..<(colon ?? text.endIndex)]
        let number = try port(colon.map { String(text[text.index(after: $0)...]) })
        let name = try PostgresAddressParts.decode(host)
        if name.hasPrefix("/") { return Place(host: try socketFolder(name), port: number) }
        guard name.utf8.allSatisfy({ $0 < 0x80 }), let name = try? HostName(name) else {
            throw refusal
        }
        // libpq expects addresses without brackets.
        let isBracketed = name.text.hasPrefix("[")
        return Place(
            host: isBracketed ? String(name.text.dropFirst().dropLast()) : name.text, port: number)
    }

    /// Checks the folder of a socket and returns it.
    ///
    /// Refuses commas, at which libpq would split the path, and paths that libpq would truncate.
    private static func socketFolder(_ path: String) throws(SharedLogAddressError) -> String {
        let bytesMax = 80
        guard path.utf8.count <= bytesMax, !path.contains(","),
            path.utf8.allSatisfy({ (0x20..<0x7f).contains($0) })
        else {
            throw SharedLogAddressError(
                "the folder of the socket has to be a path of at most \(bytesMax) ASCII characters "
                    + "without a comma",
                hint: "configure the server to open its socket in another folder")
        }
        return path
    }

    private static func port(_ text: String?) throws(SharedLogAddressError) -> UInt16 {
        guard let text else { return portDefault }
        guard (1...5).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "0"),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text)
        else {
            throw SharedLogAddressError(
                "a port has to be a number from 1 to 65535", hint: "leave it out for port 5432")
        }
        return port
    }
}
