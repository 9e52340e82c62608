// SPDX-License-Identifier: Apache-2.0

public import Nostr
import SigningCodecs
public import SigningCore

/// The Nostr signer for web pages that call by URL (NIP-55, "Usage for Web Applications").
///
/// A frame is the URL as UTF-8. The answer is the page's `callbackUrl` with the result appended.
/// Without a `callbackUrl` it is the result itself, for the clipboard.
public struct NIP55Adapter: ProtocolAdapter {
    /// The name of the adapter, `nip55`.
    public let id = AdapterID.nip55
    /// The scheme of the specification, which NIP-155 uses too.
    public let marks = FrameMarks(schemes: [NIP55URI.scheme])
    /// The facts and dangers of Nostr requests.
    public let schema = NostrChain.schema
    /// The only domain is `nostr/event`.
    public let domains = NostrChain.domains
    /// The maximum size of a frame, 1 MiB.
    public let frameBytesMax = NIP55URI.bytesMax

    /// The maximum length of an address that is opened with an answer, in bytes.
    public let callbackBytesMax: Int
    /// Returns true if a signature is valid; nil if zaps are not supported.
    let verify: (@Sendable (SignatureClaim) -> Bool)?
    /// The accounts that clients may use, as the owner set them.
    let clients: ClientAccounts

    /// The default maximum length of an opened address, in bytes.
    public static let usualCallbackBytesMax = 64 << 10

    /// Creates the adapter; `verify` checks BIP-340 signatures, which private zaps need.
    public init(
        callbackBytesMax: Int = Self.usualCallbackBytesMax,
        verify: (@Sendable (SignatureClaim) -> Bool)? = nil,
        clients: ClientAccounts = ClientAccounts()
    ) {
        self.callbackBytesMax = callbackBytesMax
        self.verify = verify
        self.clients = clients
    }

    /// Reads one URL; an error gets no reply, because the form defines no errors.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> NIP55Request {
        do throws(NIP55Refusal) {
            return try NIP55Request(
                try NIP55URI(frame), in: context, callbackBytesMax: callbackBytesMax,
                verify: verify, clients)
        } catch {
            throw error.adapterError
        }
    }

    /// Writes the callback with the result, or the result itself.
    public func encode(_ outcome: Outcome, to request: NIP55Request) -> Reply {
        switch outcome {
        case .denied(let reason), .failed(let reason): return .silence(reason.text)
        case .done(let results):
            do throws(NostrRefusal) {
                guard results.count == 1, let text = try request.text(results[0], verify: verify)
                else {
                    return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
                }
                guard let callback = request.callback else { return .message(Array(text.utf8)) }
                let address = callback.text + PercentEncoding.encode(text)
                guard address.utf8.count <= callbackBytesMax else {
                    return .undeliverable(
                        Reason(.undeliverable, "the result is too large for a callback"))
                }
                return .message(Array(address.utf8))
            } catch {
                return .undeliverable(Reason(.undecryptable, error.reason))
            }
        }
    }

    /// Returns the error without a reply.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        NIP55Refusal("payload_too_large", "a URL has at most \(frameBytesMax) bytes").adapterError
    }
}

extension NIP55Adapter: SharesScheme, PlacesAnswers, NamesClient {
    /// Returns true if a `nostrsigner:` URL has this form and not that of NIP-155.
    ///
    /// It has no authority, or it has a `callbackUrl`, which NIP-155 does not define.
    public func isOwn(_ address: Span<UInt8>) -> Bool { NIP55URI.isOwn(address) }

    /// Returns the callback, or the clipboard if the URL has no callback.
    public func place(ofAnswersTo frame: Span<UInt8>) -> AnswerPlace {
        (try? NIP55URI(frame))?.values[.callbackURL] == nil ? .clipboard : .address
    }

    /// Returns true if the URL asks for a decryption, by its `type`.
    public func isDecrypted(answerTo frame: Span<UInt8>) -> Bool {
        let type = (try? NIP55URI(frame))?.values[.type]
        return type.flatMap(NostrMethod.init)?.decrypts ?? false
    }

    /// Returns the result as a form field with the name at the end of the callback, such as
    /// `?event=`.
    public func form(of answer: [UInt8], to frame: Span<UInt8>) -> AnswerForm? {
        guard let uri = try? NIP55URI(frame), let callback = try? Callback(of: uri),
            let (action, name) = callback.field,
            let text = String(validating: answer, as: UTF8.self), text.hasPrefix(callback.text)
        else { return nil }
        let sent = String(text.dropFirst(callback.text.count))
        guard let result = try? PercentEncoding.decode(sent.utf8.span) else { return nil }
        return AnswerForm(action: action, fields: [AnswerForm.Field(name, result)])
    }

    /// Returns the origin of the callback as the client; nil without a callback.
    public func client(of frame: Span<UInt8>) -> Client? {
        guard let uri = try? NIP55URI(frame) else { return nil }
        return (try? Callback(of: uri))?.client
    }
}

extension AdapterID {
    /// The wire of NIP-55 URLs.
    public static let nip55 = AdapterID("nip55")
}
