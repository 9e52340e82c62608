// SPDX-License-Identifier: Apache-2.0

import NIP46
import Nostr
import SigningCodecs
import SigningCore
import SigningService

extension CommandLineTool {
    static let bunkerDiscovery = Command(
        name: "bunker nip05",
        options: [
            Option(name: "--name", value: "NAME"),
            Option(name: "--key", value: "KEY", offers: .keys),
            Option(name: "--relays", value: "URLS"),
        ], operands: 0...0,
        summary: "print the nostr.json for your domain (NIP-05)",
        usage: """
            usage: countersign bunker nip05 --relays URLS [--name NAME] [--key KEY]

            Prints the file for https://DOMAIN/.well-known/nostr.json (NIP-05), where DOMAIN is
            yours. The file says that NAME@DOMAIN is KEY, and at which relays a client can ask for a
            connection with its nostrconnect:// URI (NIP-46). NAME is the name of the key by
            default; _ stands for DOMAIN itself. Nothing is sent. The file does not contain the key
            of a signer, because each connection has another. Needs no passphrase.

            example: countersign bunker nip05 --relays wss://relay.example > nostr.json
            """
    ) { invocation in
        let arguments = invocation.arguments
        let relays = try BunkerInput.relays(try arguments.required("--relays"))
        let workspace = try invocation.workspace()
        let account = try BunkerInput.account(arguments.value("--key"), workspace)
        guard account.protocolID == NostrChain.protocolID else {
            throw CLIError(
                "\"\(account.name)\" is not a Nostr key",
                hint: "give a Nostr key with --key")
        }
        let name = arguments.value("--name") ?? account.name
        guard isLocalPart(name) else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(name))\" is not a NIP-05 name",
                hint: "give --name NAME with only a-z, 0-9, \"-\", \"_\" and \".\"")
        }
        let entries: JSON = [
            "names": [name: .string(account.address)],
            "nip46": ["relays": .array(relays.map { .string($0.text) })],
        ]
        invocation.console.put(entries.write())
        invocation.console.note("put it at https://DOMAIN/.well-known/nostr.json")
        return .done
    }

    private static func isLocalPart(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                    || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }
}
