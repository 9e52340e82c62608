// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningNetwork

extension NEARRPC {
    /// Bounds of an answer; its length is bounded by the client as well.
    static let limits = JSONLimits(bytesMax: 4 << 20, depthMax: 64, valuesMax: 200_000)

    /// Calls a method and returns the result.
    func call(_ method: String, _ parameters: JSON) async throws(RPCError) -> JSON {
        // A fresh one each time shows an answer that somebody kept from before.
        let id = JSON.string(String(UInt64.random(in: 0 ... .max), radix: 16))
        let request: JSON = [
            "jsonrpc": "2.0", "id": id, "method": .string(method), "params": parameters,
        ]
        let response: HTTPClient.Response
        do throws(HTTPError) {
            response = try await client.post(
                request.write(), to: url, contentType: "application/json")
        } catch { throw .transport(error) }
        guard response.status == Self.success else {
            throw Self.refusal(response, id: id)
        }
        let answer = try Self.read(response.body, id: id)
        if let error = answer["error"], !error.isNull { throw RPCError(error) }
        guard let result = answer["result"], !result.isNull else {
            throw .malformed("result is missing")
        }
        return result
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
