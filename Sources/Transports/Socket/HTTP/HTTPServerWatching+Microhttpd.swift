// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc

// Clients that leave before their answer, and connections that exceed their time.
extension HTTPServer {
    /// The time in milliseconds after which the server watches whether a waiting client leaves.
    ///
    /// Most answers are ready before, which saves the two system calls for watching.
    static let unwatchedMilliseconds: Int32 = 10

    /// Watches whether the client of a suspended exchange leaves.
    func watch(_ id: Int, on link: Int) {
        guard let socket = links[link]?.socket else { return }
        exchanges[id]?.isWatched = microhttpd_shim_watch_end(poller, socket, UInt64(id)) == 0
    }

    func unwatch(_ id: Int, on link: Int) {
        guard exchanges[id]?.isWatched == true, let socket = links[link]?.socket else { return }
        exchanges[id]?.isWatched = false
        microhttpd_shim_unwatch(poller, socket)
    }

    func watchLongWaits() {
        guard let first = newlyWaiting.first else { return }
        let now = ContinuousClock.now
        guard first.until <= now else { return }
        let grown = newlyWaiting.prefix { $0.until <= now }
        newlyWaiting.removeFirst(grown.count)
        for (id, _) in grown {
            guard let exchange = exchanges[id], unsafe exchange.resting != nil,
                !exchange.isWatched
            else { continue }
            watch(id, on: exchange.link)
        }
    }

    /// Closes connections that exceed their time.
    func sweep() {
        let now = ContinuousClock.now
        guard nextSweep <= now else { return }
        nextSweep = now + .milliseconds(Int(Self.tickMilliseconds))
        for (number, link) in links where link.deadline.map({ $0 <= now }) == true {
            links[number]?.deadline = nil
            tally.refuse("slow")
            shutdown(link.socket, Int32(SHUT_RDWR))
        }
    }
}
