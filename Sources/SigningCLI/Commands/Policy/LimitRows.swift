// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningPolicy
import SigningService
import SigningTerminal

extension LimitRow {
    /// The limit as a bar of the inbox.
    var bar: InboxLimit { InboxLimit(text, used: trace.used, of: trace.maximum) }
}
