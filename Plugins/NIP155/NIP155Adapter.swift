// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import Nostr
public import SigningCore

/// The Nostr signer protocol for apps and web pages that call by URL (NIP-155).
///
/// A frame is the request URL as UTF-8; the answer is the callback URL to open once.
public struct NIP155Adapter: ProtocolAdapter {
    /// The name of the adapter, `nip155`.
    public let id = AdapterID.nip155
    /// The scheme of the specification, and a scheme that only this signer has.
    public let marks = FrameMarks(schemes: NIP155Configuration.standardSchemes)
    /// The facts and dangers of Nostr requests.
    public let schema = NostrChain.schema
    /// The only domain is `nostr/event`.
    public let domains = NostrChain.domains
    /// Twice the maximum length of a request URL: the callbacks of a longer one are read for the
    /// error.
    public var frameBytesMax: Int { 2 * configuration.limits.urlBytesMax }
    /// The maximum size of a drop box, in bytes; 0 if drop boxes are off.
    public var enclosureBytesMax: Int {
        configuration.takesDropBoxes ? configuration.limits.dropBoxBytesMax : 0
    }

    /// The settings of the installation.
    public let configuration: NIP155Configuration

    /// Returns true if a signature is valid; nil if zaps are not supported.
    let verify: (@Sendable (SignatureClaim) -> Bool)?

    /// Creates the adapter; `verify` checks BIP-340 signatures, which private zaps need.
    public init(
        configuration: NIP155Configuration = NIP155Configuration(),
        verify: (@Sendable (SignatureClaim) -> Bool)? = nil
    ) {
        self.configuration = configuration
        self.verify = verify
    }

    /// Reads one URL; an error goes to `x-error` if the callbacks can be trusted.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> NIP155Request {
        let url: RequestURL
        do throws(NIP155Refusal) {
            url = try RequestURL(frame, for: configuration)
        } catch {
            throw Callbacks.none.refusal(error, for: configuration)
        }
        let parameters = Parameters(query: url.query)
        if !url.isAegisConnect, !url.hasAuthority || parameters.isNamed(.callbackURL) {
            throw Callbacks.none.refusal(Self.webForm, for: configuration)
        }
        let (callbacks, callbackRefusal) = Callbacks.read(
            parameters, for: configuration.callbackRules)
        do throws(NIP155Refusal) {
            if let refusal = parameters.refusal ?? callbackRefusal { throw refusal }
            let bytesMax = configuration.limits.urlBytesMax
            guard frame.count <= bytesMax else { throw .tooLarge("the URL", bytesMax: bytesMax) }
            if url.isAegisConnect { throw Self.connectForm }
            guard let success = callbacks.success else { throw .invalid("x-success is missing") }
            return try RequestReader(
                url: url, parameters: parameters, callbacks: callbacks, success: success,
                configuration: configuration, context: context, verify: verify
            ).request()
        } catch {
            let client = callbacks.success.map { success in
                context.client(claimedAs: RequestReader.client(parameters, answeredAt: success))
            }
            throw callbacks.refusal(
                error, for: configuration,
                of: UnconnectedRequest(method: parameters[.type] ?? "", client: client))
        }
    }

    /// Returns the error without a reply: a URL of this length is not searched for a callback.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        Callbacks.none.refusal(.tooLarge("the URL", bytesMax: frameBytesMax), for: configuration)
    }

    private static let webForm = NIP155Refusal(
        .unsupportedMethod, "this is the NIP-55 web form; use the wire nip55")
    private static let connectForm = NIP155Refusal(
        .unsupportedMethod, "this signer does not connect by NIP-46 in this form")
}

extension NIP155Adapter: SignedStatementReader {
    /// Parses a signed event; its JSON must follow the rules of NIP-01.
    public func readSigned(_ bytes: Span<UInt8>) throws(StatementError) -> SignedStatement {
        try SignedEvent.statement(bytes)
    }
}

extension AdapterID {
    /// The wire of NIP-155 URLs.
    public static let nip155 = AdapterID("nip155")
}
