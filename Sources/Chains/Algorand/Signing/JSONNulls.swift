// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

extension JSONObject {
    /// The object without null members: JavaScript clients write null for a missing value.
    package var withoutNulls: JSONObject { JSONObject(members.filter { !$0.value.isNull }) }
}
