// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Answers one frame with the courier of its chain.
    ///
    /// Lookups happen before step 3. Values that age are renewed before step 7. Items are sent
    /// after step 9.
    public func answer<Goer: Courier>(
        _ frame: Frame, with adapter: some ProtocolAdapter, by courier: Goer
    ) async -> Answer {
        guard let wire = adapter as? any LooksUp<Goer.Lookup> else {
            return await answer(frame, with: adapter, courier) { () throws(AdapterError) in
                try decode(frame, with: adapter)
            }
        }
        return await answerLookingUp(frame, wire, courier)
    }

    private func answerLookingUp<Wire: LooksUp>(
        _ frame: Frame, _ wire: Wire, _ courier: some Courier<Wire.Lookup>
    ) async -> Answer {
        do throws(AdapterError) {
            try checkSize(of: frame, for: wire)
            let reading = try wire.read(frame.bytes.span)
            guard let (first, second) = wire.decisions(in: reading) else {
                return try await answer(frame, reading, wire, courier)
            }
            return try await answer(frame, first, then: second, wire, courier)
        } catch {
            return await refused(error, frame, by: wire)
        }
    }

    private func answer<Wire: LooksUp>(
        _ frame: Frame, _ reading: Wire.Reading, _ wire: Wire, _ courier: some Courier<Wire.Lookup>
    ) async throws(AdapterError) -> Answer {
        let context = context(of: frame, for: courier.protocolID)
        var lookup: Wire.Lookup?
        if let need = try wire.need(of: reading, in: context) {
            do throws(Wire.Lookup.Failure) {
                lookup = try await courier.lookUp(need, in: context)
            } catch {
                throw wire.refuse(error)
            }
        }
        let aging = makeAging(frame, reading, lookup, wire, courier)
        return await answer(frame, with: wire, courier) { () throws(AdapterError) in
            try decode(frame, reading, having: lookup, with: wire, aging: aging)
        }
    }

    /// Returns the object that renews the values that age in a lookup; nil if the lookup has no
    /// such values.
    private func makeAging<Wire: LooksUp>(
        _ frame: Frame, _ reading: Wire.Reading, _ lookup: Wire.Lookup?, _ wire: Wire,
        _ courier: some Courier<Wire.Lookup>
    ) -> Aging<Wire.Request>? {
        guard let lookup, lookup.ages else { return nil }
        return Aging(in: lookup.lane, of: lanes) {
            (first: Decoded<Wire.Request>, hasWaited: Bool) async throws(Stop) in
            try await renewed(first, hasWaited, frame, reading, lookup, wire, courier)
        }
    }

    private func renewed<Wire: LooksUp>(
        _ first: Decoded<Wire.Request>, _ hasWaited: Bool, _ frame: Frame,
        _ reading: Wire.Reading, _ lookup: Wire.Lookup, _ wire: Wire,
        _ courier: some Courier<Wire.Lookup>
    ) async throws(Stop) -> Decoded<Wire.Request> {
        let context = context(of: frame, for: courier.protocolID)
        let fresh: Wire.Lookup
        do throws(Wire.Lookup.Failure) {
            fresh = try await courier.renew(
                lookup, in: context, hasWaited: hasWaited, drawingFrom: ledger)
        } catch {
            throw .refused(wire.refuse(error))
        }
        do throws(AdapterError) {
            return try decode(
                frame, reading, having: fresh, with: wire, aging: first.aging, after: first)
        } catch {
            throw .refused(error)
        }
    }

    /// Answers a frame that contains two requests, each of which is judged separately.
    ///
    /// The first is not carried out if the lookup for the second would fail. If the second fails
    /// later, the client receives only the reply to the second.
    private func answer<Wire: LooksUp>(
        _ frame: Frame, _ first: Wire.Reading, then second: Wire.Reading, _ wire: Wire,
        _ courier: some Courier<Wire.Lookup>
    ) async throws(AdapterError) -> Answer {
        let context = context(of: frame, for: courier.protocolID)
        if let need = try wire.need(of: second, in: context) {
            do throws(Wire.Lookup.Failure) {
                try await courier.check(need, in: context)
            } catch {
                throw wire.refuse(error)
            }
        }
        let one = try await answer(frame, first, wire, courier)
        guard case .outcome(.done) = one.ending, case .message(let message) = one.reply else {
            return one
        }
        let other = try await answer(frame, second, wire, courier)
        guard case .message(let more) = other.reply, let both = wire.joined(message, more) else {
            return other
        }
        return other.replying(both)
    }

    /// Returns the decoding context of a frame for a lookup before the frame is decoded.
    package func context(of frame: Frame, for protocolID: ProtocolID) -> DecodingContext {
        context(
            of: frame, for: protocolID, among: (try? keyStore.accounts()) ?? [],
            wasSeen: { _ in nil })
    }

    /// Returns the account that a client is connected to on a network; nil if there is none.
    package func account(
        connectedTo peer: Peer, in protocolID: ProtocolID, on network: String
    ) -> Account? {
        let context = context(of: Frame(bytes: [], peer: peer), for: protocolID)
        let connections = context.client.map { context.connections($0) } ?? []
        let last = connections.last { $0.network == network }
        return context.accounts.first { $0.id == last?.key }
    }

    /// Takes steps 3 to 5 of a frame with placeholders for network data; returns the results.
    func explain(
        _ frame: Frame, lookingUpNothing wire: some LooksUp
    ) throws(AdapterError) -> Explanation {
        try checkSize(of: frame, for: wire)
        let reading = try wire.read(frame.bytes.span)
        let context = context(of: frame, for: wire.schema.protocolID)
        let lookup = try wire.need(of: reading, in: context).flatMap { wire.placeholder(for: $0) }
        let decoded = try decode(frame, reading, having: lookup, with: wire)
        return explain(decoded, with: wire, isMadeUp: lookup != nil)
    }

    private func decode<Adapter: LooksUp>(
        _ frame: Frame, _ reading: Adapter.Reading, having lookup: Adapter.Lookup?,
        with adapter: Adapter, aging: Aging<Adapter.Request>? = nil,
        after first: Decoded<Adapter.Request>? = nil
    ) throws(AdapterError) -> Decoded<Adapter.Request> {
        try decode(
            frame, beside: lookup?.digested, by: adapter, aging: aging, after: first
        ) { (context) throws(AdapterError) in
            try adapter.decode(reading, with: lookup, in: context)
        }
    }
}
