// SPDX-License-Identifier: Apache-2.0

/// Bounds a structured decoder keeps while it reads.
public struct CodecLimits: Hashable, Sendable {
    /// Longest input in bytes.
    public var bytesMax: Int
    /// Deepest nesting of containers.
    public var depthMax: Int
    /// Largest number of values, containers included, map names not.
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
