// SPDX-License-Identifier: Apache-2.0

package import SigningCrypto

/// The secrets a vault takes, named here so that an app need not import the cryptography.
package typealias SecretBytes = SigningCrypto.SecretBytes
