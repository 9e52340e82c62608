// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCLI

@main
struct Main {
    static func main() async {
        ProcessHardening.apply()
        exit(await CommandLineTool.run(Array(CommandLine.arguments.dropFirst())))
    }
}
