// Ferry: FerryCommands
// What a command works with.

package import FerryClient
import FerryCore
package import Foundation
import Synchronization

/// What a command works with: everything outside its own options.
package struct CommandContext: Sendable {
    package var console: any Console
    package var environment: [String: String]
    package var currentFolder: String
    package var now: @Sendable () -> Date = { Date() }
    private let access: LazyDaemon

    package init(
        console: any Console, environment: [String: String], currentFolder: String,
        daemon: @escaping @Sendable () throws -> any DaemonAccess
    ) {
        self.console = console
        self.environment = environment
        self.currentFolder = currentFolder
        access = LazyDaemon(daemon)
    }

    /// That of this process.
    package static func system() -> CommandContext {
        let environment = ProcessInfo.processInfo.environment
        return CommandContext(
            console: SystemConsole(), environment: environment,
            currentFolder: FileManager.default.currentDirectoryPath
        ) {
            LocalDaemon(try ClientConfiguration(environment: environment))
        }
    }

    /// The daemon; nothing is set up for it before the first use.
    func daemon() throws -> any DaemonAccess { try access.get() }

    func service() throws -> any SessionService { try access.get().service }

    func close() async { await access.close() }

    var typedPath: TypedPath {
        TypedPath(currentFolder: currentFolder) { path in
            FileManager.default.fileExists(atPath: path)
                ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : nil
        }
    }

    func palette(_ stream: ConsoleStream) -> Palette {
        let isWanted = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return Palette(isOn: isWanted && console.isTerminal(stream))
    }
}

/// Makes the access to the daemon when it is first needed.
private final class LazyDaemon: Sendable {
    private let make: @Sendable () throws -> any DaemonAccess
    private let made = Mutex<(any DaemonAccess)?>(nil)

    init(_ make: @escaping @Sendable () throws -> any DaemonAccess) { self.make = make }

    func get() throws -> any DaemonAccess {
        try made.withLock { made in
            if let made { return made }
            let daemon = try make()
            made = daemon
            return daemon
        }
    }

    func close() async { await made.withLock { $0 }?.close() }
}
