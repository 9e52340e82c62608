// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import VectorFiles

extension VectorFile {
    package static func near(_ name: String) -> JSON { read("Vectors/near/\(name)") }
}
