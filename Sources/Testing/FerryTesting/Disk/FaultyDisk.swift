package import FerryCore
package import FerryDisk
import Foundation
import Synchronization

/// The real disk with injected faults and a record of its events.
///
/// Keeps each file's contents at its last sync, so that `forgetUnsynced` can simulate a power cut.
package final class FaultyDisk: DiskSystem {
    struct Fault: Sendable {
        var errno: Int32
        var passing: Int
        var times: Int
    }

    struct State: Sendable {
        var faults: [DiskCall: Fault] = [:]
        var actions: [DiskCall: @Sendable () -> Void] = [:]
        var room: (bytes: Int64, errno: Int32)?
        var knowsRoom = true
        var largestWrite = Int.max
        var allocates = true
        var syncsFileSystems = true
        var unwritten: Int64? = 0
        var renaming = Renaming.native
        var isCut = false
        var devices: [String: UInt64] = [:]
        var hold: DiskHold?
        var mount = OddMount()
        var events: [DiskEvent] = []
        var memory = DiskMemory()
    }

    /// The file system's support for the flags of `renameat2`, and for a rename that replaces a file.
    package enum Renaming: Hashable, Sendable, CaseIterable {
        case native, withoutFlags, withoutFlagsAndReplacing
    }

    private let disk = SystemDisk()
    let state = Mutex(State())

    package init() {}

    // MARK: Orders

    /// Fails a call a number of times, after some calls that succeed.
    package func fail(_ call: DiskCall, _ errno: Int32 = EIO, after passing: Int = 0, times: Int = .max) {
        state.withLock { $0.faults[call] = Fault(errno: errno, passing: passing, times: times) }
    }

    /// Runs a closure before each such call, on the calling thread. The closure may block.
    package func before(_ call: DiskCall, _ action: (@Sendable () -> Void)?) {
        state.withLock { $0.actions[call] = action }
    }

    /// Limits the number of bytes that can still be written. `nil` removes the limit.
    package func setRoom(_ bytes: Int64?, errno: Int32 = ENOSPC) {
        state.withLock { $0.room = bytes.map { ($0, errno) } }
    }

    /// Sets whether the file system reports its free space.
    package func setKnowsRoom(_ knows: Bool) { state.withLock { $0.knowsRoom = knows } }

    /// Limits the number of bytes per write.
    package func setLargestWrite(_ bytes: Int) { state.withLock { $0.largestWrite = bytes } }

    /// Sets whether blocks can be reserved.
    package func setAllocates(_ allocates: Bool) { state.withLock { $0.allocates = allocates } }

    /// Sets whether whole file systems can be synced.
    package func setSyncsFileSystems(_ syncs: Bool) { state.withLock { $0.syncsFileSystems = syncs } }

    /// Sets the number of bytes in memory not yet written to disk, of all programs.
    package func setUnwrittenBytes(_ bytes: Int64?) { state.withLock { $0.unwritten = bytes } }

    package func setRenaming(_ renaming: Renaming) { state.withLock { $0.renaming = renaming } }

    /// Sets how files look: their numbers and owners.
    package func setMount(_ mount: OddMount) { state.withLock { $0.mount = mount } }

    /// Fails every ``DiskCall`` until `restorePower`.
    package func cutPower() { state.withLock { $0.isCut = true } }

    package func restorePower() { state.withLock { $0.isCut = false } }

    /// Reports another device for a folder and everything below it.
    package func setDevice(_ device: UInt64, of folder: String) { state.withLock { $0.devices[folder] = device } }

    /// Blocks a kind of call for a folder and the files below it until the hold is released.
    package func hold(_ call: DiskCall, below folder: String) -> DiskHold {
        let hold = DiskHold(call, below: folder)
        state.withLock { $0.hold = hold }
        return hold
    }

    /// All events so far, in order.
    package var events: [DiskEvent] { state.withLock(\.events) }

    // MARK: Calls

    private func begin(_ call: DiskCall, _ path: String) throws(DiskError) {
        state.withLock { $0.isCut ? nil : $0.actions[call] }?()
        state.withLock(\.hold)?.pass(call, path)
        let errno = state.withLock { state -> Int32? in
            if state.isCut { return EIO }
            guard var fault = state.faults[call], fault.times > 0 else { return nil }
            let fails = fault.passing == 0
            if fails { fault.times -= 1 } else { fault.passing -= 1 }
            state.faults[call] = fault
            if fails { state.events.append(.failed(call)) }
            return fails ? fault.errno : nil
        }
        if let errno { throw DiskError("The order to fail \(call.rawValue) for", path, errno: errno) }
    }

    private func note(_ event: DiskEvent) { state.withLock { $0.events.append(event) } }

    package func device(of path: String) -> UInt64? {
        let known = state.withLock { $0.devices.first { path == $0.key || path.hasPrefix($0.key + "/") } }
        return known?.value ?? disk.device(of: path)
    }

    package func openFolder(_ path: String) throws(DiskError) -> OpenFile {
        try begin(.openFolder, path)
        return try disk.openFolder(path)
    }

    package func createFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile {
        try begin(.createFile, folder.path + "/" + name)
        let file = try disk.createFile(name, in: folder)
        note(.created(name))
        try remember(file)
        return file
    }

    package func openFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile {
        try begin(.openFile, folder.path + "/" + name)
        return try disk.openFile(name, in: folder)
    }

    package func identity(of file: OpenFile) throws(DiskError) -> FileIdentity {
        let found = try disk.identity(of: file)
        return state.withLock { $0.mount.shown(found, path: file.path) }
    }

    package func identity(of name: String, in folder: OpenFile) throws(DiskError) -> FileIdentity? {
        guard let found = try disk.identity(of: name, in: folder) else { return nil }
        return state.withLock { $0.mount.shown(found, path: folder.path + "/" + name) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64) throws(DiskError) -> Int {
        try begin(.write, file.path)
        let (count, full) = state.withLock { state -> (Int, Int32?) in
            let wanted = min(bytes.count, state.largestWrite)
            guard let room = state.room else { return (wanted, nil) }
            guard room.bytes > 0 else { return (0, room.errno) }
            let fitting = min(wanted, Int(room.bytes))
            state.room = (room.bytes - Int64(fitting), room.errno)
            return (fitting, nil)
        }
        if let full { throw DiskError("Writing", file.path, errno: full) }
        let done = try unsafe disk.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: file, at: offset)
        note(.written(offset..<offset + Int64(done)))
        return done
    }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at offset: Int64
    ) throws(DiskError) -> Int {
        try begin(.read, file.path)
        return try unsafe disk.read(into: buffer, from: file, at: offset)
    }

    package func truncate(_ file: OpenFile, to size: Int64) throws(DiskError) {
        try begin(.truncate, file.path)
        try disk.truncate(file, to: size)
        note(.truncated(size))
    }

    package func allocate(_ file: OpenFile, size: Int64) throws(DiskError) -> Bool {
        try begin(.allocate, file.path)
        return state.withLock(\.allocates) ? try disk.allocate(file, size: size) : false
    }

    package func hasHole(_ file: OpenFile, before position: Int64) -> Bool { disk.hasHole(file, before: position) }

    package func startWriteback(_ file: OpenFile) { disk.startWriteback(file) }

    package func syncData(_ file: OpenFile) throws(DiskError) {
        note(.syncBegan)
        try begin(.syncData, file.path)
        try disk.syncData(file)
        try remember(file)
        note(.syncEnded)
    }

    package func syncAll(_ file: OpenFile) throws(DiskError) {
        note(.syncBegan)
        try begin(.syncData, file.path)
        try disk.syncAll(file)
        try remember(file)
        note(.syncEnded)
    }

    package func syncFileSystem(of folder: OpenFile) throws(DiskError) -> Bool {
        guard state.withLock(\.syncsFileSystems) else { return false }
        note(.syncBegan)
        try begin(.syncFileSystem, folder.path)
        state.withLock { state in
            state.memory.allSynced()
            state.events.append(.fileSystemSynced)
        }
        return true
    }

    package func unwrittenBytes() -> Int64? { state.withLock(\.unwritten) }

    package func syncFolder(_ folder: OpenFile) throws(DiskError) {
        try begin(.syncFolder, folder.path)
        try disk.syncFolder(folder)
        let place = try disk.identity(of: folder)
        state.withLock { state in
            state.memory.folderSynced(place)
            state.events.append(.folderSynced)
        }
    }

    package func setMode(_ mode: UInt32, of file: OpenFile) throws(DiskError) {
        try begin(.setMode, file.path)
        try disk.setMode(mode, of: file)
    }

    package func setModificationTime(_ seconds: Int64, of file: OpenFile) throws(DiskError) {
        try begin(.setTime, file.path)
        try disk.setModificationTime(seconds, of: file)
    }

    package func setAttribute(_ name: String, _ value: String, of file: OpenFile) throws(DiskError) -> Bool {
        try begin(.setAttribute, file.path)
        return try disk.setAttribute(name, value, of: file)
    }

    package func rename(
        _ name: String, in folder: OpenFile, to newName: String, in newFolder: OpenFile, replacing: Bool
    ) throws(DiskError) -> Bool {
        try begin(.rename, newFolder.path + "/" + newName)
        let place = try disk.identity(of: newFolder)
        let renaming = state.withLock(\.renaming)
        if replacing, renaming == .withoutFlagsAndReplacing,
            try disk.identity(of: newName, in: newFolder)?.kind == .regular
        {
            try disk.replace(newName, in: newFolder, by: name, in: folder, replaces: false)
            note(.renamed(newName))
            return true
        }
        let isPlaced =
            replacing || renaming == .native
            ? try disk.rename(name, in: folder, to: newName, in: newFolder, replacing: replacing)
            : try disk.renameWithoutFlags(
                name, in: folder, to: newName, in: newFolder, replaces: renaming == .withoutFlags)
        guard isPlaced else { return false }
        state.withLock { state in
            state.memory.renamed(folder.path + "/" + name, to: newFolder.path + "/" + newName, in: place)
            state.events.append(.renamed(newName))
        }
        return true
    }

    package func remove(_ name: String, in folder: OpenFile) throws(DiskError) {
        try begin(.remove, folder.path + "/" + name)
        try disk.remove(name, in: folder)
        note(.removed(name))
    }

    package func makeFolders(_ path: String, mode: UInt32, allowed: AllowedFolders?) throws(DiskError) {
        try disk.makeFolders(path, mode: mode, allowed: allowed)
    }

    package func defaultAccessList(of path: String) -> DefaultAccessList? { disk.defaultAccessList(of: path) }

    package func realPath(of folder: OpenFile) throws(DiskError) -> String { try disk.realPath(of: folder) }

    package func writeObstacle(in folder: OpenFile) -> Int32? { disk.writeObstacle(in: folder) }

    package func fileSystem(of folder: OpenFile) throws(DiskError) -> FileSystemFacts {
        var facts = try disk.fileSystem(of: folder)
        state.withLock { state in
            if !state.knowsRoom { facts.free = nil }
            if state.mount.inodes != .stored { facts.keepsInodes = false }
        }
        return facts
    }

    package func mount(of path: String) -> Mount? { state.withLock(\.mount.shown) ?? disk.mount(of: path) }

    /// Records the file's contents as durable.
    private func remember(_ file: OpenFile) throws(DiskError) {
        let identity = try disk.identity(of: file)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(identity.size)) { buffer, count in
            let read = try? unsafe disk.read(into: UnsafeMutableRawBufferPointer(buffer), from: file, at: 0)
            count = max(0, read ?? 0)
        }
        state.withLock { $0.memory.synced(identity, path: file.path, bytes: bytes) }
    }
}

/// The calls of a disk that a test can make fail.
package enum DiskCall: String, Hashable, Sendable, CaseIterable {
    case openFolder, createFile, openFile, write, read, truncate, allocate, syncData, syncFileSystem, syncFolder,
        setMode, setTime, setAttribute, rename, remove
}

/// An event on a disk.
package enum DiskEvent: Equatable, Sendable {
    case created(String)
    case written(Range<Int64>)
    case truncated(Int64)
    case syncBegan
    /// A sync succeeded.
    case syncEnded
    case fileSystemSynced
    case renamed(String)
    case folderSynced
    case removed(String)
    /// A call failed because of an injected fault.
    case failed(DiskCall)
}
