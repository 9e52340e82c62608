// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc

// Who leaves while an answer is made, and whose time is over.
extension HTTPServer {
    /// How long an answer may take before the client is watched: most are there by then, and to
    /// watch costs two calls of the kernel.
    static let youthMilliseconds: Int32 = 10

    /// Has it told when the client of an exchange that rests leaves.
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
        guard let first = young.first else { return }
        let now = ContinuousClock.now
        guard first.until <= now else { return }
        let grown = young.prefix { $0.until <= now }
        young.removeFirst(grown.count)
        for (id, _) in grown {
            guard let exchange = exchanges[id], unsafe exchange.resting != nil,
                !exchange.isWatched
            else { continue }
            watch(id, on: exchange.link)
        }
    }

    /// Cuts connections whose time is over.
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
