// Ferry: FerryStore
// The journal's seventh version: what has ended keeps no secrets.

extension JournalSchema {
    /// The steps of the seventh version, in order.
    ///
    /// What is deleted is overwritten, also in pages that become free.
    static let version7 = [
        "PRAGMA secure_delete = ON",
        """
        UPDATE requests SET credentials = NULL, request = CASE WHEN json_valid(request) THEN json_set(
            json_remove(request, '$.cookies'),
            '$.headers', json((
                SELECT json_group_array(json(value)) FROM json_each(request, '$.headers') WHERE NOT (\(isSecret))
            )),
            '$.secrets_forgotten', json('true')
        ) ELSE request END
        WHERE id IN (SELECT id FROM transfers WHERE phase IN (3, 5))
        AND (credentials IS NOT NULL OR \(mayHaveSecrets)) AND (credentials IS NOT NULL OR CASE
            WHEN json_valid(request) THEN json_extract(request, '$.cookies') IS NOT NULL
            OR EXISTS (SELECT 1 FROM json_each(request, '$.headers') WHERE \(isSecret)) END)
        """,
        """
        UPDATE requests SET request = json_remove(request, '$.proxy_environment')
        WHERE id IN (SELECT id FROM transfers WHERE phase IN (3, 5)) AND instr(request, '@') > 0
        AND CASE WHEN json_valid(request) THEN instr(json_extract(request, '$.proxy_environment'), '@') > 0 END
        """,
        "PRAGMA secure_delete = FAST",
    ]

    /// Whether it is worth reading a request as JSON: a million of them take half a minute.
    private static let mayHaveSecrets = """
        instr(request, '"cookies"') > 0 OR (instr(request, '"headers"') > 0 AND instr(request, '"headers":[]') = 0)
        """

    /// Whether an element of `headers` is a field whose value opens something.
    private static let isSecret = [
        "auth", "cookie", "credential", "key", "passw", "secret", "session", "signature", "token",
    ]
    .map { "instr(lower(json_extract(value, '$.name')), '\($0)') > 0" }.joined(separator: " OR ")
}
