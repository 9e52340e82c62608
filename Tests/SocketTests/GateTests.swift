// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Socket

@Suite("Gates, and deadlines that one timer serves")
struct GateTests {
    @Test("A gate opens when its time is over, with anything added before or after it")
    func deadlines() async {
        let late = Gate()
        let early = Gate()
        let first = Deadlines.shared.add(late, at: .now + .seconds(3_600))
        let second = Deadlines.shared.add(early, at: .now + .milliseconds(20))
        let third = Deadlines.shared.add(Gate(), at: .now + .seconds(1_800))
        await early.wait()
        // The deadline has passed, so removing it does nothing.
        Deadlines.shared.remove(second)
        let next = Gate()
        _ = Deadlines.shared.add(next, at: .now + .milliseconds(20))
        await next.wait()
        Deadlines.shared.remove(third)
        Deadlines.shared.remove(first)
    }

    @Test("Gates of one moment all open")
    func together() async {
        let instant = ContinuousClock.now + .milliseconds(30)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
                let gate = Gate()
                _ = Deadlines.shared.add(gate, at: instant)
                group.addTask { await gate.wait() }
            }
        }
    }

    @Test("Waiting ends with the first of gate, time and cancellation")
    func waits() async {
        let open = Gate()
        open.open()
        await open.wait(seconds: 3_600)

        await Gate().wait(seconds: 0)

        let task = Task { await Gate().wait(seconds: 3_600) }
        task.cancel()
        await task.value

        let gate = Gate()
        let waiting = Task { await gate.wait(seconds: 3_600) }
        gate.open()
        await waiting.value
    }
}
