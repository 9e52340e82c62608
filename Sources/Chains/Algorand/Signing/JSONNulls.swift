// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

extension JSONObject {
    /// The same without members that are null: clients in JavaScript write so what is missing.
    package var withoutNulls: JSONObject { JSONObject(members.filter { !$0.value.isNull }) }
}
