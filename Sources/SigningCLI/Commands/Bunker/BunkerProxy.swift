// SPDX-License-Identifier: Apache-2.0

import NIP46
import SigningAgent
import SigningCodecs
import SigningFiles
import SigningService

extension CommandLineTool {
    static let bunkerProxy = Command(
        name: "bunker proxy", options: [Option(name: "--all", value: nil)], operands: 0...1,
        summary: "reach relays over Tor",
        usage: """
            usage: countersign bunker proxy [URL [--all] | none]

            Sets the SOCKS5 proxy for relays, after the passphrase: URL is socks5h://HOST:PORT with
            an IP address or localhost, such as that of Tor. The agent reaches .onion relays only
            through the proxy, which alone learns and resolves their names. With --all it reaches
            all relays outside this machine through the proxy. "none" removes the proxy. Without
            URL the command shows the proxy.

            example: countersign bunker proxy socks5h://127.0.0.1:9050
            """
    ) { invocation in
        let arguments = invocation.arguments
        let console = invocation.console
        let isForAll = arguments.has("--all")
        guard let text = arguments.operands.first else {
            guard !isForAll else {
                throw CLIError.usage(
                    "--all needs the URL of a proxy",
                    hint: "countersign bunker proxy \(RelayProxy.example) --all")
            }
            let proxy = try RelayProxy(in: invocation.workspace().open.vault)
            if console.isJSON {
                console.put((proxy?.json ?? .null).write())
            } else if let proxy {
                console.put("\(proxy.text)  \(proxy.purpose)")
            } else {
                console.note("no proxy is set")
            }
            return .done
        }
        guard text != "none" || !isForAll else {
            throw CLIError.usage("--all does not go with none", hint: "see --help")
        }
        let proxy =
            text == "none"
            ? nil
            : try BunkerInput.naming("the proxy") { () throws(NIP46Refusal) in
                try RelayProxy(text, isForAll: isForAll)
            }
        let workspace = try invocation.workspace(toChange: true)
        let passphrase = try invocation.passphrase().read(to: "change the proxy for relays")
        try workspace.open.setRelayProxy(proxy, passphrase: passphrase)
        console.done(
            ["proxy": proxy?.json ?? .null],
            proxy.map { "\($0.text) is used \($0.purpose)" } ?? "relays use no proxy")
        let home = workspace.home.path
        guard proxy != nil, case .serving(_, _)? = try? AgentFinding.presence(in: home) else {
            return .done
        }
        console.note("an agent that started without a proxy has to be restarted")
        return .done
    }
}

extension RelayProxy {
    /// The relays that use it.
    fileprivate var purpose: String { isForAll ? "for all relays" : "for .onion relays" }

    fileprivate var json: JSON { ["url": .string(text), "all": .bool(isForAll)] }
}
