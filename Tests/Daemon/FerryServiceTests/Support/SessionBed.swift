import FerryCore
import FerryTesting
import Foundation
import Testing

/// Helpers for tests of background sessions.
extension ServiceBed {
    static let application = "org.example.app"

    /// Returns the attachment of a process to the app's session. The default is this process.
    func attachment(
        _ identifier: String = "session", process: Int32 = getpid(), isBackground: Bool = false,
        _ change: (inout SessionAttachment) -> Void = { _ in }
    ) -> SessionAttachment {
        var attachment = SessionAttachment(
            application: Self.application, identifier: identifier, process: process, isBackgroundLaunched: isBackground,
            sendsLaunchEvents: true, connectionsPerHost: 6)
        change(&attachment)
        return attachment
    }

    func attach(
        _ identifier: String = "session", process: Int32 = getpid(), isBackground: Bool = false,
        _ change: (inout SessionAttachment) -> Void = { _ in }
    ) async throws -> AttachedApp {
        try await AttachedApp.attach(
            attachment(identifier, process: process, isBackground: isBackground, change), to: service)
    }

    func connect(process: Int32 = getpid(), launchedFor: String? = nil) async throws -> ListeningApp {
        try await ListeningApp.connect(
            ApplicationConnection(application: Self.application, process: process, launchedFor: launchedFor),
            to: service)
    }

    /// Submits a task of the app's session.
    @discardableResult
    func task(
        _ number: Int, _ path: String = "/file.bin", in identifier: String = "session",
        of application: String = Self.application, _ change: (inout TransferRequest) -> Void = { _ in }
    ) async throws -> TransferID {
        let session = try attachment(identifier) { $0.application = application }.session()
        return try await add(path) { request in
            request.session = session
            request.file.spooled = true
            request.file.folder = ""
            request.file.onConflict = .replace
            request.response.statusPolicy = .any
            request.file.onFullDisk = .fail
            request.note = ClientNote(
                application: application, identifier: identifier, task: number, kind: .download, data: "")
            change(&request)
        }.id
    }

    // MARK: Launches

    /// Registers a program that logs its start in a file and lives until the folder's `stay` is removed.
    func registerCommand(ends: Bool = false, for application: String = Self.application) async throws {
        _ = FileManager.default.createFile(atPath: outside.file("stay"), contents: nil)
        let note = #"echo "$FERRY_BACKGROUND_SESSION $FERRY_APPLICATION_ID $1 $ADDED $PWD" >> "$FILE""#
        let stay = #"while [ -e "$STAY" ]; do sleep 0.05; done"#
        try await service.registerLaunchCommand(
            LaunchCommand(
                arguments: ["/bin/sh", "-c", ends ? note : note + "; " + stay, "app", "a  b"],
                workingFolder: outside.path,
                environment: [
                    "FILE": outside.file("launches"), "STAY": outside.file("stay"), "ADDED": "added",
                ]), of: application)
    }

    /// The logged starts of programs.
    var launches: [String] {
        String(decoding: FileManager.default.contents(atPath: outside.file("launches")) ?? Data(), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    func launch(of identifier: String = "session") -> String {
        "\(identifier) \(Self.application) a  b added \(outside.path)"
    }

    /// Ends the launched programs.
    func endLaunched() { try? FileManager.default.removeItem(atPath: outside.file("stay")) }
}
