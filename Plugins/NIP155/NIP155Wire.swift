// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import Nostr

/// The query parameters of a request.
typealias Parameters = RequestParameters

extension NIP155Refusal {
    /// One text for a denied account and for one that is not held, so they cannot be distinguished.
    static let permissionDenied = Self(.permissionDenied, "permission denied")

    /// Details of an internal error stay in the local log.
    static let failed = Self(.internalError, "the signer could not carry this out")

    /// One text for every problem with a ciphertext.
    static let undecryptable = NIP155Refusal(NostrRefusal.undecryptable)
}
