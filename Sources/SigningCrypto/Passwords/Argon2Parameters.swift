// SPDX-License-Identifier: Apache-2.0

/// The cost of deriving a key from a passphrase.
///
/// The values may come from a file. They are checked on use, so that a changed file causes neither
/// a weak key nor an endless computation.
public struct Argon2Parameters: Hashable, Sendable {
    /// The memory that the computation fills, in KiB.
    public let memoryKiB: Int
    /// The number of times that the memory is filled.
    public let passes: Int

    /// Makes parameters without a check; they may be outside the accepted range.
    public init(memoryKiB: Int, passes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
    }

    /// The parameters of new keys: 64 MiB, 3 passes.
    public static let standard = Argon2Parameters(memoryKiB: 64 * 1024, passes: 3)
    /// The lowest accepted parameters: 19 MiB, 2 passes.
    public static let floor = Argon2Parameters(memoryKiB: 19 * 1024, passes: 2)
    /// The highest accepted parameters: 1 GiB, 20 passes.
    public static let ceiling = Argon2Parameters(memoryKiB: 1024 * 1024, passes: 20)

    /// True if memory and passes are both between `floor` and `ceiling`.
    public var isSupported: Bool {
        (Self.floor.memoryKiB...Self.ceiling.memoryKiB).contains(memoryKiB)
            && (Self.floor.passes...Self.ceiling.passes).contains(passes)
    }
}
