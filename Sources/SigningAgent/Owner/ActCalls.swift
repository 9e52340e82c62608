// SPDX-License-Identifier: Apache-2.0

internal import SigningService
internal import Socket

extension HTTPHead {
    /// Returns the refusal of a request at the path of an act that is not a call of it: with
    /// another method or another query.
    func misdirected(calling act: ActDescription) -> HTTPResponse? {
        guard let operation = act.operation else { return .notFound }
        return misdirected(
            methods: [operation.method],
            query: operation.hasBody ? [] : act.arguments.map(\.name))
    }
}

/// One act at an agent, with what answers a call of it about the subject with an id.
struct ServedAct<Failure: Error> {
    let act: RoutedAct
    let answer: @Sendable (String) async throws(Failure) -> HTTPResponse

    init(
        _ act: RoutedAct,
        _ answer: @escaping @Sendable (String) async throws(Failure) -> HTTPResponse
    ) {
        self.act = act
        self.answer = answer
    }
}

extension Array {
    /// The answer of the act with a path to a request; "not found" for other paths.
    func served<Failure: Error>(
        _ request: HTTPRequest, at path: String
    ) async throws(Failure) -> HTTPResponse where Element == ServedAct<Failure> {
        for served in self {
            guard let id = served.act.id(in: path) else { continue }
            if let refusal = request.head.misdirected(calling: served.act.description) {
                return refusal
            }
            return try await served.answer(id)
        }
        return .notFound
    }
}
