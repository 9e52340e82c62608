// SPDX-License-Identifier: Apache-2.0

import Glibc
import LiquidAuth
import SigningCore
import SigningFiles
import SigningService

/// Reads the options of `liquid connect`.
enum LiquidInput {
    private static let iceFileBytesMax = 16 << 10
    private static let addressesMax = 16

    // MARK: ICE servers

    static func servers(_ list: String?, file: String?) throws -> [ICEServer] {
        var found: [ICEServer] = []
        for uri in list?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            guard let server = ICEServer(String(uri)) else {
                let scheme = uri.lowercased().prefix { $0 != ":" }
                throw CLIError.usage(
                    "--ice \"\(VisibleText.quotable(String(uri)))\" is not the address of a STUN "
                        + "server",
                    hint: scheme == "turns" || scheme == "stuns"
                        ? withoutTLS
                        : scheme == "turn"
                            ? "write a turn: server and its password into a file: --ice-file FILE"
                            : "write it as stun:host:port")
            }
            found.append(server)
        }
        if let file { found += try servers(in: file) }
        guard found.count <= ICEServer.countMax else {
            throw CLIError.usage(
                "you gave \(found.count) ICE servers",
                hint: "give at most \(ICEServer.countMax)")
        }
        return found
    }

    /// The reason that `turns:` and `stuns:` are refused, with a remedy.
    private static let withoutTLS =
        "libnice has no TLS to servers; the channel itself is encrypted with any server, so write "
        + "turn:user@host:443?transport=tcp PASSWORD into --ice-file"

    private static func servers(in path: String) throws -> [ICEServer] {
        let bytes = try read(path, "--ice-file", bytesMax: iceFileBytesMax, isPrivate: true)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CLIError.usage(
                "--ice-file is not a UTF-8 text file", hint: "write one server on each line")
        }
        var found: [ICEServer] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let words = line.split(separator: " ")
            guard let uri = words.first, !uri.hasPrefix("#") else { continue }
            guard words.count <= 2,
                let server = ICEServer(
                    String(uri), password: words.count > 1 ? String(words[1]) : nil)
            else {
                let isEncrypted = ["turns:", "stuns:"].contains { uri.lowercased().hasPrefix($0) }
                throw CLIError.usage(
                    "line \(number + 1) of --ice-file is not the address of a server",
                    hint: isEncrypted
                        ? withoutTLS
                        : "write it as turn:user@host:port PASSWORD, or as stun:host:port")
            }
            found.append(server)
        }
        return found
    }

    // MARK: Files

    /// Certificates that are trusted instead of those of the system.
    static func certificates(_ path: String) throws -> [UInt8] {
        try read(path, "--ca", bytesMax: LiquidAuthorities.bytesMax, isPrivate: false)
    }

    /// Writes the certificates to a file for libraries that read files.
    static func authorities(_ bytes: [UInt8], _ workspace: Workspace) throws -> LiquidAuthorities {
        do throws(LiquidAuthorities.ReadError) {
            return try LiquidAuthorities(bytes, in: workspace.home.path)
        } catch {
            switch error {
            case .none, .tooLong:
                throw CLIError.usage(
                    "--ca does not contain a certificate",
                    hint: "give a file of certificates in PEM")
            case .folder(let words):
                throw CLIError(
                    "the home cannot be written: \(words)", hint: "see \"countersign doctor\"")
            }
        }
    }

    /// The helper program that keeps channels.
    static func program(_ invocation: Invocation) throws -> ChannelProgram {
        do throws(ChannelError) {
            return try ChannelProgram(named: invocation.environment[ChannelProgram.variable])
        } catch {
            guard case .missingProgram(let words, let hint) = error else {
                throw CLIError("the data channel is not available", hint: nil)
            }
            throw CLIError(words, hint: hint)
        }
    }

    private static func read(
        _ path: String, _ option: String, bytesMax: Int, isPrivate: Bool
    ) throws -> [UInt8] {
        let file = try opened(
            path, "\(option) \"\(VisibleText.quotable(path))\"", hint: "give a file")
        guard let status = regular(file), (0...bytesMax).contains(Int(status.st_size)) else {
            throw CLIError.usage(
                "\(option) is not a file of at most \(bytesMax >> 10) KiB",
                hint: "give another file")
        }
        guard !isPrivate || status.st_mode & 0o077 == 0 else {
            throw CLIError.usage(
                "\(option) can be read by others", hint: "chmod 600 \(VisibleText.escaped(path))")
        }
        return try Descriptor.readAll(file.number, name: option)
    }

    /// The status of a regular file; nil for other files.
    static func regular(_ file: borrowing Descriptor) -> stat? {
        var status = stat()
        let isFile =
            unsafe fstat(file.number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        return isFile ? status : nil
    }

    static func opened(_ path: String, _ name: String, hint: String) throws -> Descriptor {
        guard let file = Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
            let reason = unsafe String(cString: strerror(errno))
            throw CLIError.usage("\(name) cannot be opened: \(reason)", hint: hint)
        }
        return file
    }

    // MARK: Addresses

    static func addresses(_ list: String?) throws -> [String] {
        guard let list else { return [] }
        let own = ownAddresses()
        var found: [String] = []
        for text in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = normal(String(text)), own.contains(address) else {
                throw CLIError.usage(
                    "--addresses \"\(VisibleText.quotable(String(text)))\" is not an address of "
                        + "this machine",
                    hint: "this machine has \(own.sorted().joined(separator: ", "))")
            }
            if !found.contains(address) { found.append(address) }
        }
        guard found.count <= addressesMax else {
            throw CLIError.usage(
                "--addresses has too many addresses", hint: "give at most \(addressesMax)")
        }
        return found
    }

    /// An IP address in the notation of this machine; nil if it is not valid.
    private static func normal(_ text: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        for family in [AF_INET, AF_INET6] where unsafe inet_pton(family, text, &bytes) == 1 {
            return unsafe written(family, &bytes)
        }
        return nil
    }

    private static func written(_ family: Int32, _ bytes: UnsafeRawPointer) -> String? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else {
            return nil
        }
        let written = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: written, as: UTF8.self)
    }

    private static func ownAddresses() -> Set<String> {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var found: Set<String> = []
        var next = unsafe list
        while let one = unsafe next {
            unsafe next = one.pointee.ifa_next
            guard let address = unsafe one.pointee.ifa_addr else { continue }
            let text: String? =
                switch unsafe Int32(address.pointee.sa_family) {
                case AF_INET:
                    unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                        unsafe written(AF_INET, &$0.pointee.sin_addr)
                    }
                case AF_INET6:
                    unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                        unsafe written(AF_INET6, &$0.pointee.sin6_addr)
                    }
                default: nil
                }
            if let text { found.insert(text) }
        }
        return found
    }
}
