import FerryAPI
import FerryCore
import Foundation
import Glibc
import Testing

@testable import FerryClient

/// A socket that another user created or could replace would receive every request with its passwords.
@Suite(.timeLimit(.minutes(1))) struct `A socket that is not to be trusted` {
    /// Makes a call to a socket after changing its folder or file. Returns the error and the sent requests.
    private func call(
        changing change: (_ folder: String, _ socket: String) throws -> Void
    ) async throws -> (error: ServiceError?, requests: [String]) {
        let folder = "/tmp/ft-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
            atPath: folder + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let socket = ScriptedSocket([.swallow], at: folder + "/run/ferryd.sock")
        defer { socket.stop() }
        try change(folder, socket.path)
        let connection = DaemonConnection(socket: socket.path, limit: .seconds(60))
        defer { connection.shutdown() }
        do throws(ConnectionFailure) {
            _ = try await connection.call(GetStatus.self)
            return (nil, socket.requests)
        } catch {
            if case .refused(let refusal) = error { return (refusal, socket.requests) }
            return (nil, socket.requests)
        }
    }

    @Test(
        arguments: [("", 0o777), ("/run", 0o777), ("/run", 0o702), ("/run/ferryd.sock", 0o666)] as [(String, mode_t)])
    func `gets not a byte where others may write`(part: String, mode: mode_t) async throws {
        let (error, requests) = try await call { folder, _ in
            let result = unsafe chmod(folder + part, mode)
            #expect(result == 0)
        }
        #expect(try #require(error).code == .daemonUnreachable)
        #expect(error?.message.contains("chmod") == true)
        #expect(part.isEmpty || error?.message.contains(part) == true)
        #expect(requests.isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"), arguments: ["", "/run", "/run/ferryd.sock"])
    func `gets not a byte where another user is the owner`(part: String) async throws {
        let (error, requests) = try await call { folder, _ in
            let result = unsafe chown(folder + part, 12345, 12345)
            #expect(result == 0)
        }
        #expect(try #require(error).message.contains("belongs to user 12345"))
        #expect(requests.isEmpty)
    }

    @Test func `is a link, too`() async throws {
        let (error, requests) = try await call { folder, socket in
            try FileManager.default.moveItem(atPath: socket, toPath: folder + "/s")
            try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: folder + "/s")
        }
        #expect(try #require(error).message.contains("is not a socket"))
        #expect(requests.isEmpty)
    }

    @Test func `is not one that the user made in a folder of their own`() async throws {
        let (error, requests) = try await call { _, _ in }
        #expect(error == nil)
        #expect(requests.count == 1)
    }

    @Test func `the process that listens is known by number and user`() async throws {
        let socket = ScriptedSocket([.swallow])
        defer { socket.stop() }
        let connection = try DaemonSocket(path: socket.path)
        #expect(connection.peer == getpid())
        connection.end()
    }
}
