// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import SigningCodecs
import VectorFiles

@testable import NEARCourier

/// A node that gives one answer to every request, under the request's id.
struct Node {
    let server: LoopbackServer
    var rpc: NEARRPC { NEARRPC(url: server.url) }

    /// Answers with the members of an envelope, such as "result".
    init(_ members: JSON, status: Int = 200) throws {
        server = try LoopbackServer { request in
            var envelope: [JSONObject.Member] = [.init(name: "jsonrpc", value: "2.0")]
            let id = try? JSON.parse(request.body.span)["id"]
            envelope.append(.init(name: "id", value: id ?? .null))
            let rest = members.object?.members ?? []
            envelope += rest.filter { !["id", "jsonrpc"].contains($0.name) }
            return .answer(
                status: status, headers: ["Content-Type: application/json"],
                body: JSON.object(JSONObject(envelope)).write())
        }
    }

    /// Answers with any text as the result.
    init(result: String) throws {
        server = try LoopbackServer { request in
            let id = try? JSON.parse(request.body.span)["id"]?.text
            let text = "{\"jsonrpc\":\"2.0\",\"id\":\"\(id ?? "")\",\"result\":\(result)}"
            return .answer(status: 200, body: [UInt8](text.utf8))
        }
    }

    /// The request that it received, without the id.
    var asked: JSON? {
        guard let body = server.requests.first?.body, let json = try? JSON.parse(body.span) else {
            return nil
        }
        let members = json.object?.members ?? []
        return .object(JSONObject(members.filter { $0.name != "id" }))
    }
}

/// The exchanges of Tests/Vectors/near/rpc_fixtures.json, read at run time.
enum Exchanges {
    static let all: [String: JSON] = {
        let json = VectorFile.read("Vectors/near/rpc_fixtures.json")
        let pairs = (json["exchanges"]?.list ?? []).compactMap { exchange in
            exchange["name"]?.text.map { ($0, exchange) }
        }
        return Dictionary(pairs) { first, _ in first }
    }()

    static let hash = "244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM"
    static let key = "ed25519:1thX6LZfHDZZKUs92febYZhYRcXddmzfzF2NvTkPNE"
}
