// SPDX-License-Identifier: Apache-2.0

public import SigningCore

extension SigningDomain.Prehash {
    /// SHA-256.
    public static let sha256 = Self("sha256") { Digest.sha256($0.span) }

    /// SHA-256 of each of two parts, one hash after the other; `joined` makes such preimages.
    public static let sha256OfBoth = Self("sha256_of_both") { preimage in
        guard let (first, second) = SigningDomain.parts(of: preimage) else { return nil }
        return [Array(first), Array(second)].flatMap { Digest.sha256($0.span) }
    }

    /// SHA-256 of the first of two parts and of the SHA-256 of the second, as WebAuthn signs;
    /// `joined` makes such preimages.
    public static let sha256WithHash = Self("sha256_with_hash") { preimage in
        guard let (first, second) = SigningDomain.parts(of: preimage) else { return nil }
        let data = Array(second)
        let message = Array(first) + Digest.sha256(data.span)
        return Digest.sha256(message.span)
    }
}
