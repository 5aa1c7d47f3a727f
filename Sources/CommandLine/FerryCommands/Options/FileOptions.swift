import ArgumentParser
import FerryCore

/// Options for conditions on the file, naming conflicts and a full disk.
struct FileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "If the file exists: replace (default with -o NAME) replaces it, unique (default without) adds a number, fail fetches nothing and fails, skip keeps it, update replaces it if the server has another version.",
            valueName: "policy"))
    var onConflict: ConflictPolicy?

    @Flag(
        help:
            "Continue an incomplete file of another program, like curl's -C - and wget's -c, if a digest (--checksum, or the server's) proves the result; otherwise start over."
    )
    var continueFile = false

    @Flag(
        help:
            "Like --continue-file, but without a digest continue too, if the server identifies the version of its file."
    )
    var continueUnproven = false

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

    /// Whether files of other programs are continued.
    var continuesFiles: Bool { continueFile || continueUnproven }

    func apply(to request: inout TransferRequest) {
        // Whoever names a file has asked for it, as with curl's -o.
        request.file.onConflict = onConflict ?? (request.file.name == nil ? .unique : .replace)
        if failWhenFull { request.file.onFullDisk = .fail }
        request.response.expectedSize = expectedSize
        request.response.maxSize = maxSize
        request.file.remoteTime = remoteTime
    }
}
