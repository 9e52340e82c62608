// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto

/// A sealed value of a kmd wallet: a secretbox, whose key is given or follows from a password.
struct KMDBox {
    /// The most memory that the password's scrypt may take, in bytes; kmd takes 8 MiB.
    static let memoryMax: UInt64 = 256 << 20
    /// The most work that it may be, as the product of N, r and p; kmd asks for 2^21.
    static let workMax: UInt64 = 1 << 26

    private let sealed: [UInt8]
    private let salt: [UInt8]
    /// The parameters of scrypt; nil if the key is given.
    private let cost: (n: UInt64, r: UInt64, p: UInt64)?

    init?(_ bytes: [UInt8]) {
        guard case .map(let members)? = try? MessagePack.decodeCanonical(bytes.span) else {
            return nil
        }
        func value(_ name: String) -> MessagePack? { members.first { $0.name == name }?.value }
        guard case .binary(let ciphertext)? = value("ciphertext"),
            case .binary(let nonce)? = value("nonce"), nonce.count == 24,
            case .binary(let salt)? = value("salt"), case .bool(let hasCost)? = value("do_scrypt"),
            case .unsigned(let n)? = value("scrypt_n"), case .unsigned(let r)? = value("scrypt_r"),
            case .unsigned(let p)? = value("scrypt_p")
        else { return nil }
        sealed = nonce + ciphertext
        self.salt = salt
        cost = hasCost ? (n, r, p) : nil
    }

    /// Throws if the password's scrypt would take too much memory or time.
    func checkCost(_ shown: String) throws {
        guard let cost, cost.n.nonzeroBitCount == 1, cost.n > 1, cost.r > 0, cost.p > 0 else {
            throw KMDWallet.damaged(shown)
        }
        let (n, r, p) = (cost.n, cost.r, cost.p)
        guard max(n, r, p) <= Self.workMax, n * r <= Self.memoryMax / 128,
            r * p <= Self.memoryMax / 128, n * r * p <= Self.workMax
        else {
            throw CLIError(
                "opening \(shown) takes more than 256 MiB of memory or too much time (scrypt "
                    + "N = \(n), r = \(r), p = \(p))",
                hint: "kmd writes 65536, 1, 32: check where the file comes from")
        }
    }

    /// Opens the value with a password, after `checkCost`; nil if it is wrong.
    func open(password: borrowing SecretBytes, kind: String) -> SecretBytes? {
        guard let cost else { return nil }
        let key = Scrypt.derive(
            password: password, salt: salt.span, logN: cost.n.trailingZeroBitCount,
            r: UInt32(cost.r), p: UInt32(cost.p))
        guard let key else { return nil }
        return unseal(key, kind)
    }

    /// Opens the value with a key of 32 bytes; nil if it is wrong.
    func open(_ key: borrowing SecretBytes, kind: String) -> SecretBytes? {
        cost == nil ? unseal(key, kind) : nil
    }

    /// The content of the box, which states its kind, so that values cannot be exchanged.
    private func unseal(_ key: borrowing SecretBytes, _ kind: String) -> SecretBytes? {
        guard let whole = try? SecretBox.open(sealed.span, key: key) else { return nil }
        let head = [0x82, 0xA9] + Array("plaintext".utf8) + [0xC4]
        let tail =
            [0xAE] + Array("plaintext_type".utf8) + [0xA0 | UInt8(kind.utf8.count)]
            + Array(kind.utf8)
        return whole.withSpan { whole in
            let count = whole.count - head.count - 1 - tail.count
            guard count >= 0, Int(whole[head.count]) == count,
                head.indices.allSatisfy({ whole[$0] == head[$0] }),
                tail.indices.allSatisfy({ whole[whole.count - tail.count + $0] == tail[$0] })
            else { return nil }
            return SecretBytes(copying: whole.extracting(head.count + 1..<head.count + 1 + count))
        }
    }
}
