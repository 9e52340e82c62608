// SPDX-License-Identifier: Apache-2.0

import Algorand
import Glibc
import NIP155
import SigningCodecs
import SigningCore
import SigningService
import SigningWires
import Socket

/// Reads the request of a command: its bytes, peer, wire and drop box.
enum RequestInput {
    /// The content of the drop box that a request names; the box is not emptied.
    static func dropBoxContent(
        of bytes: [UInt8], for adapter: any ProtocolAdapter, _ invocation: Invocation
    ) throws -> [UInt8]? {
        guard let adapter = adapter as? any TakesEnclosures,
            let token = adapter.enclosureName(in: bytes.span)
        else { return nil }
        let runtime = invocation.environment["XDG_RUNTIME_DIR"]
        return try DropBoxFolder(runtime: runtime).look(
            at: token, bytesMax: adapter.enclosureBytesMax)
    }

    /// True if a request names a drop box without `--drop-box`.
    static func namesDropBox(_ bytes: [UInt8], _ invocation: Invocation) -> Bool {
        let nostr = NIP155Adapter(configuration: NIP155Configuration(takesDropBoxes: true))
        return !invocation.arguments.has("--drop-box") && nostr.enclosureName(in: bytes.span) != nil
    }

    /// The user according to the kernel, and the name that the client claims.
    ///
    /// The parent process is not identified, as it may have replaced its program since.
    static func peer(
        _ client: String?, opensCallbacks: Bool = false, isByLink: Bool = false,
        provedServer: ProvedServer? = nil
    ) throws -> Peer {
        if let client, Client.isReserved(client) {
            throw CLIError.usage(
                "--client \"\(VisibleText.quotable(client))\" is the name of an access token, "
                    + "which cannot be claimed",
                hint: "send the token to the agent, or give another name")
        }
        if let client, ClientIdentity.looksLikeAddress(client), (try? WebOrigin(client)) == nil {
            throw CLIError.usage(
                "--client \"\(VisibleText.quotable(client))\" is not a web origin",
                hint: "write an origin such as https://app.example, or a plain name")
        }
        return Peer(
            channel: .commandLine, provedUserID: getuid(), login: Login.of(process: getpid()),
            claim: client, visit: isByLink ? .link : nil, opensCallbacks: opensCallbacks,
            provedServer: provedServer)
    }

    /// The adapter for a request; throws a hint if it cannot be chosen.
    static func adapter(
        for bytes: [UInt8], _ invocation: Invocation, among adapters: AdapterSet
    ) throws -> any ProtocolAdapter {
        guard !bytes.isEmpty else {
            throw CLIError("the request is empty", hint: "give a URL, a file, or - for a pipe")
        }
        guard !TransactionFile.isLikely(bytes.span) else {
            throw CLIError(
                "this is a file of transactions, not a request",
                hint: "countersign algorand sign FILE")
        }
        do throws(ChoosingError) {
            return try adapters.choose(
                named: invocation.arguments.value("--adapter"), for: bytes.span)
        } catch {
            let names = adapters.names.joined(separator: ", ")
            switch error {
            case .unknownAdapter(let name):
                throw CLIError.usage(
                    "unknown --adapter \"\(VisibleText.quotable(name))\"",
                    hint: "one of: \(names)"
                )
            case .unknownScheme(let scheme):
                // No adapter reads NEAR links, but `open` accepts them.
                let isOpened = invocation.arguments.command == CommandLineTool.openCallback.name
                let known =
                    adapters.schemes
                    + (isOpened ? [String(NEARLink.scheme.dropLast())] : [])
                let hint =
                    switch scheme {
                    case "nostrconnect": "to connect the client: countersign bunker connect URI"
                    case "bunker": "give it to a Nostr client; see \"countersign bunker --help\""
                    default: "known schemes: \(known.joined(separator: ", "))"
                    }
                throw CLIError("no adapter reads URLs of the scheme \"\(scheme)\"", hint: hint)
            case .malformed(let text):
                throw CLIError(
                    "the request is not JSON: \(VisibleText.escaped(text))",
                    hint: "add --adapter NAME for an answer in the wire's own format")
            case .ambiguous:
                throw CLIError(
                    "the request does not say which protocol it belongs to",
                    hint: "add --adapter NAME; one of: \(names)")
            }
        }
    }

    /// Removes the line end that a file or a pipe adds.
    static func trimmingLineEnd(_ bytes: [UInt8]) -> [UInt8] {
        // A transaction file is binary, so its last byte may be 0x0A.
        guard !TransactionFile.isLikely(bytes.span) else { return bytes }
        var bytes = bytes[...]
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        return Array(bytes)
    }
}
