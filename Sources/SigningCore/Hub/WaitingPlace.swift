// SPDX-License-Identifier: Apache-2.0

/// Where a request that its client gave a name stands while it is answered, seen by every process
/// of a home.
public enum WaitingPlace: Sendable {
    /// Nobody else answers one of its name, for as long as this is held.
    case held(any Sendable)
    /// Another process answers the same request just now.
    case taken
    /// Another process answers a request of this name that says something else.
    case takenByAnother
}

extension LedgerReservations {
    /// As long as it takes: whoever freezes a record that one machine keeps is on that machine.
    public var reservationLasts: Duration? { nil }

    /// None: the record is this machine's alone.
    public var hubName: String? { nil }

    /// Held: where there is one process, `PendingRequests` knows all that waits.
    public func takePlace(
        named _: [UInt8], for _: [UInt8]
    ) throws(LedgerError) -> WaitingPlace { .held(()) }
}

extension SigningHub {
    /// Answers a request unless another process does: one question, and one answer.
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
            // The client hears the answer to the one that waits.
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
    /// What tells a request from others, whoever handed it over.
    fileprivate var text: String {
        let who =
            switch client {
            case .client(let id, let proof): "\(proof.rawValue) \(id)"
            case .key(let id): "key \(id.text)"
            }
        return "\(adapter.name)\u{0}\(who)\u{0}\(correlator)"
    }
}
