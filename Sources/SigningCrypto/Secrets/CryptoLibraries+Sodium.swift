// SPDX-License-Identifier: Apache-2.0

import CCrypto
import CSodium

/// The versions of the loaded C libraries of this module.
public enum CryptoLibraries {
    /// libsodium's version text.
    public static var sodium: String { unsafe String(cString: sodium_version_string()) }

    /// libcrypto's version text.
    public static var libcrypto: String {
        unsafe String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
    }
}
