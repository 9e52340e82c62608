// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import CWebSockets
internal import Glibc

/// The libraries for networks, each of which is loaded when it is first needed.
package enum NetworkLibraries {
    /// Loads all installed libraries, for a process that cannot load libraries later.
    ///
    /// A lookup of `localhost` loads the system's modules for host names, as far as it uses them;
    /// for modules that are missing later, DNS is used.
    package static func load() {
        _ = ccurl_is_ready()
        _ = cws_is_ready()
        var list: UnsafeMutablePointer<addrinfo>?
        if unsafe getaddrinfo("localhost", nil, nil, &list) == 0 { unsafe freeaddrinfo(list) }
    }
}
