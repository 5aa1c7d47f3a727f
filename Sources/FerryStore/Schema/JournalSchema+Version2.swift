// Ferry: FerryStore
// The journal's second version: sessions that outlive their apps.

extension JournalSchema {
    /// The steps of the second version, in order.
    static let version2 = [version2Sessions, version2Applications]

    private static let version2Sessions = """
        ALTER TABLE transfers ADD COLUMN active TEXT;
        ALTER TABLE sessions ADD COLUMN last_task INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN cookies TEXT;
        """
}
