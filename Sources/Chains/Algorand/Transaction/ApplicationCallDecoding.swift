// SPDX-License-Identifier: Apache-2.0

extension ApplicationCall {
    package init(_ fields: TransactionFields) throws(AlgorandRefusal) {
        guard let onCompletion = OnCompletion(rawValue: try fields.integer("apan")) else {
            throw .invalid("apan must be a number from 0 to 5")
        }
        app = try fields.integer("apid")
        self.onCompletion = onCompletion
        arguments = try fields.byteStrings("apaa")
        accounts = try fields.byteStrings("apat", count: AlgorandAddress.keyCount)
        assets = try fields.integers("apas")
        apps = try fields.integers("apfa")
        var boxes: [Box] = []
        for box in try fields.maps("apbx", names: ["i", "n"]) { boxes.append(try Box(box)) }
        self.boxes = boxes
        access = try ResourceReference.all(in: fields)
        localSchema = try StateSchema(fields, "apls")
        globalSchema = try StateSchema(fields, "apgs")
        approvalProgram = try fields.bytes("apap", countMax: Self.programBytesMax)
        clearProgram = try fields.bytes("apsu", countMax: Self.programBytesMax)
        extraPages = try fields.integer("apep", max: Self.extraPagesMax)
        rejectVersion = try fields.integer("aprv")
        try check()
    }

    private func check() throws(AlgorandRefusal) {
        guard arguments.reduce(0, { $0 + $1.count }) <= Self.argumentBytesMax else {
            throw .invalid("apaa has more than \(Self.argumentBytesMax) bytes")
        }
        guard approvalProgram.count + clearProgram.count <= Self.programBytesMax else {
            throw .invalid("the programs have more than \(Self.programBytesMax) bytes")
        }
        // Code is only valid in a call that installs it.
        let installs = app == 0 || onCompletion == .update
        guard installs || (approvalProgram.isEmpty && clearProgram.isEmpty) else {
            throw .invalid("the call has programs, and neither creates nor updates an application")
        }
        for box in boxes where box.appIndex > UInt64(apps.count) {
            throw .invalid("apbx has an index that is not in apfa")
        }
        guard !access.isEmpty else { return }
        guard accounts.isEmpty, assets.isEmpty, apps.isEmpty, boxes.isEmpty else {
            throw .invalid("al cannot be used with apat, apas, apfa or apbx")
        }
        guard access.count <= Self.accessCountMax else {
            throw .invalid("al has more than \(Self.accessCountMax) references")
        }
        try ResourceReference.check(access)
    }
}

extension ApplicationCall.Box {
    fileprivate init(_ fields: TransactionFields) throws(AlgorandRefusal) {
        appIndex = try fields.integer("i")
        name = try fields.bytes("n", countMax: ApplicationCall.boxNameCountMax)
    }
}

extension ApplicationCall.StateSchema {
    fileprivate init?(_ fields: TransactionFields, _ name: String) throws(AlgorandRefusal) {
        guard let fields = try fields.fields(name, names: ["nbs", "nui"]) else { return nil }
        integers = try fields.integer("nui")
        byteSlices = try fields.integer("nbs")
    }
}
