// Ferry: FerryTesting
// What a program that has ended left.

import Foundation

/// How a program ended and what it wrote.
package struct CommandResult: Equatable, Sendable, CustomStringConvertible {
    /// The exit status; 128 and the signal's number for a program that a signal ended.
    package var status: Int32
    package var stdout: String
    package var stderr: String

    package init(status: Int32, stdout: String, stderr: String) {
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
    }

    /// The lines of standard output.
    package var lines: [String] { stdout.split(separator: "\n").map(String.init) }

    /// Standard output as one JSON value.
    package func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(stdout.utf8))
    }

    package var description: String { "status \(status)\nstdout: \(stdout)\nstderr: \(stderr)" }
}
