// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A bounded queue of items between tasks.
final class Mailbox<Item: Sendable>: Sendable {
    private struct Reader {
        let id: Int
        let wakes: CheckedContinuation<Item?, Never>
    }
    private struct Writer {
        let id: Int
        let item: Item
        let wakes: CheckedContinuation<Bool, Never>
    }
    private struct State {
        var items: [Item] = []
        var readers: [Reader] = []
        var writers: [Writer] = []
        var lastID = 0
        var isClosed = false

        mutating func newID() -> Int {
            lastID += 1
            return lastID
        }
    }

    private let countMax: Int
    private let state = Mutex(State())

    init(countMax: Int) { self.countMax = countMax }

    /// Adds an item after there is space; false if the mailbox is closed or the task is cancelled.
    func put(_ item: Item) async -> Bool {
        let id = state.withLock { $0.newID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wakes in
                let (isIn, reader) = state.withLock { state -> (Bool?, Reader?) in
                    if state.isClosed || Task.isCancelled { return (false, nil) }
                    if !state.readers.isEmpty { return (true, state.readers.removeFirst()) }
                    if state.items.count < countMax {
                        state.items.append(item)
                        return (true, nil)
                    }
                    state.writers.append(Writer(id: id, item: item, wakes: wakes))
                    return (nil, nil)
                }
                reader?.wakes.resume(returning: item)
                if let isIn { wakes.resume(returning: isIn) }
            }
        } onCancel: {
            let writer = state.withLock { state -> Writer? in
                state.writers.firstIndex { $0.id == id }.map { state.writers.remove(at: $0) }
            }
            writer?.wakes.resume(returning: false)
        }
    }

    /// Returns the next item; nil after the end, or if the task is cancelled.
    func next() async -> Item? {
        let id = state.withLock { $0.newID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wakes in
                let (isNow, item, writer) = state.withLock { state -> (Bool, Item?, Writer?) in
                    if Task.isCancelled { return (true, nil, nil) }
                    guard !state.items.isEmpty else {
                        if state.isClosed { return (true, nil, nil) }
                        state.readers.append(Reader(id: id, wakes: wakes))
                        return (false, nil, nil)
                    }
                    let item = state.items.removeFirst()
                    guard !state.writers.isEmpty else { return (true, item, nil) }
                    let writer = state.writers.removeFirst()
                    state.items.append(writer.item)
                    return (true, item, writer)
                }
                writer?.wakes.resume(returning: true)
                if isNow { wakes.resume(returning: item) }
            }
        } onCancel: {
            let reader = state.withLock { state -> Reader? in
                state.readers.firstIndex { $0.id == id }.map { state.readers.remove(at: $0) }
            }
            reader?.wakes.resume(returning: nil)
        }
    }

    /// Accepts no more items; items in the mailbox can still be read.
    func close() {
        let (readers, writers) = state.withLock { state in
            state.isClosed = true
            defer { (state.readers, state.writers) = ([], []) }
            return (state.readers, state.writers)
        }
        for reader in readers { reader.wakes.resume(returning: nil) }
        for writer in writers { writer.wakes.resume(returning: false) }
    }
}
