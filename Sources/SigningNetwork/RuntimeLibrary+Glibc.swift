// SPDX-License-Identifier: Apache-2.0

internal import CWebSockets
internal import Glibc

/// A library that is loaded when it is first needed, so that the product starts without it.
package struct RuntimeLibrary: Hashable, Sendable {
    /// The name of its file, such as `libcurl.so.4`.
    package let name: String
    /// The features that need the library.
    package let purpose: String
    /// The Debian packages that have it, for Debian 12 and 13.
    package let package: String

    /// For nodes of networks, and servers that are asked over HTTPS.
    package static let curl = RuntimeLibrary(
        name: "libcurl.so.4", purpose: "requests over HTTPS to nodes and servers",
        package: "libcurl4 (Debian 13: libcurl4t64)")
    /// For relays, and the signalling of Liquid Auth.
    package static let webSockets = RuntimeLibrary(
        name: unsafe String(cString: cws_library()),
        purpose: "clients over relays (bunker) and servers of Liquid Auth",
        package: "libwebsockets17 (Debian 13: libwebsockets19t64)")
    /// For a record that several machines share.
    package static let postgres = RuntimeLibrary(
        name: "libpq.so.5", purpose: "hubs of a team, which share PostgreSQL", package: "libpq5")
    /// For logins and notices of the desktop.
    package static let systemd = RuntimeLibrary(
        name: "libsystemd.so.0", purpose: "the agent's lock at logout, and notices on the desktop",
        package: "libsystemd0")

    /// Every one there is.
    package static let all = [curl, webSockets, postgres, systemd]

    /// Tells whether this process has loaded the library or can load it.
    package var isUsable: Bool { isOpened(RTLD_LAZY | RTLD_LOCAL) }

    /// Tells whether this process has loaded the library.
    package var isLoaded: Bool { isOpened(RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD) }

    /// The advice where the library is missing: the package to install.
    package var hint: String { "install the package \(package)" }

    private func isOpened(_ mode: Int32) -> Bool {
        guard let handle = unsafe dlopen(name, mode) else { return false }
        unsafe dlclose(handle)
        return true
    }
}
