// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

extension HTTPClient {
    /// Gets what stands at an address.
    package func get(_ url: String) async throws(HTTPError) -> Response {
        try await Self.onThreadOfItsOwn { () throws(HTTPError) in try get(url) }
    }

    /// Posts bytes to an address.
    package func post(
        _ body: [UInt8], to url: String, contentType: String
    ) async throws(HTTPError) -> Response {
        try await Self.onThreadOfItsOwn { () throws(HTTPError) in
            try post(body, to: url, contentType: contentType)
        }
    }

    /// Tasks share few threads, which a call that waits for a server must not hold.
    private static func onThreadOfItsOwn(
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
