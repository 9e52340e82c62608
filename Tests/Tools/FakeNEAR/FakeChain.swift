// SPDX-License-Identifier: Apache-2.0

package import LoopbackServer
package import NEARCourier
package import SigningCodecs
import SigningCrypto
import SigningNetwork
import Synchronization

/// A local node with the formats of rpc_fixtures.json; it accepts each transaction whose nonce is
/// above the last one.
package final class FakeChain: Sendable {
    /// A fault that the node shows for one method.
    package enum Fault: Sendable {
        case status(Int)
        case text(String)
        case close
        case stall
        case error(JSON)
    }

    private struct State {
        var nonce: UInt64 = 103_595_482_000_005
        var nonces: [UInt64] = []
        var hashes: [String] = []
        var faults: [String: Fault] = [:]
        var permission: JSON = "FullAccess"
        var chain = "testnet"
        var status = "INCLUDED"
        var failure: JSON?
        var counts: [String: Int] = [:]
        var height: UInt64 = 180_000_000
        var logs: JSON = []
        /// An action that runs while the key is being looked up.
        var meanwhile: (@Sendable () -> Void)?
        /// The statuses and headers of the next answers of a method.
        var hiccups: [String: [(status: Int, headers: [String])]] = [:]
        /// True if a transaction is refused unless its nonce is above the key's, in order of
        /// arrival.
        var isStrict = false
        /// The nonce of the key after a transaction was sent, regardless of its outcome.
        var nonceAfterSending: UInt64?
    }

    private final class ChainState: Sendable {
        let state = Mutex(State())
    }

    private let chainState = ChainState()
    package let server: LoopbackServer

    package static let blockHash = "244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM"

    package init() throws {
        let chainState = chainState
        server = try LoopbackServer { request in Self.reply(request, chainState) }
    }

    /// The node with a long time limit for busy machines, or a short one if the test expects a
    /// timeout.
    package var node: NEARRPC {
        var settings = HTTPClient.Settings()
        let isStalled = chainState.state.withLock { state in
            state.faults.values.contains { if case .stall = $0 { true } else { false } }
        }
        settings.totalMillisecondsMax = isStalled ? 5_000 : 60_000
        return NEARRPC(url: server.url, client: HTTPClient(settings: settings))
    }

    package var courier: NEARCourier { NEARCourier(nodes: ["testnet": node]) }

    /// The nonces of the accepted transactions, in order.
    package var nonces: [UInt64] { chainState.state.withLock { $0.nonces } }
    package var hashes: [String] { chainState.state.withLock { $0.hashes } }

    package func nonce() -> UInt64 { chainState.state.withLock { $0.nonce } }

    package func count(of method: String) -> Int {
        chainState.state.withLock { $0.counts[method] ?? 0 }
    }

    package func fail(_ method: String, _ fault: Fault?) {
        chainState.state.withLock { $0.faults[method] = fault }
    }

    package func setPermission(_ permission: JSON) {
        chainState.state.withLock { $0.permission = permission }
    }
    package func setStatus(_ status: String) { chainState.state.withLock { $0.status = status } }
    package func setFailure(_ failure: JSON?) { chainState.state.withLock { $0.failure = failure } }
    package func setChain(_ name: String) { chainState.state.withLock { $0.chain = name } }

    /// Runs an action once, before the next answer about the key.
    package func during(_ meanwhile: @escaping @Sendable () -> Void) {
        chainState.state.withLock { $0.meanwhile = meanwhile }
    }

    /// Makes a transaction known, as if the node accepted it and lost the connection.
    package func know(_ hash: String) { chainState.state.withLock { $0.hashes.append(hash) } }

    package func setNonce(_ nonce: UInt64) { chainState.state.withLock { $0.nonce = nonce } }
    package func setNonceAfterSending(_ nonce: UInt64) {
        chainState.state.withLock { $0.nonceAfterSending = nonce }
    }
    /// Answers the next calls of a method with statuses, and the later ones as usual.
    package func hiccup(_ method: String, _ statuses: [Int], headers: [String] = []) {
        chainState.state.withLock { $0.hiccups[method] = statuses.map { ($0, headers) } }
    }
    package func setStrict() { chainState.state.withLock { $0.isStrict = true } }
    package func setLogs(_ logs: JSON) { chainState.state.withLock { $0.logs = logs } }
    package func setHeight(_ height: UInt64) { chainState.state.withLock { $0.height = height } }

    private static func reply(
        _ request: LoopbackServer.Request, _ chainState: ChainState
    ) -> LoopbackServer.Reply {
        guard let call = try? JSON.parse(request.body.span), let id = call["id"],
            let method = call["method"]?.text
        else { return .close }
        let name = call["params"]?["request_type"]?.text ?? method
        let fault = chainState.state.withLock { state in
            state.counts[name, default: 0] += 1
            if name == "send_tx", let nonce = state.nonceAfterSending { state.nonce = nonce }
            return state.faults[name]
        }
        let meanwhile = chainState.state.withLock { state in
            defer { if name == "view_access_key" { state.meanwhile = nil } }
            return name == "view_access_key" ? state.meanwhile : nil
        }
        meanwhile?()
        let hiccup = chainState.state.withLock { state in
            state.hiccups[name]?.isEmpty == false ? state.hiccups[name]?.removeFirst() : nil
        }
        if let hiccup {
            return .answer(status: hiccup.status, headers: hiccup.headers, body: [])
        }
        switch fault {
        case .status(let status): return .answer(status: status, body: [])
        case .text(let text):
            return .answer(
                status: 200,
                body: Array(text.replacing("ID", with: id.text ?? "").utf8))
        case .close: return .close
        case .stall: return .stall([])
        case .error(let error): return answer(id, "error", error)
        case nil: break
        }
        return chainState.state.withLock { state in
            switch result(name, call["params"] ?? .null, &state) {
            case .success(let json): answer(id, "result", json)
            case .failure(let fault): answer(id, "error", fault.json)
            }
        }
    }

    private struct Refused: Error { let json: JSON }

    private static func cause(_ name: String) -> Refused {
        Refused(json: ["name": "HANDLER_ERROR", "cause": ["name": .string(name), "info": [:]]])
    }

    private static func result(
        _ method: String, _ params: JSON, _ state: inout State
    ) -> Result<JSON, Refused> {
        switch method {
        case "status": return .success(["chain_id": .string(state.chain)])
        case "view_access_key":
            return .success([
                "nonce": .integer(Int64(state.nonce)), "permission": state.permission,
                "block_height": .integer(Int64(state.height)), "block_hash": .string(blockHash),
            ])
        case "view_account":
            return .success([
                "amount": "1000000000000000000000000", "locked": "0",
                "code_hash": "11111111111111111111111111111111", "storage_usage": 182,
            ])
        case "send_tx":
            guard let signed = try? Base64.decode(params["signed_tx_base64"]?.text ?? "") else {
                return .failure(cause("PARSE_ERROR"))
            }
            guard !state.isStrict || Self.nonce(of: signed) > state.nonce else {
                return .failure(
                    Refused(json: [
                        "name": "HANDLER_ERROR", "cause": ["name": "INVALID_TRANSACTION"],
                        "data": [
                            "TxExecutionError": [
                                "InvalidTxError": [
                                    "InvalidNonce": [
                                        "tx_nonce": .integer(Int64(Self.nonce(of: signed))),
                                        "ak_nonce": .integer(Int64(state.nonce)),
                                    ]
                                ]
                            ]
                        ],
                    ]))
            }
            return .success(take(signed, &state))
        case "tx":
            let hash = params["tx_hash"]?.text ?? ""
            guard state.hashes.contains(hash) else { return .failure(cause("UNKNOWN_TRANSACTION")) }
            // A client that waits gets an outcome, unless the test says that there is none.
            guard ["INCLUDED", "STARTED"].contains(state.status),
                params["wait_until"]?.text != "NONE"
            else {
                return .success(["final_execution_status": .string(state.status)])
            }
            let sender = params["sender_account_id"]?.text ?? ""
            return .success(outcome(hash, of: sender, nonce: 0, state.failure))
        default: return .failure(cause("METHOD_NOT_FOUND"))
        }
    }

    /// A transaction of version 0 begins with the signer, the key and the nonce.
    private static func nonce(of signed: [UInt8]) -> UInt64 {
        let start = 4 + Int(signed[0]) + 33
        return signed[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    private static func take(_ signed: [UInt8], _ state: inout State) -> JSON {
        let transaction = Array(signed.dropLast(65))
        let nonce = nonce(of: signed)
        let digest = Digest.sha256(transaction.span)
        let hash = Base58.encode(digest.span)
        state.nonce = max(state.nonce, nonce)
        state.nonces.append(nonce)
        state.hashes.append(hash)
        let signer = String(decoding: transaction[4..<4 + Int(transaction[0])], as: UTF8.self)
        return outcome(hash, of: signer, nonce: nonce, state.failure, logs: state.logs)
    }

    /// An outcome in the documented format.
    package static func outcome(
        _ hash: String, of signer: String, nonce: UInt64, _ failure: JSON? = nil, logs: JSON = []
    ) -> JSON {
        [
            "final_execution_status": "EXECUTED_OPTIMISTIC",
            "status": failure.map { ["Failure": $0] } ?? ["SuccessValue": ""],
            "transaction": [
                "signer_id": .string(signer), "hash": .string(hash),
                "nonce": .integer(Int64(nonce)),
            ],
            "transaction_outcome": ["id": .string(hash), "outcome": ["logs": logs]],
            "receipts_outcome": [],
        ]
    }

    private static func answer(_ id: JSON, _ name: String, _ json: JSON) -> LoopbackServer.Reply {
        let body = JSON.object(
            JSONObject([
                .init(name: "jsonrpc", value: "2.0"), .init(name: "id", value: id),
                .init(name: name, value: json),
            ]))
        return .answer(status: 200, body: body.write())
    }
}
