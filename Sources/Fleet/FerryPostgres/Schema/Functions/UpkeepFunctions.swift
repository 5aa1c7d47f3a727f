/// The fleet's state for people, and housekeeping.
enum UpkeepFunctions {
    static let text = #"""
        CREATE FUNCTION schema_version() RETURNS TABLE (version int, compatible int) LANGUAGE sql AS $$
          SELECT m.version, m.compatible FROM meta m $$;

        -- One snapshot for all parts, so that they fit together.
        CREATE FUNCTION fleet_facts() RETURNS text LANGUAGE plpgsql STABLE SET jit = off AS $$
        DECLARE moment timestamptz := clock_timestamp(); oldest bigint; running bigint; own int := seen_tenant();
        BEGIN
          IF own = 0 AND pg_has_role(session_user, 'ferry_worker', 'MEMBER') THEN own := NULL; END IF;
          SELECT count(*) INTO running FROM leases WHERE own IS NULL OR tenant = own;
          IF own IS NULL THEN
            SELECT j.id INTO oldest FROM jobs j WHERE j.state = 0 ORDER BY j.id LIMIT 1;
          ELSE
            SELECT j.id INTO oldest FROM jobs j WHERE j.state = 0 AND j.tenant = own ORDER BY j.id LIMIT 1;
          END IF;
          RETURN json_strip_nulls(json_build_object(
            'workers', (SELECT coalesce(json_agg(json_build_object('name', w.name, 'machine', nullif(w.machine, ''),
                'version', w.version, 'slots', w.slots,
                'state', CASE WHEN w.state = 'gone' THEN 'gone' WHEN w.alive_until < moment THEN 'late'
                  WHEN w.patience IS NOT NULL THEN 'draining' ELSE 'up' END,
                'running', CASE WHEN w.state = 'gone' THEN 0 ELSE w.running END,
                'held', (SELECT count(*) FROM leases l WHERE l.worker = w.worker), 'last_beat', wire_time(w.beat_at),
                -- Its text may name another login's file.
                'condition', CASE WHEN w.state <> 'gone' AND own IS NULL THEN w.condition END)
                ORDER BY w.name), '[]') FROM workers w WHERE w.beat_at > moment - interval '1 day'),
            'tenants', (SELECT coalesce(json_agg(json_build_object('name', t.name, 'waiting', coalesce(j.n, 0),
                'running', l.n, 'share', CASE WHEN running > 0 THEN l.n::float8 / running ELSE 0 END) ORDER BY t.name), '[]')
              FROM tenants t LEFT JOIN (SELECT tenant, count(*) AS n FROM jobs WHERE state = 0 GROUP BY tenant) j
                ON j.tenant = t.tenant,
              LATERAL (SELECT count(*) AS n FROM leases WHERE tenant = t.tenant) l WHERE (own IS NULL OR t.tenant = own) AND (j.n > 0 OR l.n > 0)),
            'origins', (SELECT coalesce(json_agg(json_build_object('origin', o.name, 'at_once', o.at_once,
                'running', (SELECT count(*) FROM leases l WHERE l.origin = o.origin),
                'held_until', CASE WHEN o.hold_until > moment THEN wire_time(o.hold_until) END) ORDER BY o.name), '[]')
              FROM (SELECT * FROM origins og WHERE (og.is_full OR og.hold_until > moment) AND (own IS NULL
                OR EXISTS (SELECT 1 FROM lines li WHERE li.origin = og.origin AND li.tenant = own)) ORDER BY og.name LIMIT 100) o),
            'oldest_waiting', (SELECT json_build_object('id', r.id, 'created_at', wire_time(r.submitted_at),
                'reason', (SELECT j.job::json ->> 'reason' FROM describe_live(oldest, false) AS j(job)))
              FROM requests r WHERE r.id = oldest),
            'ends_in_last_minute', (SELECT count(*) FROM ended e WHERE e.finish > coalesce((SELECT f.finish FROM finishes f
                WHERE f.at <= moment - interval '1 minute' ORDER BY f.finish DESC LIMIT 1), 0)
              AND (own IS NULL OR e.tenant = own)),
            'rescues', (SELECT coalesce(sum(w.rescued), 0) FROM workers w)))::text;
        END $$;

        CREATE FUNCTION fleet_status() RETURNS text LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM settle_wishes();
          RETURN fleet_facts();
        END $$;

        -- Adds the partition of a day (UTC), unless ends of that day are in the default partition.
        CREATE FUNCTION ensure_day(p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
          first timestamptz := date_trunc('day', p_at, 'UTC');
          name text := 'ended_' || to_char(first AT TIME ZONE 'UTC', 'YYYYMMDD');
        BEGIN
          IF to_regclass('ferry.' || name) IS NULL
              AND NOT EXISTS (SELECT 1 FROM ended_rest r WHERE r.ended_at >= first AND r.ended_at < first + interval '1 day') THEN
            -- In a form that is read in the same way under every DateStyle and TimeZone.
            EXECUTE format('CREATE TABLE ferry.%I PARTITION OF ferry.ended FOR VALUES FROM (%L) TO (%L)', name,
              to_char(first AT TIME ZONE 'UTC', 'YYYY-MM-DD 00:00:00+00'),
              to_char(first AT TIME ZONE 'UTC' + interval '1 day', 'YYYY-MM-DD 00:00:00+00'));
          END IF;
        END $$;

        -- Partitions for a week, and none older than meta.keep. What somebody's lock holds up is left for the next time.
        CREATE FUNCTION upkeep_days() RETURNS void LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
        DECLARE day record; moment timestamptz := clock_timestamp(); cutoff timestamptz;
        BEGIN
          IF NOT pg_try_advisory_xact_lock(hashtext('ferry.upkeep')) THEN RETURN; END IF;
          SELECT moment - keep INTO STRICT cutoff FROM meta;
          FOR n IN 0..7 LOOP PERFORM ensure_day(moment + make_interval(days => n)); END LOOP;
          FOR day IN SELECT c.oid::regclass AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
              WHERE i.inhparent = 'ferry.ended'::regclass AND c.relname ~ '^ended_[0-9]+$'
                AND c.relname < 'ended_' || to_char(cutoff AT TIME ZONE 'UTC', 'YYYYMMDD') LOOP
            EXECUTE format('DROP TABLE %s', day.name);
          END LOOP;
        EXCEPTION WHEN lock_not_available OR check_violation OR duplicate_table OR invalid_object_definition THEN NULL;
        END $$;

        -- Removes ends that are older than meta.keep, and lines, origins and workers that nothing needs, 5,000 rows of each
        -- at a time. One worker at a time. Returns whether there may be more.
        CREATE FUNCTION upkeep() RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
        DECLARE moment timestamptz := clock_timestamp(); kept bigint; cutoff timestamptz; n bigint; most bigint := 0;
          some_lines int[]; some_origins int[];
        BEGIN
          IF NOT pg_try_advisory_xact_lock(hashtext('ferry.upkeep')) THEN RETURN false; END IF;
          SELECT moment - keep INTO STRICT cutoff FROM meta;
          -- Numbers and dates rise together: what is before the first one to keep goes.
          kept := coalesce((SELECT f.finish FROM finishes f WHERE f.at >= cutoff ORDER BY f.finish LIMIT 1), 9223372036854775807);
          -- A row's own date counts too: finishes may be missing after a restoration of some tables.
          DELETE FROM ended e USING (SELECT x.id, x.ended_at FROM ended x WHERE x.finish < kept AND x.ended_at < cutoff
            ORDER BY x.finish LIMIT 5000) old
            WHERE e.id = old.id AND e.ended_at = old.ended_at;
          GET DIAGNOSTICS n = ROW_COUNT;
          most := greatest(most, n);
          DELETE FROM finishes f WHERE f.number IS NOT NULL AND f.finish IN (SELECT o.finish FROM finishes o
            WHERE o.finish < kept ORDER BY o.finish LIMIT 5000)
            AND NOT EXISTS (SELECT 1 FROM ended e WHERE e.finish = f.finish);
          GET DIAGNOSTICS n = ROW_COUNT;
          most := greatest(most, n);
          UPDATE origins SET hold_until = '-infinity' WHERE hold_until > '-infinity' AND hold_until < moment;
          some_lines := ARRAY(SELECT li.line FROM lines li WHERE NOT li.is_open
            AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.line = li.line) LIMIT 5000 FOR UPDATE SKIP LOCKED);
          DELETE FROM lines li WHERE li.line = ANY (some_lines) AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.line = li.line);
          most := greatest(most, cardinality(some_lines));
          some_origins := ARRAY(SELECT og.origin FROM origins og WHERE og.at_once IS NULL AND og.hold_until = '-infinity'
            AND NOT EXISTS (SELECT 1 FROM lines li WHERE li.origin = og.origin) LIMIT 5000 FOR UPDATE SKIP LOCKED);
          DELETE FROM origins og WHERE og.origin = ANY (some_origins)
            AND NOT EXISTS (SELECT 1 FROM lines li WHERE li.origin = og.origin);
          most := greatest(most, cardinality(some_origins));
          DELETE FROM workers WHERE state = 'gone' AND beat_at < cutoff AND beat_at > '-infinity';
          RETURN most >= 5000;
        EXCEPTION WHEN lock_not_available THEN RETURN false;
        END $$;
        """#
}
