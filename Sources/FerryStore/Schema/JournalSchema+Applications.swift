// Ferry: FerryStore
// The journal's tables of apps and their sessions.

extension JournalSchema {
    static let version2Applications = """
        CREATE TABLE applications (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE registrations (session TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """
}
