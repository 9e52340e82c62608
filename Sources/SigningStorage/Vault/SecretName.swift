// SPDX-License-Identifier: Apache-2.0

package import SigningCrypto

/// The type of the secrets that a vault accepts, so that an app need not import the cryptography.
package typealias SecretBytes = SigningCrypto.SecretBytes
