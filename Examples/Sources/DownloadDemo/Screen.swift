// The list's output.

import Foundation

/// The list's output.
protocol Screen {
    mutating func show(_ overview: Overview, _ controls: Controls)
    mutating func say(_ text: String)
    mutating func close()
}

extension Screen {
    func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
