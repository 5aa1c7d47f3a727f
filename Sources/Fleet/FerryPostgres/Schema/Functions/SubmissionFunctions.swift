/// Tenants and their rights, and the submission of jobs.
enum SubmissionFunctions {
    static let text = #"""
        -- The tenant whose jobs a login changes: null for all, 0 for none.
        CREATE FUNCTION own_tenant() RETURNS int LANGUAGE sql STABLE AS $$
          SELECT CASE WHEN pg_has_role(session_user, 'ferry_operator', 'MEMBER') THEN NULL
            ELSE coalesce((SELECT t.tenant FROM tenants t WHERE t.name = session_user), 0) END $$;

        -- The tenant whose jobs a login sees: null for all, 0 for none.
        CREATE FUNCTION seen_tenant() RETURNS int LANGUAGE sql STABLE AS $$
          SELECT CASE WHEN pg_has_role(session_user, 'ferry_reader', 'MEMBER') THEN NULL ELSE own_tenant() END $$;

        -- Whether a path is below a store, by whole components, and no part of it leads upwards.
        CREATE FUNCTION is_in_store(p_path text) RETURNS boolean LANGUAGE sql STABLE AS $$
          SELECT p_path !~ '(^|/)[.]{1,2}(/|$)'
            AND EXISTS (SELECT 1 FROM stores s WHERE starts_with(p_path, rtrim(s.folder, '/') || '/')) $$;

        CREATE FUNCTION refuse(p_message text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION '%', p_message USING ERRCODE = 'FY002'; END $$;

        -- Whoever may submit can call this with any text: the limits of the command hold here too.
        CREATE FUNCTION check_submission(p_origins text[], p_needs text[], p_keys text[], p_batches text[], p_paths text[],
          p_urls text[], p_requests text[], p_counts int[]) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE most int := cardinality(p_paths);
        BEGIN
          IF most > 10000 THEN PERFORM refuse('One call adds at most 10000 jobs.'); END IF;
          IF EXISTS (SELECT 1 FROM unnest(p_counts) AS c WHERE c IS DISTINCT FROM most) THEN
            PERFORM refuse('All arrays of a submission have the same length.');
          END IF;
          IF array_position(p_origins || p_needs || p_paths || p_urls || p_requests, NULL) IS NOT NULL THEN
            PERFORM refuse('A job has a server, a label, a destination, a URL and a request.');
          END IF;
          PERFORM refuse('A job has at most 64 KiB of request, 8 KiB of URL, 4 KiB of destination and 255 bytes of key, batch and label.')
            FROM unnest(p_origins, p_needs, p_keys, p_batches, p_paths, p_urls, p_requests)
              AS e(origin, needs, key, batch, path, url, request)
            WHERE octet_length(e.request) > 65536 OR octet_length(e.url) > 8192 OR octet_length(e.path) > 4096
              OR octet_length(e.origin) > 400 OR octet_length(e.needs) > 255
              OR octet_length(e.key) > 255 OR octet_length(e.batch) > 255 LIMIT 1;
        END $$;

        -- outcome: 0 added, 1 a job has this key, 2 a job has this destination, 3 no store has it, 4 another job was in the
        -- way and is gone: try again. other: that job's number.
        CREATE FUNCTION submit(p_origins text[], p_needs text[], p_priorities smallint[], p_keys text[], p_batches text[],
          p_paths text[], p_exclusive boolean[], p_urls text[], p_requests text[], p_begins timestamptz[], p_paused boolean[])
        RETURNS TABLE (n bigint, id bigint, outcome int, other bigint) LANGUAGE plpgsql
        SET plan_cache_mode = force_custom_plan AS $$
        #variable_conflict use_column
        DECLARE moment timestamptz := clock_timestamp(); of_tenant int; ids bigint[]; job_lines int[]; added bigint[];
          late bigint[];
        BEGIN
          PERFORM check_submission(p_origins, p_needs, p_keys, p_batches, p_paths, p_urls, p_requests,
            ARRAY[cardinality(p_origins), cardinality(p_needs), cardinality(p_priorities), cardinality(p_keys),
              cardinality(p_batches), cardinality(p_exclusive), cardinality(p_urls), cardinality(p_requests),
              cardinality(p_begins), cardinality(p_paused)]);
          INSERT INTO tenants (name) SELECT session_user WHERE NOT EXISTS (SELECT 1 FROM tenants WHERE name = session_user)
            ON CONFLICT DO NOTHING;
          SELECT t.tenant INTO of_tenant FROM tenants t WHERE t.name = session_user;
          job_lines := lines_of(of_tenant, p_origins, p_needs);
          -- Numbers follow the order of the requests.
          ids := ARRAY(SELECT nextval('job_ids') FROM generate_series(1, cardinality(p_paths)));
          WITH written AS (INSERT INTO requests (id, tenant, key, batch, place, path, url, request, submitted_at, begin_at)
            SELECT e.id, of_tenant, e.key, e.batch, CASE WHEN e.exclusive THEN md5(e.path)::uuid END, e.path, e.url,
              e.request, moment, e.begins
            FROM unnest(ids, p_keys, p_batches, p_paths, p_exclusive, p_urls, p_requests, p_begins) WITH ORDINALITY
              AS e(id, key, batch, path, exclusive, url, request, begins, n)
            WHERE is_in_store(e.path)
              AND (e.key IS NULL OR NOT EXISTS (SELECT 1 FROM ended x WHERE x.tenant = of_tenant AND x.key = e.key))
            ORDER BY e.n ON CONFLICT DO NOTHING RETURNING id)
          SELECT array_agg(w.id) INTO added FROM written w;
          -- The insertion waits for an end that moves a job with the same key, and this statement sees what it has moved.
          SELECT array_agg(e.id) INTO late FROM unnest(ids, p_keys) AS e(id, key)
            WHERE e.key IS NOT NULL AND e.id = ANY (added)
              AND EXISTS (SELECT 1 FROM ended x WHERE x.tenant = of_tenant AND x.key = e.key);
          IF late IS NOT NULL THEN
            DELETE FROM requests r WHERE r.id = ANY (late);
            added := ARRAY(SELECT a FROM unnest(added) AS a WHERE a <> ALL (late));
          END IF;
          INSERT INTO jobs (id, tenant, line, priority, state, ready_at, reason)
            SELECT e.id, of_tenant, e.line, e.priority, CASE WHEN e.paused THEN 3 WHEN e.begins > moment THEN 2 ELSE 0 END,
              CASE WHEN NOT e.paused AND e.begins > moment THEN e.begins END,
              CASE WHEN NOT e.paused AND e.begins > moment THEN 'begin_date' END
            FROM unnest(ids, job_lines, p_priorities, p_begins, p_paused) AS e(id, line, priority, begins, paused)
            WHERE e.id = ANY (added);
          GET DIAGNOSTICS n = ROW_COUNT;
          PERFORM check_rows('jobs', n, coalesce(cardinality(added), 0));
          RETURN QUERY SELECT e.n, e.id, 0, NULL::bigint FROM unnest(ids) WITH ORDINALITY AS e(id, n) WHERE e.id = ANY (added);
          IF coalesce(cardinality(added), 0) < cardinality(p_paths) THEN
            RETURN QUERY SELECT e.n, NULL::bigint, CASE WHEN k.id IS NOT NULL THEN 1 WHEN NOT is_in_store(e.path) THEN 3
                WHEN d.id IS NOT NULL THEN 2 ELSE 4 END,
                coalesce(k.id, CASE WHEN d.tenant = of_tenant THEN d.id END)
              FROM unnest(ids, p_keys, p_paths, p_exclusive) WITH ORDINALITY AS e(id, key, path, exclusive, n)
              LEFT JOIN LATERAL (SELECT r.id FROM requests r WHERE r.tenant = of_tenant AND r.key = e.key
                UNION ALL SELECT x.id FROM ended x WHERE x.tenant = of_tenant AND x.key = e.key LIMIT 1) k ON true
              LEFT JOIN LATERAL (SELECT r.id, r.tenant FROM requests r WHERE e.exclusive AND r.place = md5(e.path)::uuid) d ON true
              WHERE e.id <> ALL (coalesce(added, '{}'));
          END IF;
          IF added IS NOT NULL THEN
            UPDATE lines SET is_open = true WHERE line = ANY (job_lines) AND NOT is_open;
            PERFORM notify_workers();
          END IF;
        END $$;

        CREATE FUNCTION list_stores() RETURNS TABLE (name text, folder text, mark text) LANGUAGE sql AS $$
          SELECT s.name, s.folder, s.mark FROM stores s ORDER BY s.name $$;
        """#
}
