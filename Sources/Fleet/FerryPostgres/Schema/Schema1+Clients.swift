extension Schema1 {
    /// Calls of submitters.
    static let clients = #"""
        -- RFC 3339 in UTC with milliseconds.
        CREATE FUNCTION wire_time(p_at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
          SELECT to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

        -- outcome: 0 added, 1 a job has this key, 2 a job has this destination, 3 no store has it. other: that job's number.
        CREATE FUNCTION submit(p_origins text[], p_needs text[], p_priorities smallint[], p_keys text[], p_paths text[],
          p_exclusive boolean[], p_urls text[], p_requests text[], p_ready timestamptz[], p_paused boolean[])
        RETURNS TABLE (n bigint, id bigint, outcome int, other bigint) LANGUAGE plpgsql
        -- A plan that does not know the number of requests compares each with each.
        SET plan_cache_mode = force_custom_plan AS $$
        #variable_conflict use_column
        DECLARE moment timestamptz := clock_timestamp(); of_tenant int := 1; ids bigint[]; job_lines int[]; added bigint[];
        BEGIN
          INSERT INTO origins (name) SELECT DISTINCT o FROM unnest(p_origins) AS o
            WHERE NOT EXISTS (SELECT 1 FROM origins WHERE name = o) ORDER BY o ON CONFLICT DO NOTHING;
          INSERT INTO lines (tenant, origin, needs)
            SELECT DISTINCT of_tenant, og.origin, e.needs FROM unnest(p_origins, p_needs) AS e(origin, needs)
            JOIN origins og ON og.name = e.origin WHERE NOT EXISTS (SELECT 1 FROM lines li
              WHERE li.tenant = of_tenant AND li.origin = og.origin AND li.needs = e.needs)
            ORDER BY 2, 3 ON CONFLICT DO NOTHING;
          job_lines := ARRAY(SELECT li.line FROM unnest(p_origins, p_needs) WITH ORDINALITY AS e(origin, needs, n)
            LEFT JOIN origins og ON og.name = e.origin
            LEFT JOIN lines li ON li.tenant = of_tenant AND li.origin = og.origin AND li.needs = e.needs ORDER BY e.n);
          -- A claim that is about to close a line waits for this, or is waited for.
          PERFORM 1 FROM lines WHERE line = ANY (job_lines) ORDER BY line FOR NO KEY UPDATE;
          -- Numbers follow the order of the requests.
          ids := ARRAY(SELECT nextval('job_ids') FROM generate_series(1, cardinality(p_paths)));
          WITH written AS (INSERT INTO requests (id, tenant, key, place, path, url, request, submitted_at)
            SELECT e.id, of_tenant, e.key, CASE WHEN e.exclusive THEN md5(e.path)::uuid END, e.path, e.url, e.request, moment
            FROM unnest(ids, p_keys, p_paths, p_exclusive, p_urls, p_requests) WITH ORDINALITY
              AS e(id, key, path, exclusive, url, request, n)
            WHERE EXISTS (SELECT 1 FROM stores s WHERE starts_with(e.path, s.folder || '/'))
              AND (e.key IS NULL OR NOT EXISTS (SELECT 1 FROM ended x WHERE x.tenant = of_tenant AND x.key = e.key))
            ORDER BY e.n ON CONFLICT DO NOTHING RETURNING id)
          SELECT array_agg(w.id) INTO added FROM written w;
          INSERT INTO jobs (id, line, priority, state, ready_at, reason)
            SELECT e.id, e.line, e.priority, CASE WHEN e.paused THEN 3 WHEN e.ready > moment THEN 2 ELSE 0 END,
              CASE WHEN NOT e.paused AND e.ready > moment THEN e.ready END,
              CASE WHEN NOT e.paused AND e.ready > moment THEN 'begin_date' END
            FROM unnest(ids, job_lines, p_priorities, p_ready, p_paused) AS e(id, line, priority, ready, paused)
            WHERE e.id = ANY (added);
          RETURN QUERY SELECT e.n, e.id, 0, NULL::bigint FROM unnest(ids) WITH ORDINALITY AS e(id, n) WHERE e.id = ANY (added);
          IF coalesce(cardinality(added), 0) < cardinality(p_paths) THEN
            RETURN QUERY SELECT e.n, NULL::bigint, CASE WHEN k.id IS NOT NULL THEN 1 WHEN d.id IS NOT NULL THEN 2 ELSE 3 END,
                coalesce(k.id, d.id)
              FROM unnest(ids, p_keys, p_paths) WITH ORDINALITY AS e(id, key, path, n)
              LEFT JOIN LATERAL (SELECT r.id FROM requests r WHERE r.tenant = of_tenant AND r.key = e.key
                UNION ALL SELECT x.id FROM ended x WHERE x.tenant = of_tenant AND x.key = e.key LIMIT 1) k ON true
              LEFT JOIN LATERAL (SELECT r.id FROM requests r WHERE r.place = md5(e.path)::uuid) d ON true
              WHERE e.id <> ALL (coalesce(added, '{}'));
          END IF;
          IF added IS NOT NULL THEN
            UPDATE lines SET is_open = true WHERE line = ANY (job_lines) AND NOT is_open;
            PERFORM notify_workers();
          END IF;
        END $$;

        -- Jobs as JSON, in order of submission.
        CREATE FUNCTION list_jobs(p_states text[], p_after bigint, p_limit int, p_newest boolean) RETURNS SETOF text
        LANGUAGE plpgsql AS $$
        DECLARE live int[]; outcomes int[]; ids bigint[]; direction text := CASE WHEN p_newest THEN 'DESC' ELSE 'ASC' END;
          least_id bigint := CASE WHEN p_newest THEN 0 ELSE coalesce(p_after, 0) END;
          most_id bigint := CASE WHEN p_newest THEN coalesce(p_after, 9223372036854775807) ELSE 9223372036854775807 END;
        BEGIN
          SELECT coalesce(array_agg(n), '{}') INTO live
            FROM (VALUES ('waiting', 0), ('running', 1), ('waiting', 2), ('suspended', 3)) AS s(word, n)
            WHERE p_states IS NULL OR s.word = ANY (p_states);
          SELECT coalesce(array_agg(n), '{}') INTO outcomes
            FROM (VALUES ('succeeded', 1), ('failed', 2), ('canceled', 3)) AS s(word, n)
            WHERE p_states IS NULL OR s.word = ANY (p_states);
          EXECUTE format('SELECT array_agg(id) FROM (
              (SELECT id FROM jobs WHERE id > $1 AND id < $2 AND state = ANY ($3) ORDER BY id %1$s LIMIT $5)
              UNION ALL (SELECT id FROM ended WHERE id > $1 AND id < $2 AND outcome = ANY ($4) ORDER BY id %1$s LIMIT $5)
              ORDER BY id %1$s LIMIT $5) AS page', direction)
            INTO ids USING least_id, most_id, live, outcomes, p_limit;
          RETURN QUERY SELECT d.job FROM unnest(ids) WITH ORDINALITY AS i(id, n), LATERAL describe(i.id, false) AS d(job)
            ORDER BY i.n;
        END $$;

        -- A job as JSON, live or ended.
        CREATE FUNCTION describe(p_id bigint, p_history boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp();
        BEGIN
          RETURN QUERY SELECT json_strip_nulls(json_build_object('id', j.id, 'token', j.token,
              'state', CASE j.state WHEN 1 THEN 'running' WHEN 3 THEN 'suspended' ELSE 'waiting' END,
              'reason', CASE j.state WHEN 2 THEN CASE j.reason WHEN 'begin_date' THEN 'begin_date' ELSE 'retry' END
                WHEN 0 THEN CASE WHEN og.hold_until > moment THEN 'server' WHEN og.is_full THEN 'host'
                  WHEN li.needs <> '' AND NOT EXISTS (SELECT 1 FROM workers wo WHERE wo.alive_until > moment
                    AND li.needs = ANY (wo.labels)) THEN 'label' ELSE 'slot' END END,
              'url', r.url, 'destination', r.path, 'priority', j.priority, 'key', r.key, 'needs', nullif(li.needs, ''),
              'fence', j.fence, 'tries', j.tries, 'rescues', j.rescues, 'worker', w.name, 'bytes_received', l.received,
              'bytes_expected', l.expected, 'created_at', wire_time(r.submitted_at), 'ready_at', wire_time(j.ready_at),
              'history', CASE WHEN p_history THEN (SELECT json_agg(json_build_object('fence', t.fence,
                'worker', t.worker, 'reason', t.reason, 'error', t.error::json, 'ended_at', wire_time(t.at)) ORDER BY t.fence)
                FROM tries t WHERE t.job = j.id) END))::text
            FROM jobs j JOIN requests r ON r.id = j.id JOIN lines li ON li.line = j.line
            JOIN origins og ON og.origin = li.origin LEFT JOIN leases l ON l.job = j.id
            LEFT JOIN workers w ON w.worker = l.worker WHERE j.id = p_id;
          IF FOUND THEN RETURN; END IF;
          RETURN QUERY SELECT json_strip_nulls(json_build_object('id', e.id, 'token', e.token,
              'state', CASE e.outcome WHEN 1 THEN 'succeeded' WHEN 2 THEN 'failed' ELSE 'canceled' END,
              'url', e.url, 'destination', e.path, 'priority', e.priority, 'key', e.key, 'fence', e.fence,
              'tries', e.tries, 'rescues', e.rescues, 'worker', e.worker, 'created_at', wire_time(e.submitted_at),
              'finished_at', wire_time(e.ended_at), 'result', CASE e.outcome WHEN 1 THEN e.details::json END,
              'error', CASE e.outcome WHEN 2 THEN e.details::json END,
              'history', CASE WHEN p_history THEN e.history::json END))::text
            FROM ended e WHERE e.id = p_id;
        END $$;

        -- state: the state afterwards, or null if the job was removed. error: unknown, or ended for what only a live job can.
        CREATE FUNCTION act(p_action text, p_jobs bigint[]) RETURNS TABLE (id bigint, state text, error text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE j record; e record; lines int[] := '{}';
        BEGIN
          FOR j IN SELECT g.id AS asked, jo.id, jo.state, jo.line FROM (SELECT DISTINCT unnest(p_jobs) AS id) g
              LEFT JOIN LATERAL (SELECT jo.* FROM jobs jo WHERE jo.id = g.id FOR UPDATE) jo ON true ORDER BY g.id LOOP
            id := j.asked;
            state := NULL;
            error := NULL;
            IF j.id IS NULL THEN
              SELECT * INTO e FROM ended x WHERE x.id = j.asked FOR UPDATE;
              IF NOT FOUND THEN
                error := 'unknown';
              ELSIF p_action = 'remove' THEN
                DELETE FROM ended x WHERE x.id = j.asked;
              ELSIF p_action = 'retry' AND e.outcome <> 1 THEN
                BEGIN
                  INSERT INTO requests (id, tenant, key, place, path, url, request, submitted_at)
                    VALUES (e.id, e.tenant, e.key, e.place, e.path, e.url, e.request, e.submitted_at);
                  INSERT INTO jobs (id, token, line, priority, fence, tries)
                    VALUES (e.id, e.token, e.line, e.priority, e.fence, e.tries);
                  DELETE FROM ended x WHERE x.id = j.asked;
                  lines := lines || e.line;
                  state := 'waiting';
                EXCEPTION WHEN unique_violation THEN
                  error := 'taken';
                END;
              ELSE
                state := CASE e.outcome WHEN 1 THEN 'succeeded' WHEN 2 THEN 'failed' ELSE 'canceled' END;
              END IF;
            ELSIF j.state = 1 THEN
              state := 'running';
              IF p_action IN ('cancel', 'pause', 'remove') THEN
                -- A removal stays one, and a cancelation is not undone.
                UPDATE leases SET wish = CASE WHEN p_action = 'remove' OR wish = 3 THEN 3
                    WHEN p_action = 'cancel' OR wish = 1 THEN 1 ELSE 2 END WHERE job = j.id;
              ELSIF p_action = 'resume' THEN
                UPDATE leases SET wish = 0 WHERE job = j.id AND wish = 2;
              END IF;
            ELSIF p_action = 'cancel' THEN
              PERFORM retire(ARRAY[j.id], ARRAY[3::smallint], ARRAY[NULL::text], NULL);
              state := 'canceled';
            ELSIF p_action = 'remove' THEN
              PERFORM forget(ARRAY[j.id]);
            ELSIF p_action = 'pause' THEN
              UPDATE jobs SET state = 3, ready_at = NULL, reason = NULL WHERE id = j.id;
              state := 'suspended';
            ELSIF p_action = 'resume' THEN
              UPDATE jobs SET state = 0, ready_at = NULL, reason = NULL WHERE id = j.id;
              lines := lines || j.line;
              state := 'waiting';
            ELSE
              state := CASE j.state WHEN 3 THEN 'suspended' ELSE 'waiting' END;
            END IF;
            RETURN NEXT;
          END LOOP;
          IF cardinality(lines) > 0 THEN
            PERFORM open_lines(lines);
            PERFORM notify_workers();
          ELSIF p_action IN ('cancel', 'pause', 'remove') THEN
            PERFORM notify_workers();
          END IF;
        END $$;

        -- Ends after a cursor, as "transaction number" and JSON. Only of transactions that are older than every open one, so
        -- that none is skipped.
        CREATE FUNCTION ends(p_xact xid8, p_id bigint, p_limit int) RETURNS TABLE (xact text, id bigint, job text)
        LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
        BEGIN
          RETURN QUERY SELECT e.xact::text, e.id, t.text FROM (SELECT x.xact, x.id FROM ended x
              WHERE (x.xact, x.id) > (p_xact, p_id) AND x.xact < horizon ORDER BY x.xact, x.id LIMIT p_limit) e,
            LATERAL (SELECT d AS text FROM describe(e.id, false) AS d) t ORDER BY e.xact, e.id;
        END $$;

        -- The cursor before all future ends.
        CREATE FUNCTION last_end() RETURNS text LANGUAGE sql AS $$
          SELECT pg_snapshot_xmin(pg_current_snapshot())::text $$;

        CREATE FUNCTION fleet_status() RETURNS text LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp(); oldest bigint; running bigint;
        BEGIN
          SELECT count(*) INTO running FROM leases;
          -- Per line, so that no claim's order needs all waiting jobs.
          SELECT min(o.id) INTO oldest FROM lines li, LATERAL (SELECT o AS id FROM oldest(li.line, 1) AS o) o WHERE li.is_open;
          RETURN json_strip_nulls(json_build_object(
            'workers', (SELECT coalesce(json_agg(json_build_object('name', w.name, 'version', w.version, 'slots', w.slots,
                'state', CASE WHEN w.state = 'gone' THEN 'gone' WHEN w.alive_until < moment THEN 'late'
                  WHEN w.state = 'draining' THEN 'draining' ELSE 'up' END,
                'running', (SELECT count(*) FROM leases l WHERE l.worker = w.worker), 'last_beat', wire_time(w.beat_at))
                ORDER BY w.name), '[]') FROM workers w WHERE w.beat_at > moment - interval '1 day'),
            'tenants', (SELECT json_agg(json_build_object('name', t.name, 'waiting', coalesce(j.n, 0),
                'running', l.n, 'share', CASE WHEN running > 0 THEN l.n::float8 / running ELSE 0 END) ORDER BY t.name)
              FROM tenants t LEFT JOIN (SELECT li.tenant, sum(c.n) AS n FROM lines li
                JOIN (SELECT line, count(*) AS n FROM jobs WHERE state = 0 GROUP BY line) c ON c.line = li.line
                GROUP BY li.tenant) j ON j.tenant = t.tenant,
              LATERAL (SELECT count(*) AS n FROM leases WHERE tenant = t.tenant) l),
            'origins', (SELECT coalesce(json_agg(json_build_object('origin', o.name, 'at_once', o.at_once,
                'running', (SELECT count(*) FROM leases l WHERE l.origin = o.origin),
                'held_until', CASE WHEN o.hold_until > moment THEN wire_time(o.hold_until) END) ORDER BY o.name), '[]')
              FROM origins o WHERE o.is_full OR o.hold_until > moment),
            'oldest_waiting', (SELECT json_build_object('id', r.id, 'created_at', wire_time(r.submitted_at),
                'reason', (SELECT j.job::json ->> 'reason' FROM describe(oldest, false) AS j(job)))
              FROM requests r WHERE r.id = oldest),
            'ends_in_last_minute', (SELECT count(*) FROM ended e WHERE e.ended_at > moment - interval '1 minute'),
            'rescues', (SELECT coalesce(sum(w.rescued), 0) FROM workers w)))::text;
        END $$;

        CREATE FUNCTION drain(p_name text, p_patience float8) RETURNS SETOF text LANGUAGE plpgsql AS $$
        BEGIN
          RETURN QUERY UPDATE workers SET state = 'draining', patience = p_patience
            WHERE (p_name IS NULL OR name = p_name) AND state <> 'gone' RETURNING name;
        END $$;

        CREATE FUNCTION set_origin(p_origin text, p_at_once int) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO origins (name, at_once) VALUES (p_origin, p_at_once)
            ON CONFLICT (name) DO UPDATE SET at_once = p_at_once, is_full = false;
          PERFORM notify_workers();
        END $$;

        CREATE FUNCTION set_store(p_name text, p_folder text, p_mark text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO stores VALUES (p_name, p_folder, p_mark)
            ON CONFLICT (name) DO UPDATE SET folder = p_folder, mark = p_mark;
        END $$;

        CREATE FUNCTION list_stores() RETURNS TABLE (name text, folder text, mark text) LANGUAGE sql AS $$
          SELECT s.name, s.folder, s.mark FROM stores s ORDER BY s.name $$;

        CREATE FUNCTION schema_version() RETURNS TABLE (version int, compatible int) LANGUAGE sql AS $$
          SELECT m.version, m.compatible FROM meta m $$;
        """#
}
