import FerryAPI
package import FerryCore
package import FerryFoundation
import FerrySystem

extension InstallationFacts {
    /// Inspects this machine without changing anything. Blocks while the disks do.
    ///
    /// - Parameter daemon: The daemon's status, or `nil` if none is running.
    package static func ofSystem(
        environment: [String: String], currentFolder: String, daemon: Result<ServiceStatus?, ServiceError>, now: Date
    ) -> InstallationFacts {
        let paths = Result { () throws(ServiceError) in
            try FerryPaths(environment: environment, userID: geteuid())
        }
        let program = Result { () throws(ServiceError) in
            try DaemonExecutable(
                environment: environment, program: DaemonProcess.runningProgram, refusal: DaemonProcess.refusal
            ).find()
        }
        var facts = InstallationFacts(paths: paths, program: program, daemon: daemon, now: now)
        facts.environment = environment
        facts.currentFolder = currentFolder
        facts.inspect(at: (try? paths.get()).map { [$0.stateFolder, $0.runtimeFolder] } ?? [])
        if let paths = try? paths.get() { facts.tryFolders(paths) }
        if let program = try? program.get() {
            facts.programRun = ProgramRun.of([program, "--version"], environment: DaemonEnvironment.of(environment))
        }
        if let state = try? paths.get().stateFolder {
            let attributes = try? FileManager.default.attributesOfItem(atPath: state + "/journal.sqlite")
            facts.lastUse = attributes?[.modificationDate] as? Date
        }
        facts.inspectNames()
        facts.network.routes = NetworkRoutes.read()
        facts.hasPublicSuffixes = PublicSuffixes.system.contains("com") != nil
        for (name, value) in facts.proxies {
            facts.proxyFaults[name] = (try? ProxyChoice(parsing: value)).flatMap(ProxyProbe.fault)
        }
        let named = RequestTrust(variables: environment, currentFolder: currentFolder).authorities
        facts.authorities = (named.isEmpty ? SystemRoots.files + [SystemRoots.folder] : named).filter(holdsSomething)
        return facts
    }

    private mutating func inspect(at folders: [String]) {
        let trust = PathTrust(user: geteuid(), in: .own)
        for folder in folders {
            let way = PathWay(to: folder)
            let refusal =
                way.errorNumber == 0 ? trust.refusal(of: way.parts, endingIn: .folder) : trust.refusal(ofWay: way.parts)
            if let refusal, !distrust.contains(refusal) { distrust.append(refusal) }
        }
        for folder in folders.prefix(1) + [currentFolder] {
            guard let room = DiskRoom(at: folder) else { continue }
            rooms.append(Room(folder: folder, bytes: room.bytes, files: room.files))
        }
    }

    /// Tries to write where the daemon and downloads do.
    private mutating func tryFolders(_ paths: FerryPaths) {
        let files = ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "ferryd.log", "ferryd.lock"]
        let state =
            FolderTrial.obstacle(.state, in: paths.stateFolder)
            ?? FolderTrial.obstacle(.state, files: files, in: paths.stateFolder)
        let socket = FolderTrial.obstacle(.socket, in: paths.runtimeFolder)
        // One place is named once.
        obstacles = [
            state, socket?.path == state?.path ? nil : socket,
            // Empty if it was removed.
            currentFolder.isEmpty ? nil : FolderTrial.obstacle(.downloads, in: currentFolder),
        ].compactMap(\.self)
    }

    private mutating func inspectNames() {
        var found: UnsafeMutablePointer<addrinfo>?
        network.resolvesNames = unsafe getaddrinfo("localhost", nil, nil, &found) == 0
        if let found = unsafe found { unsafe freeaddrinfo(found) }
        guard let text = try? String(contentsOfFile: "/etc/resolv.conf", encoding: .utf8) else { return }
        network.nameServers = text.split(whereSeparator: \.isNewline).count { line in
            line.split(whereSeparator: \.isWhitespace).first == "nameserver"
        }
    }

    /// Whether the path is a file that is not empty, or a folder with entries.
    private static func holdsSomething(_ path: String) -> Bool {
        if let entries = try? FileManager.default.contentsOfDirectory(atPath: path) { return !entries.isEmpty }
        // Otherwise opening a named pipe at this path would block.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var byte: UInt8 = 0
        return unsafe read(file, &byte, 1) == 1
    }
}
