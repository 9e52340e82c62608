// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// An operation of the HTTP API that the inbox page performs by its id.
package struct PageAct: Sendable {
    let id: String
    let method: String
    /// The path; `{id}` stands for the id of the subject.
    let path: String

    /// Describes an operation.
    package init(id: String, method: String, path: String) {
        self.id = id
        self.method = method
        self.path = path
    }
}

extension WebFile {
    /// The script that gives the inbox page these operations.
    static func acts(_ acts: [PageAct]) -> WebFile {
        let members = acts.map { act -> JSONObject.Member in
            let value: JSON = ["method": .string(act.method), "path": .string(act.path)]
            return .init(name: act.id, value: value)
        }
        let json = JSON.object(JSONObject(members)).write()
        return .script(Array("export const acts = ".utf8) + json + Array(";\n".utf8))
    }
}
