// SPDX-License-Identifier: Apache-2.0

internal import CWebSockets
internal import Glibc

/// A library that is loaded when it is first needed, so that the program starts without it.
package struct RuntimeLibrary: Hashable, Sendable {
    /// The file name, such as `libcurl.so.4`, or the bare name if the program contains it.
    package let name: String
    /// The features that need the library.
    package let purpose: String
    /// The Debian packages of the library, for Debian 12 and 13.
    package let package: String

    /// True if the program contains the library.
    package let isLinked: Bool

    private init(name: String, purpose: String, package: String, isLinked: Bool = false) {
        self.name = name
        self.purpose = purpose
        self.package = package
        self.isLinked = isLinked
    }

    /// The library for HTTPS, used for nodes of networks and other servers.
    package static let curl = RuntimeLibrary(
        name: "libcurl.so.4", purpose: "requests over HTTPS to nodes and servers",
        package: "libcurl4 (Debian 13: libcurl4t64)")
    /// The library for WebSockets, used for relays and the signalling of Liquid Auth.
    package static let webSockets = RuntimeLibrary(
        name: unsafe String(cString: cws_library()),
        purpose: "clients over relays (bunker) and servers of Liquid Auth",
        package: "libwebsockets17 (Debian 13: libwebsockets19t64)", isLinked: cws_is_linked())
    /// The library for PostgreSQL, used for a record that several machines share.
    package static let postgres = RuntimeLibrary(
        name: "libpq.so.5", purpose: "hubs of a team, which share PostgreSQL", package: "libpq5")
    /// The library for D-Bus, used for logins and desktop notifications.
    package static let systemd = RuntimeLibrary(
        name: "libsystemd.so.0", purpose: "the agent's lock at logout, and notices on the desktop",
        package: "libsystemd0")

    /// All libraries.
    package static let all = [curl, webSockets, postgres, systemd]

    /// True if this process has loaded the library or can load it.
    package var isUsable: Bool { isOpened(RTLD_LAZY | RTLD_LOCAL) }

    /// True if this process has loaded the library.
    package var isLoaded: Bool { isOpened(RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD) }

    /// The advice for a missing library: the package to install.
    package var hint: String { "install the package \(package)" }

    private func isOpened(_ mode: Int32) -> Bool {
        if isLinked { return true }
        guard let handle = unsafe dlopen(name, mode) else { return false }
        unsafe dlclose(handle)
        return true
    }
}
