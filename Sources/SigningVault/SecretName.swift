// SPDX-License-Identifier: Apache-2.0

package import SigningCrypto

/// The type of the secrets that a vault accepts, so that its users need not import SigningCrypto.
package typealias SecretBytes = SigningCrypto.SecretBytes
