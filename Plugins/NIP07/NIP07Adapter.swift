// SPDX-License-Identifier: Apache-2.0

public import Nostr
import SigningCodecs
public import SigningCore

/// The Nostr signer that web pages call as `window.nostr` (NIP-07).
///
/// A frame is one call as JSON, written by the program between the page and the hub.
public struct NIP07Adapter: ProtocolAdapter {
    /// The name of the adapter, `nip07`.
    public let id = AdapterID.nip07
    /// A member that no other wire has.
    public let marks = FrameMarks(members: [[NIP07Wire.methodMember]])
    /// The facts and dangers of Nostr requests.
    public let schema = NostrChain.schema
    /// The only domain is `nostr/event`.
    public let domains = NostrChain.domains
    /// The maximum size of a frame, 1 MiB.
    public let frameBytesMax = NIP07Wire.frameBytesMax

    /// The accounts that clients may use, as the owner set them.
    private let clients: ClientAccounts

    /// Creates the adapter.
    public init(clients: ClientAccounts = ClientAccounts()) { self.clients = clients }

    /// Reads one call.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> NIP07Request {
        do throws(NIP07Refusal) {
            return try NIP07Request(try NIP07Wire(frame), in: context, clients)
        } catch {
            throw error.adapterError
        }
    }

    /// Writes the value of the page's promise, or the reason that it is rejected.
    public func encode(_ outcome: Outcome, to request: NIP07Request) -> Reply {
        switch outcome {
        case .done(let results):
            do throws(NostrRefusal) {
                guard results.count == 1, let value = try request.value(results[0]) else {
                    return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
                }
                return .message((["result": value] as JSON).write())
            } catch {
                return .undeliverable(Reason(.undecryptable, error.reason))
            }
        case .denied(let reason), .failed(let reason): return NIP07Refusal(reason).reply
        }
    }

    /// Returns the refusal `payload_too_large`.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        NIP07Refusal(.payloadTooLarge, "a call has at most \(frameBytesMax) bytes").adapterError
    }
}

extension AdapterID {
    /// The wire of NIP-07 calls.
    public static let nip07 = AdapterID("nip07")
}
