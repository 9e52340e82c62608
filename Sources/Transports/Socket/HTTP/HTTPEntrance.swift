// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The source of connections of a server.
package struct HTTPEntrance: Sendable {
    /// Starts accepting connections; returns the listening descriptor.
    let listen: @Sendable () throws(TransportError) -> Int32
    /// Returns the peer of a descriptor; nil for another user.
    let peer: @Sendable (_ socket: Int32) -> HTTPPeer?
    /// Returns whether a connection still belongs to its user; called for each complete request.
    let isStillOpen: @Sendable (_ socket: Int32) -> Bool

    /// Makes an entrance.
    ///
    /// Without `isStillOpen` a connection belongs to its user until it ends. That holds for Unix
    /// sockets, where the kernel keeps the user who connected.
    package init(
        listen: @escaping @Sendable () throws(TransportError) -> Int32,
        isStillOpen: @escaping @Sendable (_ socket: Int32) -> Bool = { _ in true },
        peer: @escaping @Sendable (_ socket: Int32) -> HTTPPeer?
    ) {
        self.listen = listen
        self.isStillOpen = isStillOpen
        self.peer = peer
    }
}

/// A peer of this user at the other end of a connection.
package struct HTTPPeer: Sendable {
    let peer: Peer
    /// The process number, valid while it lives; 0 if the kernel does not report it.
    let process: Int32

    /// Makes a peer.
    package init(peer: Peer, process: Int32 = 0) {
        self.peer = peer
        self.process = process
    }
}

extension HTTPServer {
    /// Serves until the task is cancelled; returns false if the server ended earlier.
    ///
    /// `whenAccepting` is called once connections are accepted.
    package func serve(_ whenAccepting: () -> Void) async -> Bool {
        let over = Gate()
        start { over.open() }
        whenAccepting()
        return await withTaskCancellationHandler {
            await over.wait()
            return Task.isCancelled
        } onCancel: {
            over.open()
        }
    }
}
