// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// The authenticator data of ARC-60, in the layout of WebAuthn (Level 2, 6.1).
///
/// They hold a hash of the domain; for some clients the fields of an authenticator follow. Every
/// byte is parsed.
package struct AuthenticatorData {
    /// The defined bits of the flags; all other bits are reserved.
    package enum Flag: UInt8, CaseIterable {
        case userPresent = 0x01
        case userVerified = 0x04
        case backupEligible = 0x08
        case backedUp = 0x10
        case attestedData = 0x40
        case extensions = 0x80

        /// The name of the flag in rules.
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
        /// The AAGUID, which names the model of the authenticator.
        package let authenticator: [UInt8]
        package let id: [UInt8]
        /// The COSE key, unparsed.
        package let publicKey: [UInt8]
    }

    package let bytes: [UInt8]
    /// The flags; empty if the data end after the hash.
    package let flags: [Flag]
    package let counter: UInt32?
    package let credential: Credential?
    /// The CBOR map of extensions, unparsed.
    package let extensions: [UInt8]?

    /// The hash that binds the data to a domain.
    package var domainHash: [UInt8] { Array(bytes.prefix(Self.hashCount)) }

    private static let hashCount = 32
    /// The limit of Pera: 512 digits of Base64.
    private static let bytesMax = 384
    /// The number of bytes of flags and counter, which are both present or both missing.
    private static let headCount = 5
    private static let authenticatorCount = 16

    /// Parses all bytes; throws if bytes are left over.
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
        guard rest.isEmpty else { throw Self.wrong("has \(rest.count) bytes after its end") }
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

    /// Reads a map of CBOR; its names may be numbers, as in COSE.
    private static func map(_ rest: inout ArraySlice<UInt8>) throws(AlgorandRefusal) -> [UInt8] {
        let bytes = Array(rest)
        let count: Int
        do throws(CodecError) {
            count = try CBOR.itemCount(at: bytes.span)
            guard bytes[0] >> 5 == 5 else { throw .malformed("not a map", at: 0) }
        } catch {
            throw wrong("has no CBOR map where its flags say so: \(error.text)")
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
    /// The facts for rules; the counter is left out, as it changes with every use.
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

    /// The lines that a person sees in addition to the domain.
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
