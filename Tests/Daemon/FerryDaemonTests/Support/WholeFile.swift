import FerryTesting
import Testing

/// Checks of a successful download.
extension DaemonFixture {
    /// Checks that the command succeeded and that the only file is a complete `file.bin`.
    func expectWhole(
        _ body: SeededBody, after command: CommandResult, at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(command.status == 0, "\(command)", sourceLocation: location)
        #expect(contents == ["file.bin"], sourceLocation: location)
        #expect(try sha256("file.bin") == body.sha256Hex, sourceLocation: location)
    }
}
