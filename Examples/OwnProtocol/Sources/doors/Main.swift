// SPDX-License-Identifier: Apache-2.0

import DoorPass
import SigningCLI

@main
struct Main {
    static func main() async { await CommandLineTool.main(adding: .doors) }
}
