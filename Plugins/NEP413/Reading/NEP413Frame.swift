// SPDX-License-Identifier: Apache-2.0

import NEAR

/// A frame with every member checked, before an account is chosen.
enum NEP413Frame {
    /// NEP-413's members alone, which is short for `signMessage`.
    case message(NEP413Wire)
    case call(WalletCall)

    init(_ members: NEP413Members, bytes: Int) throws(NEARRefusal) {
        guard members.value("method") == nil else {
            self = .call(try WalletCall(members))
            return
        }
        guard bytes <= NEP413Limits.messageFrameBytesMax else {
            throw .tooLarge("the request", bytesMax: NEP413Limits.messageFrameBytesMax)
        }
        self = .message(try NEP413Wire(members))
    }

    /// What has to be looked up; nil where nothing has.
    var lookups: (caller: NEARCaller, nonceCount: Int, uses: [NEARKeyUse])? {
        switch self {
        case .message(let wire): (wire.caller, 0, [.message])
        case .call(let call): call.lookups
        }
    }
}
