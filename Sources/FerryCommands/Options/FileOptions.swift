import ArgumentParser
import FerryCore

/// Options for conditions on the file, naming conflicts and a full disk.
struct FileOptions: ParsableArguments {
    @Option(help: ConflictPolicy.help)
    var onConflict: ConflictPolicy = .unique

    @Flag(help: "Fail where the disk is full, in place of waiting for room.")
    var failWhenFull = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Bytes that the file must have.", valueName: "bytes"), transform: ByteAmount.parse)
    var expectedSize: Int64?

    @Option(
        name: [.long, .customLong("max-filesize")], parsing: .unconditional,
        help: ArgumentHelp("Bytes that the file may have at most.", valueName: "bytes"), transform: ByteAmount.parse)
    var maxSize: Int64?

    @Flag(help: "Give the file the time that the server names.")
    var remoteTime = false

    func apply(to request: inout TransferRequest) {
        request.onConflict = onConflict
        if failWhenFull { request.onFullDisk = .fail }
        request.expectedSize = expectedSize
        request.maxSize = maxSize
        request.remoteTime = remoteTime
    }
}
