// SPDX-License-Identifier: Apache-2.0

import CPKCS11

/// The attributes of an object to find or to make.
struct Attributes {
    private var types: [CK_ATTRIBUTE_TYPE] = []
    private var values: [[UInt8]] = []

    /// Adds an attribute of bytes.
    func with(_ type: UInt, _ bytes: [UInt8]) -> Attributes {
        var copy = self
        copy.types.append(CK_ATTRIBUTE_TYPE(type))
        copy.values.append(bytes)
        return copy
    }

    /// Adds an attribute of text.
    func with(_ type: UInt, _ text: String) -> Attributes { with(type, Array(text.utf8)) }

    /// Adds a flag.
    func with(_ type: UInt, _ flag: Bool) -> Attributes {
        with(type, [flag ? UInt8(CK_TRUE) : UInt8(CK_FALSE)])
    }

    /// Adds a number.
    func with(_ type: UInt, _ number: UInt) -> Attributes {
        with(type, unsafe withUnsafeBytes(of: CK_ULONG(number)) { unsafe Array($0) })
    }

    /// Lends the attributes to a C call, with the secret of a new key if there is one.
    ///
    /// The secret is lent where it is and not copied.
    func lend<R, E: Error>(
        secret: UnsafeRawBufferPointer? = nil,
        _ body: (UnsafeMutablePointer<CK_ATTRIBUTE>, CK_ULONG) throws(E) -> R
    ) throws(E) -> R {
        // All values in one piece of memory, each where a number may begin.
        var offsets: [Int] = []
        var bytes: [UInt8] = []
        for value in values {
            offsets.append(bytes.count)
            let padding = value.count.isMultiple(of: 8) ? 0 : 8 - value.count % 8
            bytes += value + [UInt8](repeating: 0, count: padding)
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        defer { unsafe memory.deallocate() }
        unsafe memory.copyBytes(from: bytes)
        var list = unsafe types.indices.map { place in
            unsafe CK_ATTRIBUTE(
                type: types[place], pValue: memory.baseAddress.map { unsafe $0 + offsets[place] },
                ulValueLen: CK_ULONG(values[place].count))
        }
        if let secret = unsafe secret {
            unsafe list.append(
                CK_ATTRIBUTE(
                    type: CK_ATTRIBUTE_TYPE(CKA_VALUE),
                    pValue: UnsafeMutableRawPointer(mutating: secret.baseAddress),
                    ulValueLen: CK_ULONG(secret.count)))
        }
        let pointer = unsafe UnsafeMutablePointer<CK_ATTRIBUTE>.allocate(capacity: list.count)
        defer { unsafe pointer.deallocate() }
        unsafe pointer.initialize(from: list, count: list.count)
        return try unsafe body(pointer, CK_ULONG(list.count))
    }
}

extension Attributes {
    /// The object identifier of Ed25519, 1.3.101.112, in DER.
    private static let curve: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70]

    /// The Ed25519 keys on a token that are public or private.
    static func keys(_ kind: UInt) -> Attributes {
        Attributes()
            .with(UInt(CKA_CLASS), kind).with(UInt(CKA_KEY_TYPE), UInt(CKK_EC_EDWARDS))
            .with(UInt(CKA_TOKEN), true)
    }

    /// A new public key, without its point.
    static func newPublicKey(_ name: TokenKeyName, id: [UInt8]) -> Attributes {
        keys(UInt(CKO_PUBLIC_KEY)).with(UInt(CKA_PRIVATE), false).with(UInt(CKA_VERIFY), true)
            .with(UInt(CKA_ID), id).with(UInt(CKA_LABEL), name.description)
            .with(UInt(CKA_EC_PARAMS), curve)
    }

    /// A new private key, which the token never gives away; its secret or its curve is added.
    static func newPrivateKey(_ name: TokenKeyName, id: [UInt8]) -> Attributes {
        keys(UInt(CKO_PRIVATE_KEY)).with(UInt(CKA_PRIVATE), true)
            .with(UInt(CKA_SENSITIVE), true).with(UInt(CKA_EXTRACTABLE), false)
            .with(UInt(CKA_SIGN), true).with(UInt(CKA_ID), id)
            .with(UInt(CKA_LABEL), name.description)
    }

    /// The private key of an existing seed, without the seed.
    static func importedKey(_ name: TokenKeyName, id: [UInt8]) -> Attributes {
        newPrivateKey(name, id: id).with(UInt(CKA_EC_PARAMS), curve)
    }
}
