// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

// The places of connections and their clients.
extension HTTPServer {
    /// Makes room for a connection by closing the one that has been silent longest; false if none
    /// was silent for long enough.
    func makeRoom(of countedClient: CountedClient? = nil) -> Bool {
        let worked = Set(exchanges.values.filter { $0.task != nil }.map(\.link))
        let own = countedClient.map { countedClient in
            links.filter { $0.value.peer?.countedClient == countedClient }
        }
        guard let (number, link) = HTTPLink.silent(in: own ?? links, but: worked) else {
            return false
        }
        leavePlace(of: number)
        links[number]?.deadline = nil
        tally.refuse("idle")
        shutdown(link.socket, Int32(SHUT_RDWR))
        return true
    }

    /// Returns whether a process has the maximum number of connections of one process.
    ///
    /// So other processes can connect too. Connections are counted by process, because an access
    /// token comes only with a request.
    func isProcessFull(_ countedClient: CountedClient) -> Bool {
        countedClient.isOfMany && placesOf[countedClient, default: 0] >= servedMax - servedMax / 4
    }

    private func leavePlace(of number: Int) {
        guard let link = links[number], let place = link.place else { return }
        place.close()
        links[number]?.place = nil
        guard let countedClient = link.peer?.countedClient else { return }
        let left = (placesOf[countedClient] ?? 1) - 1
        placesOf[countedClient] = left > 0 ? left : nil
    }

    /// Removes a connection.
    func close(_ number: Int) {
        guard links[number] != nil else { return }
        leavePlace(of: number)
        links[number] = nil
        hasRoom = true
        tally.note { $0.connections -= 1 }
    }
}
