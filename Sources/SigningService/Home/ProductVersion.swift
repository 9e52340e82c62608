// SPDX-License-Identifier: Apache-2.0

/// The version of Countersign that a program is built from.
public struct ProductVersion: Hashable, Sendable {
    /// The version number that all parts share.
    public static let number = "0.1.0"

    /// The build ID that the linker wrote into the program, in hex; nil if absent.
    public let build: String?

    /// The version number with the beginning of the build ID, for people.
    public var text: String { Self.text(Self.number, build: build) }

    /// Makes the version of a build.
    public init(build: String? = nil) {
        self.build = build
    }

    /// Returns a version number with the beginning of a build ID, for people.
    package static func text(_ number: String, build: String?) -> String {
        build.map { "\(number) (build \($0.prefix(buildDigitsShown)))" } ?? number
    }

    private static let buildDigitsShown = 12
}
