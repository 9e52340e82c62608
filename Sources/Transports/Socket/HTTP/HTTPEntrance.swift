// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// Where connections come in.
package struct HTTPEntrance: Sendable {
    /// Begins to take them in: the descriptor that listens.
    let listen: @Sendable () throws(TransportError) -> Int32
    /// Who comes by a descriptor; nil for another user.
    let peer: @Sendable (_ socket: Int32) -> HTTPPeer?
    /// Whether a connection still belongs to the user it was opened by, asked for each request once
    /// all of it has been read.
    let isStillOpen: @Sendable (_ socket: Int32) -> Bool

    /// Puts them together.
    ///
    /// Without `isStillOpen` a connection belongs to its user until it ends, as with Unix sockets,
    /// where the kernel keeps who connected.
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

/// Somebody of this user at the other end of a connection.
package struct HTTPPeer: Sendable {
    let peer: Peer
    /// The process, as long as it lives; 0 where the kernel does not tell.
    let process: Int32

    /// Names them.
    package init(peer: Peer, process: Int32 = 0) {
        self.peer = peer
        self.process = process
    }
}

extension HTTPServer {
    /// Serves until the task is cancelled; false where it ended by itself.
    ///
    /// `tell` is called once connections are taken in.
    package func serve(_ tell: () -> Void) async -> Bool {
        let over = Gate()
        start { over.open() }
        tell()
        return await withTaskCancellationHandler {
            await over.wait()
            return Task.isCancelled
        } onCancel: {
            over.open()
        }
    }
}
