// SPDX-License-Identifier: Apache-2.0

/// A variable of the solver, or its negation.
struct Literal: Hashable, Sendable {
    /// Twice the number of the variable, plus one if it is negated.
    let code: Int32

    init(code: Int32) { self.code = code }

    init(variable: Int32) { code = variable << 1 }

    var variable: Int { Int(code >> 1) }
    var isNegated: Bool { code & 1 == 1 }

    static prefix func ! (literal: Literal) -> Literal { Literal(code: literal.code ^ 1) }
}

/// The variables that the solver may decide, the most active one first: a binary heap.
struct ActivityHeap {
    private(set) var activity: [Double] = []
    private var heap: [Int32] = []
    /// The place of each variable in the heap; -1 if it is not in it.
    private var places: [Int32] = []
    private var increment = 1.0

    private static let decay = 0.95
    private static let largest = 1e100

    mutating func addVariable() {
        places.append(-1)
        activity.append(0)
        insert(Int32(activity.count - 1))
    }

    /// Raises the activity of a variable that took part in a conflict.
    mutating func bump(_ variable: Int) {
        activity[variable] += increment
        if activity[variable] > Self.largest {
            for index in activity.indices { activity[index] /= Self.largest }
            increment /= Self.largest
        }
        if places[variable] >= 0 { rise(Int(places[variable])) }
    }

    /// Makes later conflicts count more than earlier ones.
    mutating func age() { increment /= Self.decay }

    mutating func insert(_ variable: Int32) {
        guard places[Int(variable)] < 0 else { return }
        places[Int(variable)] = Int32(heap.count)
        heap.append(variable)
        rise(heap.count - 1)
    }

    mutating func removeFirst() -> Int32? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        places[Int(first)] = -1
        if !heap.isEmpty {
            heap[0] = last
            places[Int(last)] = 0
            sink()
        }
        return first
    }

    private mutating func rise(_ start: Int) {
        var place = start
        let variable = heap[place]
        while place > 0 {
            let parent = (place - 1) / 2
            guard activity[Int(heap[parent])] < activity[Int(variable)] else { break }
            heap[place] = heap[parent]
            places[Int(heap[place])] = Int32(place)
            place = parent
        }
        heap[place] = variable
        places[Int(variable)] = Int32(place)
    }

    private mutating func sink() {
        var place = 0
        let variable = heap[0]
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count,
                activity[Int(heap[child + 1])] > activity[Int(heap[child])]
            {
                child += 1
            }
            guard activity[Int(heap[child])] > activity[Int(variable)] else { break }
            heap[place] = heap[child]
            places[Int(heap[place])] = Int32(place)
            place = child
        }
        heap[place] = variable
        places[Int(variable)] = Int32(place)
    }
}
