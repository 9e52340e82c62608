// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
public import SigningCore

/// The reasons that no adapter can be chosen for a frame.
public enum ChoosingError: Error, Hashable, Sendable {
    /// The set has no adapter of this name.
    case unknownAdapter(String)
    /// The set has no adapter for URLs of this scheme.
    case unknownScheme(String)
    /// The frame begins like JSON but is invalid; the text says where.
    case malformed(String)
    /// The adapter is not clear from the frame, so the caller must name it.
    case ambiguous
}

extension AdapterSet {
    /// Step 2: chooses the adapter of a frame before the frame is decoded.
    ///
    /// A URL is chosen by its scheme; a JSON object by a member that only one wire has.
    public func choose(
        named name: String?, for frame: Span<UInt8>
    ) throws(ChoosingError) -> any ProtocolAdapter {
        guard let name else { return try adapter(knowing: frame) }
        guard let adapter = adapter(named: name) else { throw .unknownAdapter(name) }
        return adapter
    }

    /// The limits of the largest frame of any adapter.
    private static let limits = JSONLimits(
        bytesMax: 6 << 20, depthMax: 64, valuesMax: 300_000)

    private func adapter(
        knowing frame: Span<UInt8>
    ) throws(ChoosingError) -> any ProtocolAdapter {
        if let scheme = Self.scheme(of: frame) {
            let known = adapters.filter { $0.marks.schemes.contains(scheme) }
            // An adapter for a special form comes before the other adapters of the scheme.
            let own = known.first { ($0 as? any SharesScheme)?.isOwn(frame) ?? false }
            guard let adapter = own ?? known.first(where: { !($0 is any SharesScheme) }) else {
                throw .unknownScheme(scheme)
            }
            return adapter
        }
        let start = frame.indices.first { !Self.isSpace(frame[$0]) }
        guard let start, frame[start] == UInt8(ascii: "{") else { throw .ambiguous }
        let members: JSONObject?
        do throws(CodecError) {
            members = try JSON.parse(frame, limits: Self.limits).object
        } catch {
            throw .malformed(error.text)
        }
        guard let members else { throw .ambiguous }
        let known = adapters.filter { adapter in
            adapter.marks.members.contains { $0.allSatisfy { members[$0] != nil } }
        }
        guard let adapter = known.first, known.count == 1 else { throw .ambiguous }
        return adapter
    }

    /// True for white space in JSON (RFC 8259, 2).
    private static func isSpace(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }

    /// Returns the scheme before the first colon (RFC 3986, 3.1), in lower case.
    private static func scheme(of frame: Span<UInt8>) -> String? {
        let countMax = 64
        var scheme: [UInt8] = []
        for index in 0..<min(frame.count, countMax) {
            let byte = frame[index] | (frame[index] >= 0x41 && frame[index] <= 0x5A ? 0x20 : 0)
            switch byte {
            case UInt8(ascii: ":"):
                return scheme.count > 1 ? String(decoding: scheme, as: UTF8.self) : nil
            case 0x61...0x7A: scheme.append(byte)
            case 0x30...0x39, 0x2B, 0x2D, 0x2E:
                guard !scheme.isEmpty else { return nil }
                scheme.append(byte)
            default: return nil
            }
        }
        return nil
    }
}
