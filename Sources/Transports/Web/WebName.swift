// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// A random name under `localhost`, which browsers resolve to their own machine.
///
/// Service workers, stored pages and storage belong to an origin. An earlier server of a port can
/// have left them under every name that it knew, but not under one that was drawn afterwards.
package struct WebName: Hashable, Sendable {
    /// The number of random bytes in a name.
    package static let byteCount = 16
    /// The part before `.localhost`: hex digits in lower case.
    package let label: String

    /// Makes a name of random bytes, at least 16.
    package init(_ random: [UInt8]) {
        precondition(random.count >= Self.byteCount, "too few random bytes for a name")
        let bytes = Array(random.prefix(Self.byteCount))
        label = Hex.encode(bytes.span)
    }

    /// Reads the label of a name that was drawn earlier; nil if the text is invalid.
    package init?(label: String) {
        guard label.utf8.count == 2 * Self.byteCount,
            label.utf8.allSatisfy({ Self.digits.contains($0) })
        else { return nil }
        self.label = label
    }

    private static let digits = Set("0123456789abcdef".utf8)

    /// The value of `Host` in requests to a port of this machine.
    func host(_ port: UInt16) -> String { "\(label).localhost:\(port)" }

    /// Returns the address of pages on a port of this machine, without a final slash.
    package func origin(port: UInt16) -> String { "http://\(host(port))" }
}

/// The names of the pages of one agent.
///
/// Each name serves its own pages and no others.
package struct WebNames: Hashable, Sendable {
    /// The name of the inbox, drawn at each start.
    package let inbox: WebName
    /// The name of the pages that other pages and apps open, drawn once per home; manifests and
    /// links contain it.
    package let windows: WebName

    /// Makes the names.
    package init(inbox: WebName, windows: WebName) {
        self.inbox = inbox
        self.windows = windows
    }

    /// Returns the site that a `Host` header selects; nil if it is not one of the names.
    func site(host: String, port: UInt16) -> WebSite? {
        switch host {
        case inbox.host(port): .inbox
        case windows.host(port): .windows
        default: nil
        }
    }
}

/// The two sets of pages.
enum WebSite: Hashable, Sendable {
    case inbox, windows
}
