// SPDX-License-Identifier: Apache-2.0

import NIP155
import SigningCodecs
public import SigningCore

/// Why no adapter could be chosen for a frame.
public enum ChoosingError: Error, Hashable, Sendable {
    /// No adapter has this name.
    case unknownAdapter(String)
    /// No adapter reads URLs of this scheme.
    case unknownScheme(String)
    /// The frame begins like JSON and is none; the text says where.
    case malformed(String)
    /// The frame does not say what it is; the caller has to name the adapter.
    case ambiguous
}

extension AdapterSet {
    /// Step 2: names the adapter of a frame before anything of it is decoded.
    ///
    /// A URL is chosen by its scheme; a JSON object by the member that only one wire has.
    public func choose(
        named name: String?, for frame: Span<UInt8>
    ) throws(ChoosingError) -> any ProtocolAdapter {
        let chosen = if let name { name } else { try Self.name(for: frame) }
        guard let adapter = adapter(named: chosen) else { throw .unknownAdapter(chosen) }
        return adapter
    }

    /// As much as the largest frame of any adapter may hold.
    private static let limits = JSONLimits(
        bytesMax: 6 << 20, depthMax: 64, valuesMax: 300_000)

    private static func name(for frame: Span<UInt8>) throws(ChoosingError) -> String {
        if let scheme = scheme(of: frame) {
            guard NIP155Configuration.standardSchemes.contains(scheme) else {
                throw .unknownScheme(scheme)
            }
            return "nip155"
        }
        let start = frame.indices.first { !isSpace(frame[$0]) }
        guard let start, frame[start] == UInt8(ascii: "{") else { throw .ambiguous }
        let members: JSONObject?
        do throws(CodecError) {
            members = try JSON.parse(frame, limits: limits).object
        } catch {
            throw .malformed(error.text)
        }
        guard let members else { throw .ambiguous }
        if members["reference"] != nil { return "arc27" }
        if members["message"] != nil, members["recipient"] != nil { return "nep413" }
        if members["method"] != nil, members["params"] != nil { return "nep413" }
        throw .ambiguous
    }

    /// What JSON calls white space (RFC 8259, 2).
    private static func isSpace(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }

    /// The scheme in front of the first colon (RFC 3986, 3.1), in lower case.
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
