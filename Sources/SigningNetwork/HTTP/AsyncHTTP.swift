// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

extension HTTPClient {
    /// Sends a GET request.
    package func get(_ url: String) async throws(HTTPError) -> Response {
        try await Self.onSeparateThread { () throws(HTTPError) in try get(url) }
    }

    /// Sends a POST request.
    package func post(
        _ body: [UInt8], to url: String, contentType: String
    ) async throws(HTTPError) -> Response {
        try await Self.onSeparateThread { () throws(HTTPError) in
            try post(body, to: url, contentType: contentType)
        }
    }

    /// Runs a body on a separate thread: tasks share few threads, which must not block on a server.
    private static func onSeparateThread(
        _ call: @escaping @Sendable () throws(HTTPError) -> Response
    ) async throws(HTTPError) -> Response {
        let result: Result<Response, HTTPError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result(catching: call))
            }
        }
        return try result.get()
    }
}
