// SPDX-License-Identifier: Apache-2.0

public import NIP155Messages
import SigningCodecs

/// An app or web page that asks a NIP-155 signer by URL and reads the answer.
///
/// It holds no key and does no cryptography: see `NIP155Answer` for the checks that remain.
public struct NIP155Client: Hashable, Sendable {
    /// The default maximum length of a URL that is not compressed, in bytes.
    public static let plainURLBytesMax = 8 << 10
    /// The default maximum length of a URL, in bytes, which every system supports.
    public static let urlBytesMax = 64 << 10

    let scheme: String
    let callbacks: Callbacks
    let name: String?
    let homepage: String?
    let rules: CallbackRules
    let limits: NIP155Limits
    let plainURLBytesMax: Int

    /// Creates a client that gets answers at these callbacks (NIP-155, sections 3.1 and 10).
    ///
    /// The callbacks are https, http of this machine or an app scheme, all of the same origin or
    /// scheme. They must not contain the name of an answer parameter. `scheme` chooses the signer;
    /// `name` (`x-source`) and `homepage` (`client_url`) are shown to the person. `limits` are the
    /// known limits of the signer. Throws `invalidClient`.
    public init(
        success: String, error: String? = nil, cancel: String? = nil,
        scheme: String = "nostrsigner", name: String? = nil, homepage: String? = nil,
        allowsLoopbackHTTP: Bool = true,
        limits: NIP155Limits = NIP155Limits(urlBytesMax: Self.urlBytesMax),
        plainURLBytesMax: Int = Self.plainURLBytesMax
    ) throws(NIP155ClientError) {
        let isOurs = CallbackRules().answers(scheme)
        guard isOurs || AppScheme.isUsable(scheme) else {
            throw .invalidClient("the scheme must be a signer's scheme in lower case")
        }
        rules = CallbackRules(extraSchemes: [scheme], allowsLoopbackHTTP: allowsLoopbackHTTP)
        self.limits = limits
        // Read with the signer's code, so that a request it must refuse cannot be created.
        let query = Self.query([(.success, success), (.error, error), (.cancel, cancel)])
        let (callbacks, refusal) = Callbacks.read(
            RequestParameters(query: query[...]), for: rules)
        if let refusal { throw .invalidClient(refusal.reason) }
        for callback in [callbacks.success, callbacks.error, callbacks.cancel] {
            try callback?.checkOwnQuery()
        }
        if let homepage {
            let identity = (try? Callback(homepage, for: rules))?.identity
            guard identity?.utf8.starts(with: "https://".utf8) == true else {
                throw .invalidClient("the homepage must be an https URL")
            }
        }
        self.scheme = scheme
        self.callbacks = callbacks
        self.name = name
        self.homepage = homepage
        self.plainURLBytesMax = plainURLBytesMax
    }

    /// Creates the URL of a request with its payload.
    ///
    /// `id` (1 to 256 bytes) links the answer to the request. Choose one that is hard to guess,
    /// because any page can open a callback. An answer by another account than `currentUser` is
    /// refused. The same arguments create the same request, so a page that was loaded again can
    /// read the answer. Throws `invalidCall` and `urlTooLong`.
    public func request(
        _ call: NIP155Call, id: String, currentUser: String? = nil,
        compression: NIP155Compression = .automatic
    ) throws(NIP155ClientError) -> NIP155PendingRequest {
        try RequestWriter(self, call, id: id, currentUser: currentUser)
            .request(compression: compression)
    }

    /// Creates the URL of a request whose payload is in a drop box (NIP-155, section 8.2).
    ///
    /// The token is 16 to 128 of `A-Za-z0-9_-`, hard to guess, and used once. Throws like
    /// `request(_:id:currentUser:compression:)`, and also for a call without a payload.
    public func request(
        _ call: NIP155Call, id: String, dropBoxToken: String, currentUser: String? = nil
    ) throws(NIP155ClientError) -> NIP155PendingRequest {
        try RequestWriter(self, call, id: id, currentUser: currentUser)
            .request(dropBoxToken: dropBoxToken)
    }

    /// Returns a query of the parameters that have a value, encoded exactly once.
    ///
    /// The example in appendix A of the draft encodes a value twice.
    static func query(_ parameters: [(name: RequestParameter, value: String?)]) -> String {
        parameters.compactMap { name, value in
            value.map { "\(name.rawValue)=\(PercentEncoding.encode($0))" }
        }.joined(separator: "&")
    }
}
