import ArgumentParser
import FerryAPI
import FerryClient
import FerryCore
import FerryFoundation
import FerrySystem

/// Opens the gateway's page.
struct WebCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "web", abstract: "Open Ferry's page in a browser.",
        discussion: """
            Turns the gateway on if it is off. Without a desktop it prints the page's address. The address has a code that \
            works once, within a minute, on this machine or through a tunnel to it.
            """)
    static let exitStatuses = GatewayCommand.exitStatuses

    @Flag(name: .customLong("print"), help: "Print the address with its code, without opening a browser.")
    var prints = false

    func run(in context: CommandContext) async throws -> Int32 {
        let address = try await PageAddress.find(in: context)
        if !prints, let file = try PageOpener(context).open(address) {
            context.console.print([String(address.prefix { $0 != "#" })])
            context.console.say("If no browser shows it, open \(file.escapingControls), or see `ferry web --print`.")
        } else {
            context.console.print([address])
        }
        return 0
    }
}

/// The address of the page, with a code that works once in its fragment.
enum PageAddress {
    /// Turns the gateway on if it is off, and returns the page's address.
    ///
    /// - Throws: ``ServiceError`` with code `daemon_unreachable` if the gateway does not listen.
    static func find(in context: CommandContext) async throws(ServiceError) -> String {
        let gateway = try gateway(in: context)
        var status = try await gateway.status()
        if !status.settings.isOn {
            var change = GatewayChange()
            change.isOn = true
            status = try await gateway.change(change)
            context.console.say("The gateway is on; `ferry gateway off` turns it off.")
        }
        status = try await GatewayText.settled(status, of: gateway)
        guard let url = status.listening.first else {
            throw ServiceError(
                .daemonUnreachable, status.problems.first ?? "The gateway is not ready yet; try again.")
        }
        // The wildcard address is not a destination.
        let page = url.replacing("//0.0.0.0:", with: "//127.0.0.1:").replacing("//[::]:", with: "//[::1]:")
        return "\(page)/#code=\(try await gateway.pageCode().code)"
    }

    static func gateway(in context: CommandContext) throws(ServiceError) -> any GatewayControl {
        do { return try context.daemon().gateway } catch let error as ServiceError { throw error } catch {
            throw ServiceError(.internal, "\(error)")
        }
    }
}

/// Opens an address with a code in the desktop's browser.
///
/// Other users can see a program's arguments. So the browser opens a file, readable by the user alone, that redirects
/// to the address.
struct PageOpener {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    /// - Returns: The path of the file, or nil without a desktop or a browser.
    func open(_ address: String) throws -> String? {
        let environment = context.environment
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !environment[$0, default: ""].isEmpty }
        guard hasDesktop else { return nil }
        let folder = try FerryPaths(environment: environment, userID: geteuid()).runtimeFolder
        try PrivateFolder.make(folder)
        let file = folder + "/page.html"
        try Self.write(Self.document(leadingTo: address), to: file)
        return context.launch(["xdg-open", "file://" + file]) ? file : nil
    }

    static func document(leadingTo address: String) -> String {
        """
        <!DOCTYPE html>
        <meta charset="utf-8">
        <meta http-equiv="refresh" content="0;url=\(address)">
        <title>Ferry</title>
        <a href="\(address)">Ferry</a>

        """
    }

    private static func write(_ text: String, to file: String) throws {
        unsafe unlink(file)
        let descriptor = unsafe Glibc.open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        let bytes = Array(text.utf8)
        let written = unsafe descriptor < 0 ? -1 : Glibc.write(descriptor, bytes, bytes.count)
        let number = errno
        if descriptor >= 0 { close(descriptor) }
        guard written == bytes.count else {
            throw ServiceError(
                .internal, "\(file.escapingControls) cannot be written: \(unsafe String(cString: strerror(number))).")
        }
    }
}
