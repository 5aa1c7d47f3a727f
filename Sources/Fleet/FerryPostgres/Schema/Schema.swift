/// The schema `ferry`: numbered steps of its tables, its functions, and the roles that may call them.
///
/// A step never changes once it is released. The functions have no state: each migration replaces all of them.
enum Schema {
    /// The version that this release writes.
    static let version = 2
    /// The oldest release that works with it, by its own version.
    static let compatible = 2
    /// The oldest supported server: 14.
    static let oldestServer = 140_000

    /// The step of the tables that makes version `number` out of the version before.
    static func step(_ number: Int) -> String? {
        switch number {
        case 1: Step1.text + "INSERT INTO meta (version, compatible) VALUES (1, 1);"
        case 2: Step2.text
        default: nil
        }
    }

    /// Replaces the functions, and records the version. Run as `ferry_owner`, in the transaction of the last step.
    static var functions: String {
        ([drop] + texts + [grants, "UPDATE meta SET version = \(version), compatible = \(compatible);"])
            .joined(separator: "\n")
    }

    private static let texts = [
        ListFunctions.text, ClaimFunctions.text, EndFunctions.text, MembershipFunctions.text, SubmissionFunctions.text,
        ActionFunctions.text, UpkeepFunctions.text,
    ]

    private static let drop = """
        DO $$
        DECLARE f regprocedure;
        BEGIN
          FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'ferry'::regnamespace LOOP
            EXECUTE format('DROP FUNCTION %s', f);
          END LOOP;
          DROP TYPE IF EXISTS lease;
        END $$;
        """
}
