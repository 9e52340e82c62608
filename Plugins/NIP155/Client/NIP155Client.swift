// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// An app or web page that asks a NIP-155 signer by URL and reads the answer.
///
/// It holds no key and does no cryptography: see `NIP155Answer` for what is left to verify.
public struct NIP155Client: Hashable, Sendable {
    /// The longest URL that is not compressed unless the client says otherwise.
    public static let plainURLBytesMax = 8 << 10
    /// The longest URL unless the client knows its signer: what every system passes on.
    public static let urlBytesMax = 64 << 10

    let scheme: String
    let callbacks: Callbacks
    let name: String?
    let homepage: String?
    let configuration: NIP155Configuration
    let plainURLBytesMax: Int

    /// Makes a client that is answered at these callbacks (NIP-155, sections 3.1 and 10).
    ///
    /// They are https, http of this machine or an app's scheme, all three of the same origin or
    /// scheme, and carry no name an answer needs. `scheme` chooses the signer, `name` (`x-source`)
    /// and `homepage` (`client_url`) are shown to the person; `limits` are what the signer is known
    /// to take.
    /// Throws `invalidClient`.
    public init(
        success: String, error: String? = nil, cancel: String? = nil,
        scheme: String = "nostrsigner", name: String? = nil, homepage: String? = nil,
        allowsLoopbackHTTP: Bool = true,
        limits: NIP155Limits = NIP155Limits(urlBytesMax: Self.urlBytesMax),
        plainURLBytesMax: Int = Self.plainURLBytesMax
    ) throws(NIP155ClientError) {
        let isOurs = NIP155Configuration().answers(scheme)
        guard isOurs || AppScheme.isUsable(scheme) else {
            throw .invalidClient("the scheme must be that of a signer, in lower case")
        }
        configuration = NIP155Configuration(
            extraSchemes: [scheme], allowsLoopbackHTTP: allowsLoopbackHTTP,
            xCallbackCompatible: true, limits: limits)
        // Read as a signer reads them: what it must refuse cannot be built.
        let query = Self.query([(.success, success), (.error, error), (.cancel, cancel)])
        let (callbacks, fault) = Callbacks.read(
            Parameters(query: query[...]), for: configuration)
        if let fault { throw .invalidClient(fault.reason) }
        for callback in [callbacks.success, callbacks.error, callbacks.cancel] {
            try callback?.checkOwnQuery()
        }
        if let homepage {
            let identity = (try? Callback(homepage, for: configuration))?.identity
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

    /// Makes the URL of a request whose payload stands in it.
    ///
    /// `id` (1 to 256 bytes) ties the answer to the request; choose one nobody can guess, for
    /// any page can open a callback. An answer by another account than `currentUser` is
    /// refused. The same arguments give the same request, so that a page which was loaded anew
    /// can make it again to read the answer. Throws `invalidCall` and `urlTooLong`.
    public func request(
        _ call: NIP155Call, id: String, currentUser: String? = nil,
        compression: NIP155Compression = .automatic
    ) throws(NIP155ClientError) -> NIP155PendingRequest {
        try RequestWriter(self, call, id: id, currentUser: currentUser)
            .request(compression: compression)
    }

    /// Makes the URL of a request whose payload lies in a drop box (NIP-155, section 8.2).
    ///
    /// The token is 16 to 128 of `A-Za-z0-9_-`, unguessable, and used once. Throws as
    /// `request(_:id:currentUser:compression:)` does, also where a call has no payload.
    public func request(
        _ call: NIP155Call, id: String, dropBoxToken: String, currentUser: String? = nil
    ) throws(NIP155ClientError) -> NIP155PendingRequest {
        try RequestWriter(self, call, id: id, currentUser: currentUser)
            .request(dropBoxToken: dropBoxToken)
    }

    /// A query of those parameters that have a value, encoded exactly once.
    ///
    /// Appendix A of the draft hands an encoded value to a library that encodes it again.
    static func query(_ parameters: [(name: Parameters.Name, value: String?)]) -> String {
        parameters.compactMap { name, value in
            value.map { "\(name.rawValue)=\(PercentEncoding.encode($0))" }
        }.joined(separator: "&")
    }
}
