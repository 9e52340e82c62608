// SPDX-License-Identifier: Apache-2.0

/// How a page comes to ask by a browser that nobody paired: the browser's word, which a program of
/// the user could as well make up.
public enum PageVisit: Hashable, Sendable {
    /// A document opened a window of ours and wrote to it; the browser tells its origin, in the
    /// normal form. `party` is the registrable domain of that; `isFramed` where the document
    /// stands in another one.
    case message(origin: String, party: String, isFramed: Bool)
    /// Something led the browser here, which any page can do in any other's name.
    case link

    /// The client that it tells; nil where there is only a claim.
    func client(named name: String?, callback: String?) -> Client? {
        switch self {
        case .message(let origin, let party, _):
            Client(id: origin, name: name, proof: .page, party: party, callback: callback)
        case .link: nil
        }
    }
}

extension Peer {
    /// What is flagged of the way that a request came.
    var dangers: [Danger] {
        switch (credential?.page?.isFramed ?? false, visit) {
        case (true, _), (_, .message(_, _, isFramed: true)?): [.framed]
        case (_, .link?): [.byLink]
        default: []
        }
    }
}
