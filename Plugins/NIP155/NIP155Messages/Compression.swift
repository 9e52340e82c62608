// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs

/// The encoding of large texts.
public enum Compression: String, Hashable, Sendable {
    /// Plain text.
    case none
    /// Base64 of gzip.
    case gzip

    /// Parses the parameter; a missing one means no compression.
    public init(_ text: String?) throws(NIP155Refusal) {
        guard let text else {
            self = .none
            return
        }
        guard let known = Compression(rawValue: text) else {
            throw .invalid("compressionType must be none or gzip")
        }
        self = known
    }

    /// Returns the text of a payload parameter.
    public func unpack(
        _ value: String, named name: RequestParameter, bytesMax: Int
    ) throws(NIP155Refusal) -> String {
        try unpack(value, named: name.rawValue, bytesMax: bytesMax)
    }

    /// Returns the text of any value.
    public func unpack(
        _ value: String, named name: String, bytesMax: Int, ratioMax: Int = Gzip.ratioMax
    ) throws(NIP155Refusal) -> String {
        guard self == .gzip else {
            guard value.utf8.count <= bytesMax else {
                throw .tooLarge(name, bytesMax: bytesMax)
            }
            return value
        }
        do throws(CodecError) {
            let packed = try Base64.decode(value, alphabet: .either, padding: .optional)
            let text = try Gzip.decompress(
                packed.span, outputMax: bytesMax, ratioMax: ratioMax)
            return try UTF8Text.decode(text.span)
        } catch .tooLong(let limit) {
            guard limit >= bytesMax else {
                throw NIP155Refusal(
                    .payloadTooLarge, "\(name) is more than \(ratioMax) times its compressed size")
            }
            throw .tooLarge("\(name) after decompression", bytesMax: limit)
        } catch {
            throw .invalid("\(name) is not Base64 of gzip of UTF-8: \(error.text)")
        }
    }

    /// Returns the value of an answer parameter.
    public func pack(_ text: String) throws(NIP155Refusal) -> String {
        guard self == .gzip else { return text }
        guard let packed = try? Gzip.compress(text.utf8.span) else {
            throw NIP155Refusal(.internalError, "the result could not be compressed")
        }
        return Base64.encode(packed.span)
    }
}
