// SPDX-License-Identifier: Apache-2.0

/// A page's visit, as an unpaired browser reports it.
///
/// A program of the user could forge the report.
public enum PageVisit: Hashable, Sendable {
    /// A document opened a window of the agent and sent it a message.
    ///
    /// The browser reports the document's origin, in the normal form. `party` is its registrable
    /// domain; `isFramed` is true if the document is inside another one.
    case message(origin: String, party: String, isFramed: Bool)
    /// A link or redirect led the browser here; any page can do that in the name of another.
    case link

    /// Returns the client that the visit identifies; nil if there is only a claim.
    func client(named name: String?, callback: String?) -> Client? {
        switch self {
        case .message(let origin, let party, _):
            Client(id: origin, name: name, proof: .page, party: party, callback: callback)
        case .link: nil
        }
    }
}

extension Peer {
    /// The dangers of this way of asking.
    var dangers: [Danger] {
        switch (credential?.page?.isFramed ?? false, visit) {
        case (true, _), (_, .message(_, _, isFramed: true)?): [.framed]
        case (_, .link?): [.byLink]
        default: []
        }
    }
}
