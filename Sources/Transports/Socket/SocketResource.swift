// SPDX-License-Identifier: Apache-2.0

/// A resource under `/v1/` beyond the transport's own requests.
package protocol SocketResource: Sendable {
    /// Returns the answer to a request; nil if the path is not this resource's.
    func respond(to request: HTTPRequest) async -> HTTPResponse?
}

extension HTTPHead {
    /// Returns the refusal of an unknown method or query; nil if both are known.
    ///
    /// `query` names the permitted parameters, once each.
    package func misdirected(methods: [String], query names: [String] = []) -> HTTPResponse? {
        guard methods.contains(method) else {
            return .problem(405, "wrong_method", "use \(methods.joined(separator: ", "))")
                .with("Allow", methods.joined(separator: ", "))
        }
        for (place, item) in query.enumerated() {
            let isAgain = query[..<place].contains { $0.name == item.name }
            guard names.contains(item.name), !isAgain else {
                return .problem(400, "bad_query", "the query has an unknown parameter or value")
            }
        }
        return nil
    }

    /// True if the content type of the body is JSON.
    package var isJSON: Bool {
        let types = values(of: "content-type")
        guard types.count == 1, let text = types.first else { return false }
        // The usual spelling.
        if text == "application/json" { return true }
        let type = text.split(separator: ";").first.map(String.init) ?? ""
        return type.lowercased().filter { !$0.isWhitespace } == "application/json"
    }
}

extension HTTPResponse {
    /// The response with metrics in the text format of Prometheus.
    package static func metrics(_ text: String) -> HTTPResponse {
        HTTPResponse(
            200, type: "text/plain; version=0.0.4; charset=utf-8", body: Array(text.utf8))
    }

    /// The response for an unknown path or id.
    package static let notFound = problem(404, "not_found", "not found")
    /// The response for a connection whose process does not belong to this user, or no longer does.
    static let otherUser = problem(
        403, "other_user", "this agent serves only processes of its own user", closes: true)
    /// The response for a body with another content type than JSON.
    package static let notJSON = problem(
        415, "not_json", "Content-Type must be application/json")
}
