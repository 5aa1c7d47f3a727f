import ArgumentParser
import FerryCore

/// Options for conditions on the file, naming conflicts and a full disk.
struct FileOptions: ParsableArguments {
    @Option(help: ConflictPolicy.help)
    var onConflict: ConflictPolicy = .unique

    @Flag(help: "Fail if the disk is full, instead of waiting for space.")
    var failWhenFull = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Expected size in bytes.", valueName: "bytes"), transform: ByteAmount.parse)
    var expectedSize: Int64?

    @Option(
        name: [.long, .customLong("max-filesize")], parsing: .unconditional,
        help: ArgumentHelp("Maximum size in bytes.", valueName: "bytes"), transform: ByteAmount.parse)
    var maxSize: Int64?

    @Flag(help: "Set the file's time to the server's Last-Modified.")
    var remoteTime = false

    func apply(to request: inout TransferRequest) {
        request.file.onConflict = onConflict
        if failWhenFull { request.file.onFullDisk = .fail }
        request.response.expectedSize = expectedSize
        request.response.maxSize = maxSize
        request.file.remoteTime = remoteTime
    }
}
