import FerryCore
import Foundation

/// Commands that can be run.
extension LaunchCommand {
    /// - Throws: ``TransferError`` with code `invalid_request` if the program is no absolute path of an executable file.
    func check() throws(TransferError) {
        guard let program = arguments.first, program.hasPrefix("/") else {
            throw TransferError(.invalidRequest, "A launch command begins with the absolute path of a program.")
        }
        var facts = stat()
        guard unsafe stat(program, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, unsafe access(program, X_OK) == 0
        else {
            throw TransferError(.invalidRequest, "\(program.escapingControls) is no program that can be run.")
        }
        if let workingFolder, !workingFolder.hasPrefix("/") {
            throw TransferError(.invalidRequest, "The folder that an app starts in is an absolute path.")
        }
        let texts = arguments + environment.flatMap { [$0, $1] } + [workingFolder ?? ""]
        guard !texts.contains(where: { $0.utf8.contains(0) }), !environment.keys.contains(where: { $0.contains("=") })
        else {
            throw TransferError(.invalidRequest, "A launch command has no zero bytes, and its variables no “=”.")
        }
    }
}
