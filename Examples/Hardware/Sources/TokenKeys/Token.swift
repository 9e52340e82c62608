// SPDX-License-Identifier: Apache-2.0

import CPKCS11

/// One token in its slot.
public final class Token: Sendable {
    /// The description at the time it was chosen.
    public let info: TokenInfo
    let module: TokenModule

    init(_ info: TokenInfo, in module: TokenModule) {
        self.info = info
        self.module = module
    }

    /// Returns the description now; throws if another token is in the slot.
    func current() throws(TokenError) -> TokenInfo {
        let now = try module.info(slot: info.slot)
        guard now.serial == info.serial else { throw .removed }
        return now
    }

    /// Opens a session for public objects, or for all of them after a login.
    func session(writes: Bool = false) throws(TokenError) -> TokenSession {
        _ = try current()
        let writing = writes ? CK_FLAGS(CKF_RW_SESSION) : 0
        var handle: CK_SESSION_HANDLE = 0
        try module.call("C_OpenSession") {
            unsafe $0.C_OpenSession?(
                info.slot, CK_FLAGS(CKF_SERIAL_SESSION) | writing, nil, nil, &handle)
        }
        return TokenSession(handle, of: self)
    }

    /// Throws unless the token signs with Ed25519 and takes a PIN.
    func checkUsable() throws(TokenError) {
        var mechanism = CK_MECHANISM_INFO()
        try module.call("C_GetMechanismInfo") {
            unsafe $0.C_GetMechanismInfo?(
                info.slot, CK_MECHANISM_TYPE(CKM_EDDSA), &mechanism)
        }
        guard mechanism.flags & CK_FLAGS(CKF_SIGN) != 0 else { throw .noMechanism }
        guard try !current().isLocked else { throw .pinLocked }
    }
}
