// SPDX-License-Identifier: Apache-2.0

internal import CPQ

/// A result of libpq; the owner of the pointer frees it.
@safe struct PostgresResult {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    /// Parses the only row, whose columns must have their types and not be null; also returns its
    /// size in bytes.
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

    /// The error that the server reported; `lost` if it reported none, as the connection is then
    /// lost.
    ///
    /// Contains only the first line of the message: the details repeat the data that was sent.
    func failure(or lost: PostgresError) -> PostgresError {
        guard let state = unsafe cpq_error_state(handle) else { return lost }
        let text = unsafe cpq_error_text(handle).map {
            unsafe String(cString: $0)
        }
        return .refused(
            state: unsafe String(cString: state).clipped, text: (text ?? "").clipped)
    }
}

/// The library libpq.
package enum PostgresLibrary {
    /// Loads libpq if it is installed, and makes it ignore environment variables.
    ///
    /// A process that will not be able to load libraries later calls this method first.
    package static func load() { _ = isReady }

    /// True if the library is installed in a version that supports pipelines.
    static var isReady: Bool { cpq_is_ready() }
}
