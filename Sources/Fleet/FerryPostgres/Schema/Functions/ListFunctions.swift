/// Lists of jobs, the details of one, and the ends in their order.
enum ListFunctions {
    static let text = #"""
        -- RFC 3339 in UTC with milliseconds.
        CREATE FUNCTION wire_time(p_at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
          SELECT to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

        -- The host of a URL or an origin.
        CREATE FUNCTION host_of(p_url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
          SELECT substring(p_url FROM '^[a-z]+://([^/?#]*?)(?::[0-9]+)?(?:[/?#]|$)') $$;

        -- The origin of a URL, such as https://example.org:443.
        CREATE FUNCTION origin_of(p_url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
          SELECT substring(p_url FROM '^[a-z]+') || '://' || host_of(p_url) || ':'
            || coalesce(substring(p_url FROM '^[a-z]+://[^/?#]*:([0-9]+)(?:[/?#]|$)'),
              CASE substring(p_url FROM '^[a-z]+') WHEN 'https' THEN '443' ELSE '80' END) $$;

        CREATE FUNCTION describe_live(p_id bigint, p_history boolean) RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
        DECLARE moment timestamptz := clock_timestamp(); own int := seen_tenant();
        BEGIN
          RETURN QUERY SELECT json_strip_nulls(json_build_object('id', j.id, 'token', j.token,
              'state', CASE j.state WHEN 1 THEN 'running' WHEN 3 THEN 'suspended' ELSE 'waiting' END,
              'reason', CASE j.state WHEN 2 THEN CASE j.reason WHEN 'begin_date' THEN 'begin_date' ELSE 'retry' END
                WHEN 0 THEN CASE WHEN og.hold_until > moment THEN 'server' WHEN og.is_full THEN 'host'
                  WHEN li.needs <> '' AND NOT EXISTS (SELECT 1 FROM workers wo WHERE wo.alive_until > moment
                    AND li.needs = ANY (wo.labels)) THEN 'label' ELSE 'slot' END END,
              'url', r.url, 'destination', r.path, 'priority', j.priority, 'key', r.key, 'batch', r.batch,
              'needs', nullif(li.needs, ''), 'fence', j.fence, 'tries', j.tries, 'rescues', j.rescues, 'worker', w.name,
              'bytes_received', l.received, 'bytes_expected', l.expected, 'created_at', wire_time(r.submitted_at),
              'ready_at', wire_time(CASE WHEN r.begin_at > moment THEN greatest(r.begin_at, j.ready_at) ELSE j.ready_at END),
              'history', CASE WHEN p_history THEN (SELECT json_agg(json_build_object('fence', t.fence,
                'worker', t.worker, 'reason', t.reason, 'error', t.error::json, 'ended_at', wire_time(t.at)) ORDER BY t.fence)
                FROM tries t WHERE t.job = j.id) END))::text
            FROM jobs j JOIN requests r ON r.id = j.id JOIN lines li ON li.line = j.line
            JOIN origins og ON og.origin = li.origin LEFT JOIN leases l ON l.job = j.id
            LEFT JOIN workers w ON w.worker = l.worker WHERE j.id = p_id AND (own IS NULL OR r.tenant = own);
        END $$;

        CREATE FUNCTION describe_ended(p_id bigint, p_history boolean) RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
        DECLARE own int := seen_tenant();
        BEGIN
          RETURN QUERY SELECT json_strip_nulls(json_build_object('id', e.id, 'token', e.token,
              'state', CASE e.outcome WHEN 1 THEN 'succeeded' WHEN 2 THEN 'failed' ELSE 'canceled' END,
              'url', e.url, 'destination', e.path, 'priority', e.priority, 'key', e.key, 'batch', e.batch,
              'needs', nullif(e.needs, ''), 'fence', e.fence, 'tries', e.tries, 'rescues', e.rescues, 'worker', e.worker,
              'created_at', wire_time(e.submitted_at), 'finished_at', wire_time(e.ended_at),
              'result', CASE e.outcome WHEN 1 THEN e.details::json END, 'error', CASE e.outcome WHEN 2 THEN e.details::json END,
              'history', CASE WHEN p_history THEN e.history::json END))::text
            FROM ended e WHERE e.id = p_id AND (own IS NULL OR e.tenant = own);
        END $$;

        -- A job as JSON, live or ended.
        CREATE FUNCTION describe(p_id bigint, p_history boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM settle_wishes();
          RETURN QUERY SELECT * FROM describe_live(p_id, p_history);
          IF NOT FOUND THEN RETURN QUERY SELECT * FROM describe_ended(p_id, p_history); END IF;
        END $$;

        -- Jobs as JSON, in order of submission. A null selects everything.
        CREATE FUNCTION list_jobs(p_states text[], p_code text, p_host text, p_batch text, p_after bigint, p_limit int,
          p_newest boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
        DECLARE live int[]; outcomes int[]; ids bigint[]; own int := seen_tenant();
          direction text := CASE WHEN p_newest THEN 'DESC' ELSE 'ASC' END;
          least_id bigint := CASE WHEN p_newest THEN 0 ELSE coalesce(p_after, 0) END;
          most_id bigint := CASE WHEN p_newest THEN coalesce(p_after, 9223372036854775807) ELSE 9223372036854775807 END;
        BEGIN
          PERFORM settle_wishes();
          SELECT coalesce(array_agg(n), '{}') INTO live
            FROM (VALUES ('waiting', 0), ('running', 1), ('waiting', 2), ('suspended', 3)) AS s(word, n)
            WHERE p_code IS NULL AND (p_states IS NULL OR s.word = ANY (p_states));
          SELECT coalesce(array_agg(n), '{}') INTO outcomes
            FROM (VALUES ('succeeded', 1), ('failed', 2), ('canceled', 3)) AS s(word, n)
            WHERE p_states IS NULL OR s.word = ANY (p_states);
          IF live = '{}' AND outcomes = '{}' THEN RETURN; END IF;
          -- An arm that selects nothing would read its whole table.
          EXECUTE format('SELECT array_agg(id) FROM (SELECT id FROM (%s) AS both_arms ORDER BY id %s LIMIT $5) AS page',
            concat_ws(' UNION ALL ',
              CASE WHEN live <> '{}' THEN format('(SELECT j.id FROM jobs j%2$s WHERE j.id > $1 AND j.id < $2
                AND j.state = ANY ($3)%3$s ORDER BY j.id %1$s LIMIT $5)', direction,
                CASE WHEN p_host IS NOT NULL
                  THEN ' JOIN lines li ON li.line = j.line JOIN origins og ON og.origin = li.origin' ELSE '' END
                  || CASE WHEN p_batch IS NOT NULL THEN ' JOIN requests r ON r.id = j.id' ELSE '' END,
                CASE WHEN own IS NOT NULL THEN ' AND j.tenant = $6' ELSE '' END
                  || CASE WHEN p_host IS NOT NULL THEN ' AND host_of(og.name) = $7' ELSE '' END
                  || CASE WHEN p_batch IS NOT NULL THEN ' AND r.batch = $8' ELSE '' END) END,
              CASE WHEN outcomes <> '{}' THEN format('(SELECT e.id FROM ended e WHERE e.id > $1 AND e.id < $2
                AND e.outcome = ANY ($4)%2$s ORDER BY e.id %1$s LIMIT $5)', direction,
                CASE WHEN own IS NOT NULL THEN ' AND e.tenant = $6' ELSE '' END
                  || CASE WHEN p_host IS NOT NULL THEN ' AND host_of(e.url) = $7' ELSE '' END
                  || CASE WHEN p_batch IS NOT NULL THEN ' AND e.batch = $8' ELSE '' END
                  || CASE WHEN outcomes = '{2}' THEN ' AND e.outcome = 2' ELSE '' END
                  || CASE WHEN p_code IS NOT NULL THEN ' AND e.outcome = 2 AND e.code = $9' ELSE '' END) END), direction)
            INTO ids USING least_id, most_id, live, outcomes, p_limit, own, p_host, p_batch, p_code;
          -- One statement: a job that ends meanwhile is described as it was.
          RETURN QUERY SELECT d.job FROM unnest(ids) WITH ORDINALITY AS i(id, n), LATERAL (
              SELECT l AS job FROM describe_live(i.id, false) AS l UNION ALL SELECT e FROM describe_ended(i.id, false) AS e) AS d
            ORDER BY i.n;
        END $$;

        -- Numbers the transactions that have ended jobs and are visible now. One caller at a time, until it commits.
        CREATE FUNCTION number_finishes() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM 1 FROM finishes WHERE number IS NULL LIMIT 1;
          IF NOT FOUND THEN RETURN; END IF;
          PERFORM pg_advisory_xact_lock(hashtext('ferry.number_finishes'));
          UPDATE finishes f SET number = n.number FROM (SELECT o.finish, nextval('finish_numbers') AS number
            FROM (SELECT finish FROM finishes WHERE number IS NULL ORDER BY finish) AS o) AS n WHERE f.finish = n.finish;
        END $$;

        -- Ends after a cursor: a number, then the job in it. A cursor of another database says nothing about this one's
        -- numbers, so all ends are returned.
        CREATE FUNCTION ends(p_server text, p_number bigint, p_id bigint, p_limit int)
        RETURNS TABLE (number bigint, id bigint, job text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE own int := seen_tenant(); is_known boolean := p_server = md5(server());
          first bigint := CASE WHEN is_known THEN p_number ELSE 0 END; first_id bigint := CASE WHEN is_known THEN p_id ELSE 0 END;
        BEGIN
          PERFORM settle_wishes();
          PERFORM number_finishes();
          RETURN QUERY SELECT e.number, e.id, t.text FROM (SELECT f.number, x.id FROM finishes f JOIN ended x ON x.finish = f.finish
              WHERE f.number >= first AND (f.number, x.id) > (first, first_id) AND (own IS NULL OR x.tenant = own)
              ORDER BY f.number, x.id LIMIT p_limit) e,
            LATERAL (SELECT d AS text FROM describe_ended(e.id, false) AS d) t ORDER BY e.number, e.id;
        END $$;

        -- The cursor before all future ends.
        CREATE FUNCTION last_end() RETURNS TABLE (server text, number bigint) LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM number_finishes();
          RETURN QUERY SELECT md5(ferry.server()), coalesce((SELECT max(f.number) FROM finishes f), 0);
        END $$;
        """#
}
