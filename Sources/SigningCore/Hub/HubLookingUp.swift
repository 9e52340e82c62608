// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Reads a frame within the size limit, for a courier that has to look something up for it.
    package func read<Adapter: LooksUp>(
        _ frame: Frame, with adapter: Adapter
    ) throws(AdapterError) -> Adapter.Reading {
        try checkSize(of: frame, for: adapter)
        return try adapter.read(frame.bytes.span)
    }

    /// What an adapter may know of a frame, for a courier that has to look something up first.
    package func context(of frame: Frame, for protocolID: ProtocolID) -> DecodingContext {
        context(
            of: frame, for: protocolID, among: (try? keyStore.accounts()) ?? [],
            wasSeen: { _ in nil })
    }

    /// Draws fresh numbers, which no other request is given; `Ledger.drawSerials` says which.
    package func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) async throws(LedgerError) -> UInt64 {
        try await ledger.drawSerials(count, in: series, above: floor, below: ceiling)
    }

    /// Answers a frame that was read, with what was looked up for it; after step 9 `send` takes
    /// what the reply holds for a network there.
    package func answer<Adapter: LooksUp>(
        _ frame: Frame, read reading: Adapter.Reading, having lookup: Adapter.Lookup?,
        with adapter: Adapter, sending send: Sending?
    ) async -> Answer {
        await answer(with: adapter, send) { () throws(AdapterError) in
            try decode(frame, read: reading, having: lookup, with: adapter)
        }
    }

    /// Takes steps 3 to 5 of a frame that was read, and tells what they found.
    package func explain<Adapter: LooksUp>(
        _ frame: Frame, read reading: Adapter.Reading, having lookup: Adapter.Lookup?,
        with adapter: Adapter
    ) throws(AdapterError) -> Explanation {
        explain(
            try decode(frame, read: reading, having: lookup, with: adapter), with: adapter)
    }

    private func decode<Adapter: LooksUp>(
        _ frame: Frame, read reading: Adapter.Reading, having lookup: Adapter.Lookup?,
        with adapter: Adapter
    ) throws(AdapterError) -> Decoded<Adapter.Request> {
        try decode(frame, beside: lookup?.digested, by: adapter) { (context) throws(AdapterError) in
            try adapter.decode(reading, with: lookup, in: context)
        }
    }
}
