// SPDX-License-Identifier: Apache-2.0

/// The result of trying to reserve a named request, for all processes of a home.
public enum WaitingPlace: Sendable {
    /// Reserved; other processes answer no request of this name while the value exists.
    case held(any Sendable)
    /// Another process is answering the same request.
    case taken
    /// Another process is answering a different request of this name.
    case takenByAnother
}

extension LedgerReservations {
    /// Nil: the record is of one machine, on which a freeze takes effect at once.
    public var reservationLasts: Duration? { nil }

    /// Nil: the record is not shared.
    public var hubName: String? { nil }

    /// Always `held`: with a single process, `PendingRequests` contains all waiting requests.
    public func takePlace(
        named _: [UInt8], for _: [UInt8]
    ) throws(LedgerError) -> WaitingPlace { .held(()) }
}

extension SigningHub {
    /// Answers a request unless another process is answering it, so that a person is asked once.
    func answerInPlace<Adapter: ProtocolAdapter>(
        _ key: PendingRequests.Key, _ decoded: Decoded<Adapter.Request>, with adapter: Adapter
    ) async -> Answer {
        let place: WaitingPlace
        do throws(LedgerError) {
            place = try ledger.takePlace(
                named: environment.sha256(key.text.utf8.span), for: decoded.digest)
        } catch {
            return await refusal(Stop(error), of: decoded, with: adapter)
        }
        switch place {
        case .held(let token):
            let answer = await answer(to: decoded, with: adapter)
            return withExtendedLifetime(token) { answer }
        case .taken:
            // The client gets the answer from the other process.
            let reason = Reason(
                .pendingConflict, "the same request waits for its answer in another process")
            return Answer(
                reply: .silence(reason.text), ending: .outcome(.denied(reason)), remembered: [])
        case .takenByAnother:
            return await refusal(.denied(.pendingConflict), of: decoded, with: adapter)
        }
    }
}

extension PendingRequests.Key {
    /// A text for the client, the wire and the client's name for the request, without the peer.
    fileprivate var text: String {
        let clientText =
            switch client {
            case .client(let id, let proof): "\(proof.rawValue) \(id)"
            case .key(let id): "key \(id.text)"
            }
        return "\(adapter.name)\u{0}\(clientText)\u{0}\(correlator)"
    }
}
