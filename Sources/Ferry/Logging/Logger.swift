// Ferry: Ferry
// The logger that managers have without another.

import Foundation

/// Prints entries, one block each, to standard output.
struct Logger: Logable {
    let identifier: String
    var option: LogOption = .default

    func log(_ type: LogType) {
        guard option != .none else { return }
        print(LogText.block(type, identifier: identifier))
    }
}
