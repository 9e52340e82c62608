// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import CWebSockets
internal import Glibc

/// The libraries that speak with networks, each of which is loaded when it is first needed.
package enum NetworkLibraries {
    /// Loads those that are there, for a process that can load none afterwards.
    ///
    /// What the system looks up names of hosts with comes along as far as a look at `localhost`
    /// brings it; where more of it is missing then, DNS is asked.
    package static func load() {
        _ = ccurl_is_ready()
        _ = cws_is_ready()
        var list: UnsafeMutablePointer<addrinfo>?
        if unsafe getaddrinfo("localhost", nil, nil, &list) == 0 { unsafe freeaddrinfo(list) }
    }
}
