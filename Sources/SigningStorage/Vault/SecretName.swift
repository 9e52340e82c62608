// SPDX-License-Identifier: Apache-2.0

public import SigningCrypto

/// The secrets a vault takes, named here so that an app need not import the cryptography.
public typealias SecretBytes = SigningCrypto.SecretBytes
