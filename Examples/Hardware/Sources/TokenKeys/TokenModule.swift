// SPDX-License-Identifier: Apache-2.0

import CPKCS11
import Glibc

/// The PKCS #11 module of a token: a library that is loaded by its path.
@safe public final class TokenModule: @unchecked Sendable {
    // SAFETY: The functions are constant after the initialiser. The module locks its own state
    // (CKF_OS_LOCKING_OK).
    private let functions: CK_FUNCTION_LIST
    private let isFirst: Bool

    /// The module of SoftHSM 2 on Debian.
    public static let softHSM = "/usr/lib/softhsm/libsofthsm2.so"

    /// Loads and starts a module; it stays loaded until the process ends.
    public init(path: String) throws(TokenError) {
        guard let library = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "unknown error"
            let start = reason.hasPrefix(path + ": ") ? path.count + 2 : 0
            throw .noModule(path: path, reason: String(reason.dropFirst(start)))
        }
        guard let symbol = unsafe dlsym(library, "C_GetFunctionList") else {
            throw .noModule(path: path, reason: "it is not a module of PKCS #11")
        }
        let getList = unsafe unsafeBitCast(symbol, to: CK_C_GetFunctionList.self)
        var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
        let result = unsafe getList(&list)
        if let error = TokenError(result, during: "C_GetFunctionList") { throw error }
        guard let list = unsafe list else { throw .noFunction("C_GetFunctionList") }
        unsafe functions = list.pointee
        var arguments = unsafe CK_C_INITIALIZE_ARGS()
        unsafe arguments.flags = CK_FLAGS(CKF_OS_LOCKING_OK)
        guard let started = unsafe functions.C_Initialize?(&arguments) else {
            throw .noFunction("C_Initialize")
        }
        isFirst = started != CK_RV(CKR_CRYPTOKI_ALREADY_INITIALIZED)
        if isFirst, let error = TokenError(started, during: "C_Initialize") { throw error }
    }

    deinit {
        if isFirst { _ = functions.C_Finalize?(nil) }
    }

    /// Calls a function of the module and throws its error.
    func call(_ name: String, _ body: (CK_FUNCTION_LIST) -> CK_RV?) throws(TokenError) {
        guard let result = body(functions) else { throw .noFunction(name) }
        if let error = TokenError(result, during: name) { throw error }
    }

    /// Returns the initialised tokens that are present.
    public func tokens() throws(TokenError) -> [TokenInfo] {
        var count: CK_ULONG = 0
        try call("C_GetSlotList") { unsafe $0.C_GetSlotList?(UInt8(CK_TRUE), nil, &count) }
        var slots = [CK_SLOT_ID](repeating: 0, count: Int(count))
        try call("C_GetSlotList") { unsafe $0.C_GetSlotList?(UInt8(CK_TRUE), &slots, &count) }
        return try slots.prefix(Int(count)).map { (slot) throws(TokenError) in
            try info(slot: slot)
        }
        .filter(\.isInitialised)
    }

    /// Returns the one token with a label or a serial number, or with both.
    public func token(label: String?, serial: String?) throws(TokenError) -> Token {
        let present = try tokens()
        let found = present.filter {
            (label == nil || $0.label == label) && (serial == nil || $0.serial == serial)
        }
        guard let first = found.first else {
            let wanted =
                (label.map { " \"\($0)\"" } ?? "")
                + (serial.map { " with serial number \($0)" } ?? "")
            throw .noToken(wanted: wanted, present: present.map(\.label))
        }
        guard found.count == 1 else {
            throw .severalTokens(label: label, serials: found.map(\.serial))
        }
        return Token(first, in: self)
    }

    func info(slot: CK_SLOT_ID) throws(TokenError) -> TokenInfo {
        var info = CK_TOKEN_INFO()
        try call("C_GetTokenInfo") { unsafe $0.C_GetTokenInfo?(slot, &info) }
        return TokenInfo(slot: slot, info)
    }
}

/// The description of a token that is present.
public struct TokenInfo: Hashable, Sendable {
    /// The label, which its owner chose; several tokens may have the same.
    public let label: String
    /// The serial number.
    public let serial: String
    let slot: CK_SLOT_ID
    private let flags: CK_FLAGS

    init(slot: CK_SLOT_ID, _ info: CK_TOKEN_INFO) {
        self.slot = slot
        flags = info.flags
        label = Self.text(of: info.label)
        serial = Self.text(of: info.serialNumber)
    }

    var isInitialised: Bool { has(CKF_TOKEN_INITIALIZED) }
    /// True if the token takes no PIN any more.
    var isLocked: Bool { has(CKF_USER_PIN_LOCKED) }
    /// True if one more wrong PIN locks the token.
    var hasOneTryLeft: Bool { has(CKF_USER_PIN_FINAL_TRY) }

    private func has(_ flag: UInt) -> Bool { flags & CK_FLAGS(flag) != 0 }

    /// Reads a field that is padded with spaces.
    private static func text<Field>(of field: Field) -> String {
        let bytes = unsafe withUnsafeBytes(of: field) { unsafe Array($0) }
        let end = bytes.lastIndex { $0 != UInt8(ascii: " ") && $0 != 0 }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
