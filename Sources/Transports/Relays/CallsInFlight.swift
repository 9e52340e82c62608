// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import Synchronization

/// The calls that are being answered, each identified by the client's id for it.
///
/// After a lost socket, a client encrypts its call again, in another event. The answer goes to the
/// key of the client over all relays, so one answer is enough for both events.
final class CallsInFlight: Sendable {
    /// The name of a call; it includes the client's key, so clients cannot interfere.
    private struct Name: Hashable {
        let signer: String
        let author: String
        let id: String

        init(_ envelope: OpenedEnvelope) {
            signer = envelope.connection.signer
            author = envelope.author
            id = envelope.call.id
        }
    }

    /// The calls by name; at most as many as the transport may have frames in flight.
    private let calls = Mutex<[Name: [UInt8]]>([:])

    /// Adds a call; false if an identical call is being answered.
    ///
    /// Another call with the same name goes to the signer, which refuses it while the first one
    /// waits.
    func enter(_ envelope: OpenedEnvelope) -> Bool {
        calls.withLock { calls in
            let name = Name(envelope)
            guard let other = calls[name] else {
                calls[name] = envelope.bytes
                return true
            }
            return other != envelope.bytes
        }
    }

    /// Removes a call before its answer is sent: a later call with this name is a new one.
    func leave(_ envelope: OpenedEnvelope) {
        calls.withLock { calls in
            let name = Name(envelope)
            if calls[name] == envelope.bytes { calls[name] = nil }
        }
    }
}
