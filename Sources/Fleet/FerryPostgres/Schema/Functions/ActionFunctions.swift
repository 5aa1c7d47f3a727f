/// Actions of users on jobs, and those of operators on the fleet.
enum ActionFunctions {
    static let text = #"""
        -- Lets an ended job wait again, with its number, its token and its history. error: taken, or null.
        CREATE FUNCTION revive(p_id bigint) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE e ended; job_line int; moment timestamptz := clock_timestamp(); n int;
        BEGIN
          SELECT * INTO e FROM ended x WHERE x.id = p_id;
          job_line := (lines_of(e.tenant, ARRAY[left(coalesce(origin_of(e.url), 'unknown'), 400)], ARRAY[coalesce(e.needs, '')]))[1];
          BEGIN
            INSERT INTO requests (id, tenant, key, batch, place, path, url, request, submitted_at, begin_at)
              VALUES (e.id, e.tenant, e.key, e.batch, e.place, e.path, e.url, e.request, e.submitted_at, e.begin_at);
            GET DIAGNOSTICS n = ROW_COUNT;
          EXCEPTION WHEN unique_violation THEN
            RETURN 'taken';
          END;
          PERFORM check_rows('requests', n, 1);
          INSERT INTO jobs (id, token, tenant, line, priority, fence, tries, state, ready_at, reason)
            VALUES (e.id, e.token, e.tenant, job_line, e.priority, e.fence, e.tries, CASE WHEN e.begin_at > moment THEN 2 ELSE 0 END,
              CASE WHEN e.begin_at > moment THEN e.begin_at END, CASE WHEN e.begin_at > moment THEN 'begin_date' END);
          GET DIAGNOSTICS n = ROW_COUNT;
          PERFORM check_rows('jobs', n, 1);
          INSERT INTO tries (job, fence, worker, reason, error, at)
            SELECT e.id, t.fence, t.worker, t.reason, t.error::text, t.ended_at
              FROM json_to_recordset(coalesce(e.history, '[]')::json)
                AS t(fence int, worker text, reason text, error json, ended_at timestamptz) ON CONFLICT DO NOTHING;
          IF e.fence > 0 AND e.worker IS NOT NULL THEN
            INSERT INTO tries (job, fence, worker, reason, error, at)
              VALUES (e.id, e.fence, e.worker, CASE e.outcome WHEN 2 THEN 'failed' ELSE 'canceled' END,
                CASE e.outcome WHEN 2 THEN e.details END, e.ended_at) ON CONFLICT DO NOTHING;
          END IF;
          DELETE FROM ended x WHERE x.id = p_id;
          PERFORM open_lines(ARRAY[job_line]);
          RETURN NULL;
        END $$;

        -- state: the state afterwards, or null if the job was removed. error: unknown, taken, or succeeded for a retry.
        CREATE FUNCTION act(p_action text, p_jobs bigint[]) RETURNS TABLE (id bigint, state text, error text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE j record; e record; lines int[] := '{}'; own int := own_tenant(); moment timestamptz := clock_timestamp();
        BEGIN
          PERFORM settle_wishes();
          -- Leases before jobs, as the ends of jobs lock them.
          PERFORM 1 FROM leases l WHERE l.job = ANY (p_jobs) AND (own IS NULL OR l.tenant = own) ORDER BY l.job FOR UPDATE;
          FOR j IN SELECT g.id AS asked, jo.id, jo.state, jo.line, r.tenant, r.begin_at FROM (SELECT DISTINCT unnest(p_jobs) AS id) g
              LEFT JOIN LATERAL (SELECT jo.* FROM jobs jo WHERE jo.id = g.id AND (own IS NULL OR jo.tenant = own) FOR UPDATE) jo ON true
              LEFT JOIN requests r ON r.id = g.id ORDER BY g.id LOOP
            id := j.asked;
            state := NULL;
            error := NULL;
            IF j.id IS NULL THEN
              SELECT * INTO e FROM ended x WHERE x.id = j.asked AND (own IS NULL OR x.tenant = own) FOR UPDATE;
              IF NOT FOUND THEN
                error := 'unknown';
              ELSIF p_action = 'remove' THEN
                DELETE FROM ended x WHERE x.id = j.asked;
              ELSIF p_action = 'retry' THEN
                error := CASE WHEN e.outcome = 1 THEN 'succeeded' ELSE revive(j.asked) END;
                IF error IS NULL THEN state := 'waiting'; END IF;
              ELSE
                state := CASE e.outcome WHEN 1 THEN 'succeeded' WHEN 2 THEN 'failed' ELSE 'canceled' END;
              END IF;
            ELSIF j.state = 1 THEN
              state := 'running';
              IF p_action IN ('cancel', 'pause', 'remove') THEN
                -- A removal stays one, and a cancelation is not undone.
                UPDATE leases SET wish = CASE WHEN p_action = 'remove' OR wish = 3 THEN 3
                    WHEN p_action = 'cancel' OR wish = 1 THEN 1 ELSE 2 END WHERE job = j.id;
                -- Its worker's lease is over: nobody else ends it.
                PERFORM 1 FROM leases l JOIN workers w ON w.worker = l.worker WHERE l.job = j.id AND w.alive_until < moment;
                IF FOUND THEN
                  PERFORM settle_wishes();
                  state := CASE p_action WHEN 'cancel' THEN 'canceled' WHEN 'pause' THEN 'suspended' END;
                END IF;
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
            ELSIF p_action = 'resume' AND j.begin_at > moment THEN
              UPDATE jobs SET state = 2, ready_at = j.begin_at, reason = 'begin_date' WHERE id = j.id;
              state := 'waiting';
            ELSIF p_action = 'resume' THEN
              UPDATE jobs SET state = 0, ready_at = NULL, reason = NULL WHERE id = j.id;
              lines := lines || j.line;
              state := 'waiting';
            ELSE
              state := CASE j.state WHEN 3 THEN 'suspended' ELSE 'waiting' END;
            END IF;
            RETURN NEXT;
          END LOOP;
          IF cardinality(lines) > 0 THEN PERFORM open_lines(lines); END IF;
          PERFORM notify_workers();
        END $$;

        CREATE FUNCTION set_origin(p_origin text, p_at_once int) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO origins (name, at_once) VALUES (p_origin, p_at_once)
            ON CONFLICT (name) DO UPDATE SET at_once = p_at_once, is_full = false;
          PERFORM notify_workers();
        END $$;

        -- Never shortens a hold.
        CREATE FUNCTION hold(p_origin text, p_seconds float8) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp();
        BEGIN
          INSERT INTO origins (name) SELECT p_origin WHERE NOT EXISTS (SELECT 1 FROM origins WHERE name = p_origin)
            ON CONFLICT DO NOTHING;
          UPDATE origins SET hold_until = greatest(hold_until, moment + make_interval(secs => least(greatest(p_seconds, 0), 3600)))
            WHERE name = p_origin;
        END $$;

        CREATE FUNCTION release(p_origin text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE origins SET hold_until = '-infinity' WHERE name = p_origin AND hold_until > '-infinity';
          PERFORM notify_workers();
        END $$;

        -- The name of another store that has the folder, or null.
        CREATE FUNCTION set_store(p_name text, p_folder text, p_mark text) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE other text;
        BEGIN
          SELECT s.name INTO other FROM stores s WHERE s.folder = p_folder AND s.name <> p_name;
          IF FOUND THEN RETURN other; END IF;
          INSERT INTO stores VALUES (p_name, p_folder, p_mark)
            ON CONFLICT (name) DO UPDATE SET folder = p_folder, mark = p_mark;
          PERFORM notify_workers();
          RETURN NULL;
        EXCEPTION WHEN unique_violation THEN
          RETURN (SELECT s.name FROM stores s WHERE s.folder = p_folder);
        END $$;

        -- Seconds that ended jobs are kept.
        CREATE FUNCTION kept_for() RETURNS float8 LANGUAGE sql STABLE AS $$ SELECT extract(epoch FROM keep)::float8 FROM meta $$;

        CREATE FUNCTION keep_for(p_seconds float8) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          IF p_seconds BETWEEN 3600 AND 316224000 THEN
            UPDATE meta SET keep = make_interval(secs => p_seconds);
          ELSE
            PERFORM refuse('Ended jobs are kept for 1 hour to 3660 days.');
          END IF;
        END $$;
        """#
}
