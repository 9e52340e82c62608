// SPDX-License-Identifier: Apache-2.0

public import Nostr
import SigningCodecs
public import SigningCore

/// The Nostr signer for web pages that call by URL and have no other (NIP-55, "Usage for Web
/// Applications").
///
/// A frame is the URL as UTF-8. The answer is the page's `callbackUrl` with the result behind it,
/// or where it names none the bare result, for the clipboard.
public struct NIP55Adapter: ProtocolAdapter {
    /// `nip55`.
    public let id = AdapterID("nip55")
    /// The scheme of the specification, which NIP-155 has as well.
    public let marks = FrameMarks(schemes: [NIP55URI.scheme])
    /// The facts and dangers of Nostr requests.
    public let schema = NostrChain.schema
    /// `nostr/event` and nothing else.
    public let domains = NostrChain.domains
    /// 1 MiB.
    public let frameBytesMax = NIP55URI.bytesMax

    /// The longest address that is opened with an answer.
    public let callbackBytesMax: Int
    /// Whether a signature holds; nil where zaps are not opened, for want of it.
    let verify: (@Sendable (SignatureClaim) -> Bool)?
    /// Which accounts clients get, as the owner set it.
    let clients: ClientAccounts

    /// The longest address that is opened, where nothing else is chosen.
    public static let usualCallbackBytesMax = 64 << 10

    /// Makes the adapter; `verify` checks BIP-340 signatures, which zaps cannot do without.
    public init(
        callbackBytesMax: Int = Self.usualCallbackBytesMax,
        verify: (@Sendable (SignatureClaim) -> Bool)? = nil,
        clients: ClientAccounts = ClientAccounts()
    ) {
        self.callbackBytesMax = callbackBytesMax
        self.verify = verify
        self.clients = clients
    }

    /// Reads one URL; a fault is told to nobody, for the form has no word for one.
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

    /// Writes the callback with the result, or the result.
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

    /// Silence, as for every fault.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        NIP55Refusal("payload_too_large", "a URL has at most \(frameBytesMax) bytes").adapterError
    }
}

extension NIP55Adapter: SharesScheme, PlacesAnswers, NamesClient {
    /// Whether a `nostrsigner:` URL is of this form: it has no authority, or it names a
    /// `callbackUrl`, which NIP-155 does not know.
    public func isOwn(_ address: Span<UInt8>) -> Bool { NIP55URI.isOwn(address) }

    /// The callback, or the clipboard where none is named.
    public func place(ofAnswersTo frame: Span<UInt8>) -> AnswerPlace {
        (try? NIP55URI(frame))?.values[.callbackURL] == nil ? .clipboard : .address
    }

    /// Whether the URL asks for a decryption, by its `type`.
    public func isDecrypted(answerTo frame: Span<UInt8>) -> Bool {
        let type = (try? NIP55URI(frame))?.values[.type]
        return type.flatMap(NostrMethod.init)?.decrypts ?? false
    }

    /// The result under the name that the callback ends with, as `?event=` does.
    public func form(of answer: [UInt8], to frame: Span<UInt8>) -> AnswerForm? {
        guard let uri = try? NIP55URI(frame), let callback = try? Callback(of: uri),
            let (action, name) = callback.field,
            let text = String(validating: answer, as: UTF8.self), text.hasPrefix(callback.text)
        else { return nil }
        let sent = String(text.dropFirst(callback.text.count))
        guard let result = try? PercentEncoding.decode(sent.utf8.span) else { return nil }
        return AnswerForm(action: action, fields: [AnswerForm.Field(name, result)])
    }

    /// The origin of the callback; nil where there is none.
    public func client(of frame: Span<UInt8>) -> Client? {
        guard let uri = try? NIP55URI(frame) else { return nil }
        return (try? Callback(of: uri))?.client
    }
}
