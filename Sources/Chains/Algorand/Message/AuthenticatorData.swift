// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// The authenticator data of ARC-60, laid out as those of WebAuthn (Level 2, 6.1) and read to the
/// last byte: a hash of the domain, and for some clients what an authenticator says.
package struct AuthenticatorData {
    /// What the bits of the flags mean; the others have no meaning yet.
    package enum Flag: UInt8, CaseIterable {
        case userPresent = 0x01
        case userVerified = 0x04
        case backupEligible = 0x08
        case backedUp = 0x10
        case attestedData = 0x40
        case extensions = 0x80

        /// The name in rules.
        package var name: String {
            switch self {
            case .userPresent: "user_present"
            case .userVerified: "user_verified"
            case .backupEligible: "backup_eligible"
            case .backedUp: "backed_up"
            case .attestedData: "attested_data"
            case .extensions: "extensions"
            }
        }
    }

    /// A credential that the authenticator made.
    package struct Credential {
        /// The model of the authenticator.
        package let authenticator: [UInt8]
        package let id: [UInt8]
        /// A COSE key, as it stands there.
        package let publicKey: [UInt8]
    }

    package let bytes: [UInt8]
    /// Empty where nothing follows the hash.
    package let flags: [Flag]
    package let counter: UInt32?
    package let credential: Credential?
    /// A map of CBOR, as it stands there.
    package let extensions: [UInt8]?

    /// The hash that binds the data to a domain.
    package var domainHash: [UInt8] { Array(bytes.prefix(Self.hashCount)) }

    private static let hashCount = 32
    /// Pera's bound: 512 digits of Base64.
    private static let bytesMax = 384
    /// Bytes of the flags and the counter, which stand together or not at all.
    private static let headCount = 5
    private static let authenticatorCount = 16

    /// Reads all of them; what no field accounts for is refused.
    package init(_ bytes: [UInt8]) throws(AlgorandRefusal) {
        guard (Self.hashCount...Self.bytesMax).contains(bytes.count) else {
            throw Self.wrong("does not have 32 to 384 bytes")
        }
        self.bytes = bytes
        var rest = bytes.dropFirst(Self.hashCount)
        guard !rest.isEmpty else {
            (flags, counter, credential, extensions) = ([], nil, nil, nil)
            return
        }
        let head = try Self.take(Self.headCount, of: &rest)
        flags = Flag.allCases.filter { head[0] & $0.rawValue != 0 }
        guard flags.reduce(0, { $0 | $1.rawValue }) == head[0] else {
            throw Self.wrong("has a flag without a meaning")
        }
        counter = head[1...].reduce(0) { $0 << 8 | UInt32($1) }
        credential = try flags.contains(.attestedData) ? Self.credential(&rest) : nil
        extensions = try flags.contains(.extensions) ? Self.map(&rest) : nil
        guard rest.isEmpty else { throw Self.wrong("has \(rest.count) bytes that mean nothing") }
    }

    private static func credential(_ rest: inout ArraySlice<UInt8>) throws(AlgorandRefusal)
        -> Credential
    {
        let authenticator = try take(authenticatorCount, of: &rest)
        let count = try take(2, of: &rest).reduce(0) { $0 << 8 | Int($1) }
        return Credential(
            authenticator: authenticator, id: try take(count, of: &rest),
            publicKey: try map(&rest))
    }

    /// A map of CBOR; its names may be numbers, as those of COSE are.
    private static func map(_ rest: inout ArraySlice<UInt8>) throws(AlgorandRefusal) -> [UInt8] {
        let bytes = Array(rest)
        let count: Int
        do throws(CodecError) {
            count = try CBOR.itemCount(at: bytes.span)
            guard bytes[0] >> 5 == 5 else { throw .malformed("not a map", at: 0) }
        } catch {
            throw wrong("holds no CBOR map where it says so: \(error.text)")
        }
        return try take(count, of: &rest)
    }

    private static func take(
        _ count: Int, of rest: inout ArraySlice<UInt8>
    ) throws(AlgorandRefusal) -> [UInt8] {
        guard rest.count >= count else { throw wrong("ends too early") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func wrong(_ what: String) -> AlgorandRefusal {
        AlgorandRefusal(.missingAuthenticatorData, "params.authenticatorData \(what)")
    }
}

extension AuthenticatorData {
    /// What rules may ask about them; the counter changes with every use.
    package var facts: [Fact] {
        var facts: [Fact] = []
        if !flags.isEmpty { facts.append(Fact("auth.flags", .list(flags.map { .text($0.name) }))) }
        if let counter { facts.append(Fact("auth.counter", .integer(Int128(counter)))) }
        if let credential {
            facts.append(Fact("auth.authenticator", .bytes(credential.authenticator)))
            facts.append(Fact("auth.credential", .bytes(credential.id)))
            facts.append(Fact("auth.key", .bytes(credential.publicKey)))
        }
        if let extensions { facts.append(Fact("auth.extensions", .bytes(extensions))) }
        return facts
    }

    /// What a person is shown beyond the domain.
    package var lines: [Summary.Line] {
        var lines: [Summary.Line] = []
        guard let counter else { return lines }
        let names = flags.map { $0.name.replacing("_", with: " ") }
        lines.append(
            .init("authenticator", names.isEmpty ? "no flags" : names.joined(separator: ", ")))
        lines.append(.init("counter", "\(counter)"))
        var parts: [(String, [UInt8])] = []
        if let credential {
            parts += [
                ("model", credential.authenticator), ("credential", credential.id),
                ("its public key", credential.publicKey),
            ]
        }
        if let extensions { parts.append(("extensions", extensions)) }
        for (label, bytes) in parts {
            lines.append(.init(label, bytes.isEmpty ? "empty" : "hex \(Hex.encode(bytes.span))"))
        }
        return lines
    }
}
