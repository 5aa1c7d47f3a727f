import FerryAPI
import FerryCore
@testable import FerryServer
import FerrySystem
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Socket and lock` {
    @Test func `only the owner can reach the socket, and it goes with the server`() async throws {
        var path = ""
        try await withServer { client in
            path = client.path
            let modes = [try mode(path), try mode((path as NSString).deletingLastPathComponent)]
            #expect(modes == [0o600, 0o700])
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a socket that no daemon answers on is removed`() async throws {
        try await withFolder { folder in
            let path = folder + "/ferryd.sock"
            try leaveSocket(at: path)
            #expect(FileManager.default.fileExists(atPath: path))
            try ControlSocket(path: path).prepare()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a socket that a daemon answers on stays`() async throws {
        try await withServer { client in
            let error = #expect(throws: ServiceError.self) { try ControlSocket(path: client.path).prepare() }
            #expect(error?.code == .daemonUnreachable)
            let response = try await client.send("GET", "/v1/version")
            #expect(response.status == 200)
        }
    }

    @Test func `a file in the socket's place stays`() async throws {
        try await withFolder { folder in
            let path = folder + "/ferryd.sock"
            try Data("mine".utf8).write(to: URL(filePath: path))
            #expect(throws: ServiceError.self) { try ControlSocket(path: path).prepare() }
            #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
        }
    }

    @Test func `a folder that others may write to is refused`() async throws {
        try await withFolder { folder in
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
            let error = #expect(throws: ServiceError.self) { try PrivateFolder.make(folder) }
            #expect(error?.message.contains("chmod 700") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            try PrivateFolder.make(folder)
            #expect(try mode(folder) == 0o700)
        }
    }

    @Test func `a link in the folder's place is not followed`() async throws {
        try await withFolder { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "/run", withDestinationPath: folder)
            #expect(throws: ServiceError.self) { try PrivateFolder.make(folder + "/run") }
        }
    }

    @Test func `a second lock names the process that has the first`() async throws {
        try await withFolder { folder in
            let first = try DaemonLock(path: folder + "/ferryd.lock")
            var failure: DaemonFailure?
            do throws(DaemonFailure) { _ = try DaemonLock(path: folder + "/ferryd.lock") } catch { failure = error }
            #expect(failure?.exitStatus == 75)
            #expect(failure?.error.message.contains(" \(getpid())") == true)
            #expect(try mode(folder + "/ferryd.lock") == 0o600)
            _ = consume first
            _ = try DaemonLock(path: folder + "/ferryd.lock")
        }
    }

    /// Without its socket no client could reach the daemon, which also holds the lock that prevents another start.
    @Test func `a socket that is lost, or whose folder is, is made again, and existing connections continue`()
        async throws
    {
        let (made, making) = AsyncStream<Void>.makeStream()
        try await withServer(again: { making.yield() }) { client in
            var sockets = made.makeAsyncIterator()
            _ = await sockets.next()
            let old = try Connection(path: client.path)
            defer { old.end() }
            let ask: @Sendable () throws -> Int = {
                old.write(Data("GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                return try old.readAnswer().status
            }
            // A connection that was not accepted yet is lost with the socket.
            let before = try await offPool(ask)
            #expect(before == 200)
            let folder = (client.path as NSString).deletingLastPathComponent
            let above = (folder as NSString).deletingLastPathComponent
            // Folders are moved away, because the new socket may appear before all of them are removed.
            let losses: [() throws -> Void] = [
                { try FileManager.default.removeItem(atPath: client.path) },
                { try FileManager.default.moveItem(atPath: folder, toPath: folder + ".old") },
                { try FileManager.default.moveItem(atPath: above, toPath: above + ".old") },
            ]
            defer { try? FileManager.default.removeItem(atPath: above + ".old") }
            for lose in losses {
                try lose()
                _ = await sockets.next()
                let modes = [try mode(client.path), try mode(folder)]
                #expect(modes == [0o600, 0o700])
                let response = try await client.send("GET", "/v1/version")
                #expect(response.status == 200)
            }
            let after = try await offPool(ask)
            #expect(after == 200)
        }
    }

    @Test func `a file in the place of a deleted socket stays, and the socket comes when it is gone`() async throws {
        let (made, making) = AsyncStream<Void>.makeStream()
        let (told, telling) = AsyncStream<String>.makeStream()
        try await withServer(
            again: { making.yield() }, log: { _, message in telling.yield(message) }
        ) { client in
            var sockets = made.makeAsyncIterator()
            _ = await sockets.next()
            try Data("mine".utf8).write(to: URL(filePath: client.path + ".mine"))
            try #require(unsafe rename(client.path + ".mine", client.path) == 0)
            for await message in told where message.contains("is not a socket") { break }
            #expect(try Data(contentsOf: URL(filePath: client.path)) == Data("mine".utf8))
            try FileManager.default.removeItem(atPath: client.path)
            _ = await sockets.next()
            let response = try await client.send("GET", "/v1/version")
            #expect(response.status == 200)
        }
    }

    /// Binds a socket and closes it, as a killed daemon would leave it.
    private func leaveSocket(at path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
        close(descriptor)
    }
}
