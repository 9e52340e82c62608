// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// The checks that every adapter must pass, for any wire.
///
/// Each function returns the problems as sentences; an empty list is a pass.
public enum AdapterConformance {
    /// Runs all checks, for a wire that finds the end of a frame in its bytes.
    ///
    /// `results` are the results for the operations of the first frame.
    public static func findings<Adapter: ProtocolAdapter>(
        _ adapter: Adapter, frames: [[UInt8]], results: [KeyResult], in context: DecodingContext
    ) async -> [String] {
        guard let first = frames.first else { return ["there is no frame to try"] }
        return decodesTheSameTwice(adapter, frames: frames, in: context)
            + raisesDeclaredFacts(adapter, frames: frames, in: context)
            + refusesPrefixes(adapter, of: first, in: context)
            + (await refusesOversize(adapter))
            + answersEveryReason(adapter, to: first, results: results, in: context)
            + asksOnlyForItsDomains(adapter, frames: frames, in: context, among: [])
    }

    /// Checks that decoding twice gives the same operations, facts and dangers.
    public static func decodesTheSameTwice(
        _ adapter: some ProtocolAdapter, frames: [[UInt8]], in context: DecodingContext
    ) -> [String] {
        frames.enumerated().compactMap { index, frame in
            do throws(AdapterError) {
                let first = try adapter.decode(frame.span, in: context)
                let second = try adapter.decode(frame.span, in: context)
                let isSame =
                    first.operations == second.operations && first.facts == second.facts
                    && first.dangers == second.dangers && first.summary == second.summary
                return isSame ? nil : "frame \(index) decodes differently the second time"
            } catch {
                return "frame \(index) is refused: \(error.reason)"
            }
        }
    }

    /// Checks that the schema declares every fact for requests of its method.
    public static func raisesDeclaredFacts(
        _ adapter: some ProtocolAdapter, frames: [[UInt8]], in context: DecodingContext
    ) -> [String] {
        frames.enumerated().flatMap { index, frame -> [String] in
            guard let request = try? adapter.decode(frame.span, in: context) else { return [] }
            let facts = request.facts + request.operations.flatMap(\.facts)
            return facts.compactMap { fact in
                guard let field = adapter.schema.field(named: fact.name) else {
                    return "frame \(index) raises \(fact.name), which no field declares"
                }
                let isOfMethod = field.methods?.contains(request.method) ?? true
                return isOfMethod
                    ? nil : "frame \(index): \(fact.name) is not declared for \(request.method)"
            }
        }
    }

    /// Checks that no proper prefix of a frame decodes to a request with operations.
    ///
    /// It is not for formats without an end, such as URLs.
    public static func refusesPrefixes(
        _ adapter: some ProtocolAdapter, of frame: [UInt8], in context: DecodingContext
    ) -> [String] {
        (0..<frame.count).compactMap { count in
            let cut = Array(frame[..<count])
            let isRefused = (try? adapter.decode(cut.span, in: context)) == nil
            return isRefused ? nil : "the first \(count) bytes alone are accepted"
        }
    }

    /// Checks that a frame over the limit is refused in the wire's format, without a question.
    public static func refusesOversize(_ adapter: some ProtocolAdapter) async -> [String] {
        let keys = RecordingKeyStore([], domains: [])
        let hub = SigningHub(
            policy: FixedPolicy(.allow([])), keyStore: keys, ledger: MemoryLedger(),
            approval: NoApproval(), environment: FixedEnvironment())
        let peer = Peer(channel: "conformance")
        let frame = Frame(
            bytes: [UInt8](repeating: 0x20, count: adapter.frameBytesMax + 1), peer: peer)
        guard case .refused(let error) = await hub.answer(frame, with: adapter).ending else {
            return ["a frame over the limit is answered"]
        }
        if error != adapter.refuseOversize(frameBytes: frame.bytes.count) {
            return ["the frame was looked at before it was refused"]
        }
        return error.code.isEmpty || error.reason.isEmpty ? ["the refusal says nothing"] : []
    }

    /// Checks that every reason, as a denial and as a failure, has a reply, and that it differs
    /// from the reply with these results.
    public static func answersEveryReason<Adapter: ProtocolAdapter>(
        _ adapter: Adapter, to frame: [UInt8], results: [KeyResult], in context: DecodingContext
    ) -> [String] {
        guard let request = try? adapter.decode(frame.span, in: context) else {
            return ["the frame is refused"]
        }
        let success = adapter.encode(.done(results), to: request)
        guard case .message = success else { return ["the results are not answered"] }
        return ReasonCode.allCases.flatMap { code in
            let reason = Reason(code, "reason text")
            return [Outcome.denied(reason), .failed(reason)].compactMap { outcome in
                let reply = adapter.encode(outcome, to: request)
                if reply == success { return "\(code): is answered like a success" }
                switch reply {
                case .message(let bytes): return bytes.isEmpty ? "\(code): empty answer" : nil
                case .deposit: return "\(code): lays something down"
                case .broadcast: return "\(code): broadcasts something"
                case .silence(let text):
                    return text.isEmpty ? "\(code): silent without reason" : nil
                case .undeliverable: return "\(code): has no answer"
                }
            }
        }
    }

    /// Checks that every requested preimage belongs to exactly one of the adapter's domains.
    public static func asksOnlyForItsDomains<Adapter: ProtocolAdapter>(
        _ adapter: Adapter, frames: [[UInt8]], in context: DecodingContext,
        among others: [SigningDomain]
    ) -> [String] {
        let registry = DomainRegistry(
            adapter.domains
                + others.filter { other in !adapter.domains.contains { $0.id == other.id } })
        return frames.enumerated().flatMap { index, frame -> [String] in
            guard let request = try? adapter.decode(frame.span, in: context) else {
                return ["frame \(index) is refused"]
            }
            return request.operations.compactMap { requested in
                guard case .sign(let input) = requested.operation else { return nil }
                do throws(DomainError) {
                    _ = try registry.message(for: input, by: requested.account)
                    return nil
                } catch {
                    return "frame \(index): \(error)"
                }
            }
        }
    }
}
