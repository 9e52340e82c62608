// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCrypto
import SigningService
import SigningStorage
import Socket
import Web

extension CommandLineTool {
    static let agentWeb = Command(
        name: "agent web", options: [Option(name: "--open", value: nil)], operands: 0...0,
        summary: "print the address of the inbox for your browser",
        usage: """
            usage: countersign agent web [--open]

            Prints the address that opens the inbox in your browser. The address works once and for
            5 minutes; --open opens it with xdg-open. The agent serves the page if it was started
            with --web PORT. The host name in the address is new after each start of the agent: give
            the passphrase to no other address. The page shows the questions that wait and takes
            your answers, after you gave it the passphrase.

            example: countersign agent web --open
            """
    ) { invocation in
        let home = try invocation.environment.home(invocation.arguments)
        let reply = try await AgentFinding.client(home) { client in
            try await client.ask("POST", "/v1/web/codes")
        }
        guard reply.isGood, let address = reply.json["url"]?.text else {
            guard reply.status == 404 else { throw reply.refusal }
            throw CLIError(
                "the agent does not serve the web page",
                hint: "start it with --web PORT, such as --web 7155")
        }
        guard invocation.arguments.has("--open") else {
            invocation.console.put(
                invocation.console.isJSON
                    ? String(decoding: reply.json.write(), as: UTF8.self) : address)
            return .done
        }
        try URLOpener.open(address)
        invocation.console.done(["opened": true], "the inbox is open in your browser")
        return .done
    }
}

/// The web page of an agent; its members are empty without `--web`.
struct AgentWeb {
    static let option = Option(name: "--web", value: "PORT")

    private let served: (access: WebAccess, port: WebPort, names: WebNames)?

    /// Takes the port of the command line; gives the inbox a random name.
    init(_ invocation: Invocation, windows: WebName?) throws {
        guard let number = try Self.port(invocation), let windows else {
            served = nil
            return
        }
        let names = WebNames(
            inbox: WebName(Randomness.bytes(WebName.byteCount)), windows: windows)
        do throws(TransportError) {
            let port = try WebPort(number)
            let access = WebAccess(
                to: names.inbox.origin(port: number), besides: names.windows.origin(port: number))
            served = (access, port, names)
        } catch {
            throw CLIError(error.message, hint: error.hint)
        }
    }

    /// The name of the pages through which clients ask; nil without a port.
    ///
    /// Call it before the sandbox, in which no new name can be created.
    static func windows(_ invocation: Invocation, of home: OpenHome) throws -> WebName? {
        try port(invocation) == nil ? nil : windows(of: home)
    }

    /// The name of the pages through which clients ask a home.
    static func windows(of home: OpenHome) throws -> WebName {
        try WindowsName.of(home)
    }

    /// The port of the command line; nil if none is given.
    static func port(_ invocation: Invocation) throws -> UInt16? {
        guard invocation.arguments.has(option.name) else { return nil }
        // Lower ports need privileges that an agent should not have.
        return UInt16(
            clamping: try invocation.arguments.count(
                option.name, default: 7_155, min: ports.lowerBound, max: ports.upperBound))
    }

    /// The ports that a page can have.
    static let ports = 1_024...65_535

    /// The resources of the socket that grant access to the page.
    var resources: [any SocketResource] { served.map { [$0.access] } ?? [] }

    /// The operations of the owner's acts, by which the page calls them.
    private static let acts = OwnerActs.all.compactMap(\.operation).map {
        PageAct(id: $0.id, method: $0.method, path: $0.path)
    }

    /// The transport of the page, with the owner's resources as its data.
    func transports(_ resources: [any SocketResource]) -> [WebTransport] {
        served.map {
            [
                WebTransport(
                    at: $0.port, as: $0.names, for: $0.access.pairing,
                    resources: resources, acts: Self.acts, on: BlockingThreads.shared)
            ]
        } ?? []
    }
}
