// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import SigningService
internal import Synchronization

/// The calls that are being answered right now, each under the name that its client gave it.
///
/// A client that was cut off seals its call once more, which makes it another event. The one answer
/// goes to the client's key over all relays, so it is the answer to both.
final class CallsInFlight: Sendable {
    /// The name of a call: no client can take another's.
    private struct Name: Hashable {
        let signer: String
        let author: String
        let id: String

        init(_ envelope: OpenedEnvelope) {
            signer = envelope.open.connection.signer
            author = envelope.author
            id = envelope.call.id
        }
    }

    /// By name; as many as the transport has frames in flight.
    private let calls = Mutex<[Name: [UInt8]]>([:])

    /// Takes a call down; false where the same one is being answered already.
    ///
    /// One of the same name that says something else goes on to the signer, which refuses it as
    /// long as the other waits.
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

    /// Forgets a call, before its answer goes out: what comes later may not have seen that any more
    /// and is a call of its own.
    func leave(_ envelope: OpenedEnvelope) {
        calls.withLock { calls in
            let name = Name(envelope)
            if calls[name] == envelope.bytes { calls[name] = nil }
        }
    }
}
