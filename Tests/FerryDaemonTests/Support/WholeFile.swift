import FerryTesting
import Testing

/// What is left of a download that has ended well.
extension DaemonFixture {
    /// Checks that a command succeeded, and that `file.bin` alone is there, with all bytes of a body.
    func expectWhole(
        _ body: SeededBody, after command: CommandResult, at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(command.status == 0, "\(command)", sourceLocation: location)
        #expect(contents == ["file.bin"], sourceLocation: location)
        #expect(try sha256("file.bin") == body.sha256Hex, sourceLocation: location)
    }
}
