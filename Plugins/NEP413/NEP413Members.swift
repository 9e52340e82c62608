// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The members of one JSON object on the wire; null counts as absent.
struct NEP413Members {
    private let object: JSONObject

    /// Reads one object and nothing else.
    init(_ bytes: Span<UInt8>, bytesMax: Int) throws(Refusal) {
        guard bytes.count <= bytesMax else {
            throw .tooLarge("the request", bytesMax: bytesMax)
        }
        let limits = JSONLimits(
            bytesMax: bytesMax, depthMax: NEP413Limits.frameDepthMax,
            valuesMax: NEP413Limits.frameValuesMax)
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(bytes, limits: limits)
        } catch {
            throw .invalid(Self.text(of: error))
        }
        guard case .object(let object) = json else {
            throw .invalid("not a JSON object; send one object per request")
        }
        self.object = object
    }

    /// Refuses members outside a list: what is not understood must not be ignored.
    func requireOnly(_ names: [String]) throws(Refusal) {
        guard object.members.allSatisfy({ names.contains($0.name) }) else {
            throw .invalid("unknown member; known are \(names.joined(separator: ", "))")
        }
    }

    /// A text, or nil where it is absent.
    func text(_ name: String, bytesMax: Int) throws(Refusal) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw .invalid("\(name) must be a string") }
        guard text.utf8.count <= bytesMax else { throw .tooLarge(name, bytesMax: bytesMax) }
        return text
    }

    /// A text that must be there.
    func requiredText(_ name: String, bytesMax: Int) throws(Refusal) -> String {
        guard let text = try text(name, bytesMax: bytesMax) else {
            throw .invalid("\(name) is missing")
        }
        return text
    }

    /// A truth value, false where it is absent.
    func flag(_ name: String) throws(Refusal) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.flag else { throw .invalid("\(name) must be true or false") }
        return flag
    }

    /// A value of any type, or nil where it is absent.
    func value(_ name: String) -> JSON? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    /// The state as far as it can be echoed in a refusal.
    var readableState: String? {
        guard let state = value("state")?.text,
            state.utf8.count <= NEP413Limits.stateBytesMax
        else { return nil }
        return state
    }

    /// What is wrong with the JSON, without quoting it.
    private static func text(of error: CodecError) -> String {
        if case .duplicateKey = error { return "a member stands twice; send each one once" }
        return "not readable as JSON: \(error.text)"
    }
}
