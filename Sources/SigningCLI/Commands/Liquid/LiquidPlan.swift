// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import SigningCodecs
import SigningCore

/// The checked options of `liquid connect`, before any data goes to a server.
struct LiquidPlan: Sendable {
    /// The order for a connection that this command keeps itself.
    let order: LiquidOrder
    private let text: String
    private let certificates: [UInt8]?

    init(_ invocation: Invocation, in workspace: Workspace) throws {
        let arguments = invocation.arguments
        text = try LiquidInput.address(invocation)
        let uri: LiquidURI
        do throws(LiquidURI.ParseError) {
            uri = try LiquidURI(text)
        } catch {
            throw CLIError.usage(
                "the URI cannot be used: \(error.text)",
                hint: "give the URI that the page shows: liquid://app.example/?requestId=...")
        }
        let allowsInsecure = arguments.has("--allow-insecure")
        if uri.origin.scheme != "https", !(uri.isLoopback && allowsInsecure) {
            throw CLIError.usage(
                "the URI names a server without encryption",
                hint: uri.isLoopback
                    ? "the server is on this machine: add "
                        + "--allow-insecure" : "ask for a URI with https")
        }
        let patience = ChannelPatience(
            idleSecondsMax: Int64(
                try arguments.count(
                    "--idle", default: 1_800, max: Int(ChannelPatience.idleSeconds.upperBound))),
            secondsMax: Int64(
                try arguments.count(
                    "--most", default: 43_200, max: Int(ChannelPatience.seconds.upperBound))))
        let servers = try LiquidInput.servers(
            arguments.value("--ice"), file: arguments.value("--ice-file"))
        let addresses = try LiquidInput.addresses(arguments.value("--addresses"))
        certificates = try arguments.value("--ca").map { path in
            try LiquidInput.certificates(path)
        }
        let account = try LiquidCall.account(arguments.value("--key"), workspace)
        var order = LiquidOrder(to: uri, as: try LiquidCall.user(account, at: uri, workspace))
        order.servers = servers
        order.addresses = addresses
        order.allowsInsecure = allowsInsecure
        order.patience = patience
        order.authorities = try certificates.map { bytes in
            try LiquidInput.authorities(bytes, workspace)
        }
        self.order = order
    }

    /// The origin of the server, escaped for the terminal.
    var place: String { VisibleText.escaped(order.uri.origin.text) }

    /// The order as JSON for an agent.
    var json: JSON {
        var members: [JSONObject.Member] = [
            .init(name: "uri", value: .string(text)),
            .init(name: "key", value: .string(order.user.key)),
            .init(name: "ice", value: .array(order.servers.map(\.json))),
            .init(name: "addresses", value: .array(order.addresses.map { .string($0) })),
            .init(name: "allow_insecure", value: .bool(order.allowsInsecure)),
            .init(name: "idle_seconds", value: .integer(order.patience.idleSecondsMax)),
            .init(name: "seconds_max", value: .integer(order.patience.secondsMax)),
        ]
        if let certificates {
            let pem = String(decoding: certificates, as: UTF8.self)
            members.append(.init(name: "authorities", value: .string(pem)))
        }
        return .object(JSONObject(members))
    }

    /// The message for a stage, if it has one; `ending` is the command or key that ends the
    /// connection.
    func line(_ stage: LiquidStage, ending: String) -> String? {
        switch stage {
        case .loggedIn: "logged in as \(order.user.address) to \(place)"
        case .unknownPasskey:
            "\(place) does not know the passkey: making a new one is a new request"
        case .withoutRelay:
            "no turn: server is in use: check the address and the password of each"
        case .stunServer(let uri?):
            "\(uri) answers first: it reports the public address of this machine"
        case .stunServer(nil): "no stun: server answers: check the addresses"
        case .waiting: "waiting for the page that shows the URI (Ctrl-C ends it)"
        case .connecting: "the page has answered: connecting"
        case .open: "open: answering the requests of the page (\(ending) ends it)"
        case .counted: nil
        }
    }
}

extension CLIError {
    /// The reason that there is no connection to a page.
    init(_ failure: LiquidConnectionError, to place: String) {
        self.init(
            kind: failure.kind.rawValue, failure.text, hint: failure.hint,
            code: failure.reason?.code, to: place)
    }

    /// The reason for a missing connection as the agent reports it.
    init(kind: String, _ text: String, hint: String?, code: ReasonCode?, to place: String) {
        let because = code.map { "\($0.rawValue): " } ?? ""
        self.init(
            "no connection by \(place): \(because)\(VisibleText.escaped(text))",
            hint: hint.map { VisibleText.escaped($0) } ?? code?.hint,
            status: kind == LiquidConnectionError.Kind.denied.rawValue ? .denied : .failed)
    }
}
