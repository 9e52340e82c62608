// SPDX-License-Identifier: Apache-2.0

/// Something under `/v1/` that is not the transport's own, served beside its requests.
package protocol SocketResource: Sendable {
    /// The answer to a request; nil where its path is not this one's.
    func respond(to request: HTTPRequest) async -> HTTPResponse?
}

extension HTTPHead {
    /// The refusal of what its method or query makes of it; nil where both are understood.
    ///
    /// `query` names the parameters that there may be, once each.
    package func misdirected(methods: [String], query names: [String] = []) -> HTTPResponse? {
        guard methods.contains(method) else {
            return .problem(405, "wrong_method", "it takes \(methods.joined(separator: ", "))")
                .with("Allow", methods.joined(separator: ", "))
        }
        for (place, item) in query.enumerated() {
            let isAgain = query[..<place].contains { $0.name == item.name }
            guard names.contains(item.name), !isAgain else {
                return .problem(400, "bad_query", "the query holds what is not understood")
            }
        }
        return nil
    }

    /// Whether the body says to be JSON.
    package var isJSON: Bool {
        let types = values(of: "content-type")
        guard types.count == 1, let text = types.first else { return false }
        // As nearly all write it.
        if text == "application/json" { return true }
        let type = text.split(separator: ";").first.map(String.init) ?? ""
        return type.lowercased().filter { !$0.isWhitespace } == "application/json"
    }
}

extension HTTPResponse {
    /// For what is not there.
    package static let notFound = problem(404, "not_found", "there is nothing of this name")
    /// For a connection that is not, or not any more, of a process of this user.
    static let otherUser = problem(
        403, "other_user", "this agent serves processes of its own user", closes: true)
    /// For a body that does not say to be JSON.
    package static let notJSON = problem(
        415, "not_json", "Content-Type has to be application/json")
}
