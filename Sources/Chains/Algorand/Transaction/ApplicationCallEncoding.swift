// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension ApplicationCall {
    package func write(to fields: inout FieldWriter) {
        fields.add("apid", app)
        fields.add("apan", onCompletion.rawValue)
        fields.add("apaa", arguments.map { .binary($0) })
        fields.add("apat", accounts.map { .binary($0) })
        fields.add("apas", assets.map { .unsigned($0) })
        fields.add("apfa", apps.map { .unsigned($0) })
        fields.add("apbx", boxes.map(\.written.map))
        fields.add("al", access.map(\.written.map))
        if let localSchema { fields.add("apls", localSchema.written) }
        if let globalSchema { fields.add("apgs", globalSchema.written) }
        fields.addUnlessEmpty("apap", approvalProgram)
        fields.addUnlessEmpty("apsu", clearProgram)
        fields.add("apep", extraPages)
        fields.add("aprv", rejectVersion)
    }
}

extension ApplicationCall.Box {
    fileprivate var written: FieldWriter {
        var fields = FieldWriter()
        fields.add("i", appIndex)
        fields.addUnlessEmpty("n", name)
        return fields
    }
}

extension ApplicationCall.StateSchema {
    fileprivate var written: FieldWriter {
        var fields = FieldWriter()
        fields.add("nui", integers)
        fields.add("nbs", byteSlices)
        return fields
    }
}

extension ResourceReference {
    fileprivate var written: FieldWriter {
        var fields = FieldWriter()
        var inner = FieldWriter()
        switch self {
        case .empty: break
        case .account(let key): fields.add("d", key)
        case .asset(let id): fields.add("s", id)
        case .app(let id): fields.add("p", id)
        case .holding(let account, let asset):
            inner.add("d", account)
            inner.add("s", asset)
            fields.add("h", inner)
        case .locals(let account, let app):
            inner.add("d", account)
            inner.add("p", app)
            fields.add("l", inner)
        case .box(let app, let name):
            inner.add("i", app)
            inner.addUnlessEmpty("n", name)
            fields.add("b", inner)
        }
        return fields
    }
}
