// SPDX-License-Identifier: Apache-2.0

/// The limits of a structured decoder.
public struct CodecLimits: Hashable, Sendable {
    /// The longest input in bytes.
    public var bytesMax: Int
    /// The deepest nesting of containers.
    public var depthMax: Int
    /// The largest number of values, including containers but not map names.
    public var valuesMax: Int

    /// Makes limits; the defaults suit one signing request.
    public init(bytesMax: Int = 1 << 20, depthMax: Int = 32, valuesMax: Int = 100_000) {
        self.bytesMax = bytesMax
        self.depthMax = depthMax
        self.valuesMax = valuesMax
    }
}

/// The limits of the JSON reader.
public typealias JSONLimits = CodecLimits
