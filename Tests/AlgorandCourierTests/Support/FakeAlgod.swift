// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import AlgorandCourier
import LoopbackServer
import SigningCodecs
import SigningNetwork
import Synchronization

/// A local node that accepts every transaction, with the API of algod version 2.
final class FakeAlgod: Sendable {
    /// A fault that the node shows on one path.
    enum Fault: Sendable {
        case refuse(String)
        case status(Int)
        case text(String)
        case close
        case stall
    }

    private struct State {
        /// The ids in its answers, one for each body that it accepts.
        var ids: [String] = []
        var known: [String: String] = [:]
        var bodies: [[UInt8]] = []
        var lines: [String] = []
        var sendFaults: [Fault?] = []
        var meanwhile: (@Sendable () -> Void)?
        var lookupFault: Fault?
        var lastRound: Int64 = 7
        /// The round after a transaction was posted, accepted or not.
        var roundAfterPosting: Int64?
        /// The number of parameter requests that the node answers before it fails.
        var parametersLeft = Int.max
        var hash = AlgorandNetwork.testnet.genesisHash
        /// The keys that sign for rekeyed accounts.
        var signers: [String: String] = [:]
        var knowsAccounts = true
    }

    private final class NodeState: Sendable {
        let state = Mutex(State())
    }

    private let nodeState = NodeState()
    let server: LoopbackServer

    /// Creates a node that answers the bodies with these ids in order.
    init(_ ids: [String] = []) throws {
        let nodeState = nodeState
        nodeState.state.withLock { $0.ids = ids }
        server = try LoopbackServer { request in Self.reply(request, nodeState) }
    }

    var courier: AlgorandCourier { AlgorandCourier(nodes: [node]) }

    /// The node with a long time limit for busy machines, or a short one if the test expects a
    /// timeout.
    var node: AlgorandNode {
        var settings = HTTPClient.Settings()
        let isStalled = nodeState.state.withLock { state in
            state.sendFaults.contains { if case .stall? = $0 { true } else { false } }
        }
        settings.totalMillisecondsMax = isStalled ? 5_000 : 60_000
        return AlgorandNode(Algod(url: server.url, settings: settings), on: .testnet)
    }

    /// All bodies that were sent, accepted or not.
    var bodies: [[UInt8]] { nodeState.state.withLock { $0.bodies } }
    /// The requests it received, as method and path.
    var asked: [String] { nodeState.state.withLock { $0.lines } }

    /// The faults for the next posted bodies, one each; after them all bodies are accepted.
    func fail(_ faults: Fault?...) { nodeState.state.withLock { $0.sendFaults = faults } }
    /// Runs an action, as by another process, during the next send.
    func meanwhile(_ act: @escaping @Sendable () -> Void) {
        nodeState.state.withLock { $0.meanwhile = act }
    }
    func setRound(_ round: Int64) { nodeState.state.withLock { $0.lastRound = round } }
    func setRoundAfterPosting(_ round: Int64) {
        nodeState.state.withLock { $0.roundAfterPosting = round }
    }
    func failParameters(after count: Int) {
        nodeState.state.withLock { $0.parametersLeft = count }
    }
    func failLookups(_ fault: Fault?) { nodeState.state.withLock { $0.lookupFault = fault } }
    func rekey(_ account: String, to other: String?) {
        nodeState.state.withLock { $0.signers[account] = other }
    }
    func forgetAccounts() { nodeState.state.withLock { $0.knowsAccounts = false } }
    func setNetwork(_ network: AlgorandNetwork) {
        nodeState.state.withLock { $0.hash = network.genesisHash }
    }

    /// Makes a transaction known, as if the node took it and lost the connection, or dropped it
    /// later.
    func know(_ id: String, poolError: String = "") {
        nodeState.state.withLock { $0.known[id] = poolError }
    }

    private static func reply(
        _ request: LoopbackServer.Request, _ nodeState: NodeState
    ) -> LoopbackServer.Reply {
        let words = request.line.split(separator: " ")
        guard words.count == 3 else { return .close }
        let line = "\(words[0]) \(words[1])"
        return nodeState.state.withLock { state in
            state.lines.append(line)
            switch line {
            case "GET /v2/transactions/params":
                guard state.parametersLeft > 0 else { return .close }
                state.parametersLeft -= 1
                return answer([
                    "genesis-hash": .string(Base64.encode(state.hash.span)),
                    "genesis-id": "some-v1", "last-round": .integer(state.lastRound),
                    "min-fee": 1000, "fee": 0,
                ])
            case "POST /v2/transactions": return take(request, &state)
            case let line where line.hasPrefix("GET /v2/accounts/"):
                let address = String(line.dropFirst("GET /v2/accounts/".count).prefix(58))
                var members = [JSONObject.Member(name: "address", value: .string(address))]
                if let key = state.signers[address] {
                    members.append(.init(name: "auth-addr", value: .string(key)))
                }
                return state.knowsAccounts ? answer(.object(JSONObject(members))) : .close
            default: return lookUp(String(words[1].split(separator: "/").last ?? ""), state)
            }
        }
    }

    private static func take(
        _ request: LoopbackServer.Request, _ state: inout State
    ) -> LoopbackServer.Reply {
        guard request.head.contains("Content-Type: application/x-binary") else { return .close }
        state.bodies.append(request.body)
        if let round = state.roundAfterPosting { state.lastRound = round }
        state.meanwhile?()
        state.meanwhile = nil
        if !state.sendFaults.isEmpty, let fault = state.sendFaults.removeFirst() {
            return reply(fault)
        }
        let id = state.ids.isEmpty ? "" : state.ids.removeFirst()
        state.known[id] = ""
        return answer(["txId": .string(id)])
    }

    private static func lookUp(_ id: String, _ state: State) -> LoopbackServer.Reply {
        if let fault = state.lookupFault { return reply(fault) }
        guard let problem = state.known[id] else {
            return answer(
                [
                    "message": .string(
                        "could not find the transaction in the transaction pool or in the last "
                            + "1000 confirmed rounds")
                ], status: 404)
        }
        return answer(["pool-error": .string(problem), "txn": ["sig": "AA=="]])
    }

    private static func reply(_ fault: Fault) -> LoopbackServer.Reply {
        switch fault {
        case .refuse(let message): answer(["message": .string(message)], status: 400)
        case .status(let status): answer(["message": "some words"], status: status)
        case .text(let text): .answer(status: 200, body: Array(text.utf8))
        case .close: .close
        case .stall: .stall([])
        }
    }

    private static func answer(_ json: JSON, status: Int = 200) -> LoopbackServer.Reply {
        .answer(status: status, headers: ["Content-Type: application/json"], body: json.write())
    }
}
