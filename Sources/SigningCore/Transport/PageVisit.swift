// SPDX-License-Identifier: Apache-2.0

/// The way in which a page sent a request through a browser that is not paired with the agent.
///
/// The browser reports it; another program of the user could forge the report.
public enum PageVisit: Hashable, Sendable {
    /// A document opened a window of the agent and sent it a message.
    ///
    /// The browser reports the document's origin, in the normal form. `party` is its registrable
    /// domain; `isFramed` is true if the document is inside another one.
    case message(origin: String, party: String, isFramed: Bool)
    /// A link or redirect, which any page can make in the name of another page.
    case link

    /// Returns the client with the reported origin; nil for a link.
    func client(named name: String?, callback: String?) -> Client? {
        switch self {
        case .message(let origin, let party, _):
            Client(id: origin, name: name, proof: .page, party: party, callback: callback)
        case .link: nil
        }
    }
}

extension Peer {
    /// The dangers of the way in which the request was sent.
    var dangers: [Danger] {
        switch (credential?.page?.isFramed ?? false, visit) {
        case (true, _), (_, .message(_, _, isFramed: true)?): [.framed]
        case (_, .link?): [.byLink]
        default: []
        }
    }
}
