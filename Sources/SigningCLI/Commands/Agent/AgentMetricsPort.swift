// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCore
import SigningService
import SigningStorage
import Socket
import Web

/// The port of an agent for collectors of metrics.
enum AgentMetricsPort {
    static let option = Option(name: "--metrics", value: "PORT")

    /// Takes the port of the command line; nil if none is given.
    static func taken(_ invocation: Invocation) throws -> WebPort? {
        guard let number = try number(invocation) else { return nil }
        do throws(TransportError) { return try WebPort(number, from: option.name) } catch {
            throw CLIError(error.message, hint: error.hint)
        }
    }

    private static func number(_ invocation: Invocation) throws -> UInt16? {
        guard invocation.arguments.has(option.name) else { return nil }
        return UInt16(
            clamping: try invocation.arguments.count(
                option.name, default: 7_156, min: 1_024, max: 65_535))
    }

    /// The transport that serves the metrics of the agent's socket; none without a port.
    static func transports(
        _ port: WebPort?, of socket: SocketTransport, _ signer: LocalSigner
    ) -> [any Transport] {
        guard let port else { return [] }
        return [
            MetricsTransport(
                at: port, socket.metrics, authenticator: TokenAuthenticator(of: signer),
                on: BlockingThreads.shared)
        ]
    }
}
