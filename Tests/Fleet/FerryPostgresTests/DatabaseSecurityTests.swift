import FerryCore
import Testing

@testable import FerryPostgres

/// Whom a connection to the database must verify.
@Suite(.timeLimit(.minutes(1))) struct `The security of the database's connection` {
    /// Options as libpq has put them together, and the mode to add, or `refused`.
    @Test(
        arguments: [
            ([:], "none"), (["host": "/run/postgresql"], "none"), (["host": "@abstract"], "none"),
            (["host": "localhost"], "none"), (["host": "127.0.0.1"], "none"), (["host": "::1"], "none"),
            (["host": "::ffff:127.0.0.1"], "none"), (["host": "127.1.2.3,/tmp"], "none"),
            (["host": "127.0.0.1", "sslmode": "disable"], "none"),
            (["host": "db.example", "hostaddr": "127.0.0.1", "sslmode": "prefer"], "none"),
            (["host": "db.example"], "verify-full"), (["host": "db.example", "sslmode": "prefer"], "verify-full"),
            (["host": "db.example", "sslmode": "verify-full"], "none"),
            (["host": "127.fake.lab", "sslmode": "prefer"], "verify-full"), (["host": "127.fake.lab"], "verify-full"),
            (["host": "127.0.0.1.example"], "verify-full"), (["host": "localhost.example"], "verify-full"),
            (["host": "::ffff:10.0.0.1"], "verify-full"), (["host": "::2"], "verify-full"),
            (["host": "128.0.0.1"], "verify-full"),
            (["host": "localhost,db.example"], "verify-full"), (["hostaddr": "10.0.0.1"], "verify-full"),
            (["host": "localhost", "hostaddr": "10.0.0.1"], "verify-full"),
            (["host": "db.example", "sslmode": "require"], "refused"),
            (["host": "db.example", "sslmode": "disable"], "refused"),
            (["host": "db.example", "sslmode": "verify-ca"], "refused"),
            (["host": "127.fake.lab", "sslmode": "allow"], "refused"),
        ] as [([String: String], String)])
    func `is decided by all options together`(options: [String: String], expected: String) {
        let mode: String
        do throws(ServiceError) {
            mode = try DatabaseSecurity.mode(for: ConnectionOptions(options)) ?? "none"
        } catch {
            mode = "refused"
            #expect(error.code == .invalidRequest && error.message.contains("--insecure-database"))
        }
        #expect(mode == expected)
    }

    @Test(
        arguments: [
            ("/run/postgresql", "", false, nil, true), ("db.example", "127.0.0.1", false, "prefer", true),
            ("db.example", "::1", false, nil, true), ("db.example", "10.0.0.1", true, "verify-full", true),
            ("db.example", "10.0.0.1", true, "require", false), ("db.example", "10.0.0.1", false, "verify-full", false),
            ("127.fake.lab", "10.0.0.1", false, "prefer", false), ("localhost", "10.0.0.1", false, nil, false),
            ("db.example", "", false, nil, false),
        ] as [(String, String, Bool, String?, Bool)])
    func `is checked on the connection that was made`(
        host: String, address: String, usesTLS: Bool, mode: String?, isAccepted: Bool
    ) {
        let check = { () throws(ServiceError) in
            try DatabaseSecurity.check(host: host, address: address, usesTLS: usesTLS, mode: mode)
        }
        if isAccepted {
            #expect(throws: Never.self) { try check() }
        } else {
            #expect(throws: ServiceError.self) { try check() }
        }
    }
}
