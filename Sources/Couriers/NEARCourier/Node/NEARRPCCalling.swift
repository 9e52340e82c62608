// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningNetwork

extension NEARRPC {
    /// The limits of an answer; the client also limits its length.
    static let limits = JSONLimits(bytesMax: 4 << 20, depthMax: 64, valuesMax: 200_000)

    /// The maximum number of tries of a lookup after temporary errors of the node or a gateway.
    static let triesMax = 3

    /// Calls a method and returns the result.
    ///
    /// A lookup is tried again after a status for a temporary error. A transaction is sent only
    /// once.
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

    /// The error of one try that gave no result.
    private struct Attempt: Error {
        /// The HTTP statuses of gateways and of overloaded nodes.
        private static let hiccups = [408, 429, 502, 503, 504]
        private static let pausesMilliseconds: [Int64] = [200, 800]
        /// The maximum wait that a node may ask for, in seconds.
        private static let retryAfterMax: Int64 = 5

        let refusal: RPCError
        var response: HTTPClient.Response?

        /// Returns the pause before the next try; nil if there should be none.
        func pause(after attempt: Int) -> Duration? {
            guard let response, refusal != .timeout, Self.hiccups.contains(response.status)
            else { return nil }
            let usual = Duration.milliseconds(
                Self.pausesMilliseconds[min(attempt, Self.pausesMilliseconds.count) - 1])
            guard let asked = response.headers.first(where: { $0.name == "retry-after" }) else {
                return usual
            }
            // The node names a date or a long wait, so this call does not try again.
            guard let seconds = Int64(asked.value), (0...Self.retryAfterMax).contains(seconds)
            else { return nil }
            return max(usual, .seconds(seconds))
        }
    }

    private func callOnce(
        _ method: String, _ parameters: JSON
    ) async throws(Attempt) -> JSON {
        // An answer with an older id, such as a cached one, does not count.
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

    /// Returns the error of a response; nodes report some errors with an HTTP status, such as 408.
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
        // The cause is a newer member with more details.
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
