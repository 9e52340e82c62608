// SPDX-License-Identifier: Apache-2.0

extension Solver {
    /// Stores a clause of two literals or more and watches the first two.
    func store(_ clause: [Literal]) -> Int32 {
        let place = Int32(arena.count)
        arena.append(Int32(clause.count))
        for literal in clause { arena.append(literal.code) }
        watches[Int(clause[0].code)].append(Watch(clause: place, blocker: clause[1]))
        watches[Int(clause[1].code)].append(Watch(clause: place, blocker: clause[0]))
        return place
    }

    func assign(_ literal: Literal, because reason: Int32) {
        values[Int(literal.code)] = 1
        values[Int((!literal).code)] = -1
        levels[literal.variable] = Int32(levelStarts.count)
        reasons[literal.variable] = reason
        trail.append(literal)
    }

    func backtrack(to level: Int) {
        guard levelStarts.count > level else { return }
        let start = levelStarts[level]
        for literal in trail[start...].reversed() {
            values[Int(literal.code)] = 0
            values[Int((!literal).code)] = 0
            phases[literal.variable] = !literal.isNegated
            heap.insert(Int32(literal.variable))
        }
        trail.removeSubrange(start...)
        levelStarts.removeSubrange(level...)
        propagatedCount = start
    }

    /// Assigns all implied literals; returns a clause of which every literal is false, if any.
    func propagate() -> Int32? {
        while propagatedCount < trail.count {
            let isFalse = !trail[propagatedCount]
            propagatedCount += 1
            if let conflict = visitClauses(watching: isFalse) { return conflict }
        }
        return nil
    }

    private func visitClauses(watching isFalse: Literal) -> Int32? {
        var list: [Watch] = []
        swap(&list, &watches[Int(isFalse.code)])
        var kept = 0
        var conflict: Int32?
        var index = 0
        while index < list.count {
            let watch = list[index]
            index += 1
            guard conflict == nil, value(of: watch.blocker) <= 0 else {
                list[kept] = watch
                kept += 1
                continue
            }
            let first = Int(watch.clause) + 1
            if arena[first] == isFalse.code { arena.swapAt(first, first + 1) }
            let other = Literal(code: arena[first])
            if value(of: other) <= 0, findWatch(for: watch.clause, beside: other) { continue }
            list[kept] = Watch(clause: watch.clause, blocker: other)
            kept += 1
            if value(of: other) < 0 {
                conflict = watch.clause
            } else if value(of: other) == 0 {
                assign(other, because: watch.clause)
            }
        }
        list.removeSubrange(kept...)
        watches[Int(isFalse.code)] = list
        return conflict
    }

    /// Moves the second watch of a clause to a literal that is not false; false if there is none.
    private func findWatch(for clause: Int32, beside other: Literal) -> Bool {
        let first = Int(clause) + 1
        var place = first + 2
        let end = first + Int(arena[Int(clause)])
        while place < end {
            if values[Int(arena[place])] >= 0 {
                arena.swapAt(first + 1, place)
                watches[Int(arena[first + 1])].append(Watch(clause: clause, blocker: other))
                return true
            }
            place += 1
        }
        return false
    }

    /// Learns a clause from a conflict, goes back to the level at which the clause implies a
    /// literal, and assigns that literal.
    func learn(from conflict: Int32) {
        var learnt: [Literal] = []
        var seen: [Int] = []
        var openCount = 0
        var clause = conflict
        var place = trail.count
        var implied: Literal?
        repeat {
            let first = Int(clause) + 1
            for index in first..<(first + Int(arena[Int(clause)])) {
                let literal = Literal(code: arena[index])
                let variable = literal.variable
                guard literal != implied, !isSeen[variable], levels[variable] > 0 else { continue }
                isSeen[variable] = true
                seen.append(variable)
                heap.bump(variable)
                if Int(levels[variable]) == levelStarts.count {
                    openCount += 1
                } else {
                    learnt.append(literal)
                }
            }
            repeat { place -= 1 } while !isSeen[trail[place].variable]
            implied = trail[place]
            clause = reasons[trail[place].variable]
            openCount -= 1
        } while openCount > 0
        for variable in seen { isSeen[variable] = false }
        learnt.sort { levels[$0.variable] > levels[$1.variable] }
        backtrack(to: learnt.first.map { Int(levels[$0.variable]) } ?? 0)
        guard let implied else { return }
        let reason = learnt.isEmpty ? -1 : store([!implied] + learnt)
        assign(!implied, because: reason)
    }
}
