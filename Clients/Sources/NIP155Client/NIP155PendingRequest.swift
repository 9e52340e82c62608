// SPDX-License-Identifier: Apache-2.0

import NIP155Messages

/// A request without an answer so far.
public struct NIP155PendingRequest: Hashable, Sendable {
    /// The URL to open.
    public let url: String
    /// The content of the request.
    public let call: NIP155Call
    /// The correlator that an answer must have.
    public let id: String
    /// The name of the drop box, if one is used.
    public let dropBoxToken: String?
    /// The content to store in the drop box before the URL is opened.
    public let dropBoxContent: String?

    let client: NIP155Client
    /// The event as the signer will understand it.
    let template: RequestedEvent?
    /// The account's public key in lower-case hex.
    let currentUser: String?

    /// Reads the URL that was opened as an answer, and the drop box if it refers to it.
    ///
    /// The URL must be a callback of this request with its query unchanged, have its `id`, and
    /// repeat no reserved name. `notForThisRequest` leaves the request open; `dropBoxUnread` asks
    /// for the content of the drop box. Any other problem is `invalidAnswer`, which any program
    /// that can open a URL can cause. The caller must verify signatures; see `NIP155Answer`.
    public func read(
        callback: String, dropBoxContent: String? = nil
    ) throws(NIP155ClientError) -> NIP155Answer {
        try AnswerReader(self, callback: callback).answer(dropBoxContent: dropBoxContent)
    }
}
