// SPDX-License-Identifier: Apache-2.0

internal import CPQ

/// A piece of an answer, lent by who frees it.
@safe struct PostgresResult {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    /// The one row, whose every column is of its type and not null, and how many bytes it has.
    func row(of columns: [PostgresType]) throws(PostgresError) -> (row: PostgresRow, size: Int) {
        guard unsafe cpq_row_count(handle) == 1,
            unsafe Int(cpq_column_count(handle)) == columns.count
        else { throw .strange("another number of columns") }
        var values: [PostgresValue] = []
        var size = 0
        for (index, type) in columns.enumerated() {
            let column = Int32(index)
            guard unsafe cpq_type(handle, column) == type.rawValue,
                unsafe cpq_is_binary(handle, column)
            else { throw .strange("a column of another type") }
            guard unsafe !cpq_is_null(handle, 0, column) else { throw .strange("a null") }
            let count = unsafe Int(cpq_length(handle, 0, column))
            let bytes = unsafe UnsafeRawBufferPointer(
                start: cpq_value(handle, 0, column), count: count)
            guard let value = unsafe PostgresValue(Array(bytes), of: type) else {
                throw .strange("a value that its type does not have")
            }
            values.append(value)
            size += count
        }
        return (PostgresRow(values: values), size)
    }

    /// What the server refused with; where it says nothing the connection is lost.
    ///
    /// The first line alone: the details repeat what was sent.
    func failure(or lost: PostgresError) -> PostgresError {
        guard let state = unsafe cpq_error_state(handle) else { return lost }
        let text = unsafe cpq_error_text(handle).map {
            unsafe String(cString: $0)
        }
        return .refused(
            state: unsafe String(cString: state).clipped, text: (text ?? "").clipped)
    }
}

/// The library as a whole.
package enum PostgresLibrary {
    /// Loads it where it is there, for a process that can load nothing afterwards, and has it
    /// forget what variables of the environment say.
    package static func load() { _ = isReady }

    /// Whether it is there, and of a version that sends several statements at once.
    static var isReady: Bool { cpq_is_ready() }
}
