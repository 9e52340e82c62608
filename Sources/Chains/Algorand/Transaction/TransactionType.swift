// SPDX-License-Identifier: Apache-2.0

/// Every transaction type of the protocol, supported or not, with the names of its fields.
package enum TransactionType: String, CaseIterable {
    case pay, axfer, keyreg, acfg, afrz, appl, stpf, hb

    package static let headerFields = [
        "fee", "fv", "gen", "gh", "grp", "lv", "lx", "note", "rekey", "snd", "type",
    ]

    package var fields: [String] {
        switch self {
        case .pay: ["amt", "close", "rcv"]
        case .axfer: ["aamt", "aclose", "arcv", "asnd", "xaid"]
        case .keyreg:
            ["nonpart", "selkey", "sprfkey", "votefst", "votekd", "votekey", "votelst"]
        case .acfg: ["apar", "caid"]
        case .afrz: ["afrz", "fadd", "faid"]
        case .appl:
            [
                "al", "apaa", "apan", "apap", "apas", "apat", "apbx", "apep", "apfa", "apgs",
                "apid", "apls", "aprv", "apsu",
            ]
        case .stpf: ["sp", "spmsg", "sptype"]
        case .hb: ["hb"]
        }
    }
}
