import ArgumentParser
import FerryCore

/// Answers a browser extension.
struct NativeHostCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "native-host", abstract: "Answer a browser extension, which starts this command.",
        discussion: """
            The extension hands over downloads with their cookies. Debian's package registers this command with the browsers; elsewhere \
            --install does so for the user. Messages are JSON with a length prefix, on standard input and output.
            """)
    static let exitStatuses: [ExitStatus] = [
        .success, .own, ExitStatus(.destination), .usage,
    ]

    @Flag(help: "Register with the user's Firefox, Chromium, Chrome, Brave and Edge, and print the written files.")
    var install = false

    @Option(
        help: ArgumentHelp("Print the manifest for chromium or firefox, for packages.", valueName: "browser"))
    var manifest: NativeManifest.Kind?

    @Option(help: ArgumentHelp("The program that the manifest names.", valueName: "file"), completion: .file())
    var path = "/usr/lib/ferry/native-host"

    @Argument(help: ArgumentHelp("Arguments from the browser.", visibility: .hidden))
    var words: [String] = []

    func run(in context: CommandContext) async throws -> Int32 {
        if let manifest {
            context.console.print([try JSONText.line(NativeManifest(manifest, path: path))])
        } else if install {
            let files = try NativeInstallation(in: context).install()
            context.console.print(files)
            if files.isEmpty {
                context.console.say("ferry: No browser has a folder in the home folder yet; start the browser once.")
            }
        } else if context.console.isTerminal(.output) {
            throw ValidationError("A browser starts this command; ferry native-host --install tells browsers of it.")
        } else {
            try await NativeHost(context) { context.console.write($0[...]) }.serve(StandardInput.chunks())
        }
        return 0
    }
}

extension NativeManifest.Kind: ExpressibleByArgument {}
