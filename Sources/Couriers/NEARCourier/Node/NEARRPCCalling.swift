// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningNetwork

extension NEARRPC {
    /// Bounds of an answer; its length is bounded by the client as well.
    static let limits = JSONLimits(bytesMax: 4 << 20, depthMax: 64, valuesMax: 200_000)

    /// How often a lookup is tried where the node, or what stands before it, has a hiccup.
    static let triesMax = 3

    /// Calls a method and returns the result.
    ///
    /// A lookup is tried again after a status that says "not now"; what is handed over never is.
    func call(
        _ method: String, _ parameters: JSON, triesMax: Int = Self.triesMax
    ) async throws(RPCError) -> JSON {
        var attempt = 1
        while true {
            do throws(Attempt) {
                return try await callOnce(method, parameters)
            } catch {
                guard attempt < triesMax, let pause = error.pause(after: attempt) else {
                    throw error.refusal
                }
                do { try await Task.sleep(for: pause) } catch { throw RPCError.timeout }
                attempt += 1
            }
        }
    }

    /// How one try ended without a result.
    private struct Attempt: Error {
        /// Statuses of gateways and of nodes that have too much to do.
        private static let hiccups = [408, 429, 502, 503, 504]
        private static let pausesMilliseconds: [Int64] = [200, 800]
        /// The longest wait that a node may ask for, in seconds.
        private static let retryAfterMax: Int64 = 5

        let refusal: RPCError
        var response: HTTPClient.Response?

        /// How long to wait before the next try; nil where there is to be none.
        func pause(after attempt: Int) -> Duration? {
            guard let response, refusal != .timeout, Self.hiccups.contains(response.status)
            else { return nil }
            let usual = Duration.milliseconds(
                Self.pausesMilliseconds[min(attempt, Self.pausesMilliseconds.count) - 1])
            guard let asked = response.headers.first(where: { $0.name == "retry-after" }) else {
                return usual
            }
            // A date, or longer than anybody waits here: the next try is the client's.
            guard let seconds = Int64(asked.value), (0...Self.retryAfterMax).contains(seconds)
            else { return nil }
            return max(usual, .seconds(seconds))
        }
    }

    private func callOnce(
        _ method: String, _ parameters: JSON
    ) async throws(Attempt) -> JSON {
        // A fresh one each time shows an answer that somebody kept from before.
        let id = JSON.string(String(UInt64.random(in: 0 ... .max), radix: 16))
        let request: JSON = [
            "jsonrpc": "2.0", "id": id, "method": .string(method), "params": parameters,
        ]
        let response: HTTPClient.Response
        do throws(HTTPError) {
            response = try await client.post(
                request.write(), to: url, contentType: "application/json")
        } catch { throw Attempt(refusal: .transport(error)) }
        guard response.status == Self.success else {
            throw Attempt(refusal: Self.refusal(response, id: id), response: response)
        }
        do throws(RPCError) {
            let answer = try Self.read(response.body, id: id)
            if let error = answer["error"], !error.isNull { throw RPCError(error) }
            guard let result = answer["result"], !result.isNull else {
                throw .malformed("result is missing")
            }
            return result
        } catch { throw Attempt(refusal: error) }
    }

    private static let success = 200

    /// Nodes give some errors with a status of their own, such as 408 for the end of a wait.
    private static func refusal(_ response: HTTPClient.Response, id: JSON) -> RPCError {
        guard let answer = try? read(response.body, id: id), let error = answer["error"],
            error.object != nil
        else { return .http(status: response.status) }
        return RPCError(error)
    }

    private static func read(_ body: [UInt8], id: JSON) throws(RPCError) -> JSON {
        let answer: JSON
        do throws(CodecError) {
            answer = try JSON.parse(body.span, limits: limits)
        } catch { throw .malformed(error.text) }
        guard try answer.member("id") == id else { throw .malformed("it is for another request") }
        return answer
    }
}

extension RPCError {
    /// Reads the error object of a node.
    init(_ json: JSON) {
        // The cause is newer and says more.
        let name = json["cause"]?["name"]?.text ?? json["name"]?.text ?? "error"
        let message = json["data"]?.text ?? json["message"]?.text ?? ""
        let other = RPCError.server(name: name.visible, message: message.visible)
        switch name {
        case "UNKNOWN_ACCESS_KEY": self = .unknownAccessKey
        case "UNKNOWN_ACCOUNT": self = .unknownAccount
        case "TIMEOUT_ERROR": self = .timeout
        case "INVALID_TRANSACTION":
            let reason = json["data"]?["TxExecutionError"]?["InvalidTxError"]
            self = reason.flatMap(InvalidTransaction.init).map(Self.invalidTransaction) ?? other
        default: self = other
        }
    }
}
