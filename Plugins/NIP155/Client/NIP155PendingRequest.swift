// SPDX-License-Identifier: Apache-2.0

import Nostr

/// A request that was made and is not answered yet.
public struct NIP155PendingRequest: Hashable, Sendable {
    /// Ready to be opened.
    public let url: String
    /// What was asked.
    public let call: NIP155Call
    /// The correlator an answer has to carry.
    public let id: String
    /// The name of the drop box, where one is used.
    public let dropBoxToken: String?
    /// What to lay into the drop box before the URL is opened.
    public let dropBoxContent: String?

    let client: NIP155Client
    /// The event as the signer will understand it.
    let template: EventTemplate?
    /// Lower-case hex.
    let currentUser: String?

    /// Reads the URL that was opened for an answer, and where it says so the drop box.
    ///
    /// The URL must lead to a callback of this request with its own query kept, carry its `id`
    /// and no reserved name twice. Throws `notForThisRequest`, which leaves the request open;
    /// `dropBoxUnread` where the content is needed; else `invalidAnswer`, which anybody who can
    /// open a URL can bring about. The caller verifies signatures itself; see `NIP155Answer`.
    public func read(
        callback: String, dropBoxContent: String? = nil
    ) throws(NIP155ClientError) -> NIP155Answer {
        try AnswerReader(self, callback: callback).answer(dropBoxContent: dropBoxContent)
    }
}
