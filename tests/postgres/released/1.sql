CREATE SCHEMA released_schema;
CREATE FUNCTION released_schema.ask_owner(_owner integer, _channel text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    BEGIN
      UPDATE "released_schema".owners SET asked_at = clock_timestamp()
      WHERE id = _owner AND (asked_at IS NULL OR answered_at >= asked_at);
      PERFORM pg_notify(_channel, 'ask ' || _owner);
    END $$;
CREATE TABLE released_schema.sessions (
    id bigint NOT NULL,
    name text NOT NULL,
    period integer NOT NULL,
    opened_at double precision NOT NULL,
    active_at double precision NOT NULL,
    next_seq bigint DEFAULT 0 NOT NULL,
    last_turn bigint DEFAULT 0 NOT NULL,
    calls bigint DEFAULT 0 NOT NULL,
    is_closed boolean DEFAULT false NOT NULL,
    head text NOT NULL,
    owner integer,
    epoch bigint DEFAULT 0 NOT NULL,
    news bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='70');
CREATE FUNCTION released_schema.claim(_name text, _owner integer, _steal boolean, _turn text, _head text, _now double precision, _channel text, _mark text, OUT verdict text, OUT other text, OUT claimed released_schema.sessions) RETURNS record
    LANGUAGE plpgsql
    AS $$
    DECLARE _period int := to_char(now() AT TIME ZONE 'UTC', 'YYYYMM')::int;
    BEGIN
      SELECT * INTO claimed FROM "released_schema".sessions s WHERE s.name = _name FOR UPDATE;
      IF NOT FOUND AND _turn IS NOT NULL THEN
        verdict := 'turn_unknown';
        RETURN;
      ELSIF NOT FOUND THEN
        IF to_regclass(format('"released_schema".batches_%s', _period)) IS NULL THEN PERFORM "released_schema".keep_partitions(); END IF;
        INSERT INTO "released_schema".sessions (name, period, opened_at, active_at, head) VALUES (_name, _period, _now, _now, _head)
        ON CONFLICT (name) DO NOTHING;
        SELECT * INTO claimed FROM "released_schema".sessions s WHERE s.name = _name FOR UPDATE;
      END IF;
      IF NOT _steal AND claimed.owner IS NOT NULL AND claimed.owner <> _owner AND "released_schema".is_living(claimed.owner) THEN
        verdict := 'in_use';
        SELECT label INTO other FROM "released_schema".owners o WHERE o.id = claimed.owner;
        PERFORM "released_schema".ask_owner(claimed.owner, _channel);
        RETURN;
      END IF;
      IF _turn IS NOT NULL AND NOT EXISTS (
        SELECT FROM "released_schema".standing_events e WHERE e.session = claimed.id AND e.type = 'turn-start' AND e.key = _turn
      ) THEN
        verdict := 'turn_unknown';
        RETURN;
      END IF;
      IF claimed.owner IS NOT NULL THEN PERFORM pg_notify(_channel, 'taken ' || _mark); END IF;
      UPDATE "released_schema".sessions s SET owner = _owner, epoch = s.epoch + 1 WHERE s.id = claimed.id RETURNING s.* INTO claimed;
      verdict := 'claimed';
    END $$;
CREATE FUNCTION released_schema.commit(_id bigint[], _epoch bigint[], _first bigint[], _next bigint[], _previous text[], _head text[], _last_turn bigint[], _calls integer[], _opened double precision[], _active double precision[], _closed boolean[], _give boolean[], _period integer[], _turns text[], _bytes bytea[], _new_of bigint[], _new_turn text[], _new_first bigint[], _set_of bigint[], _set_type text[], _set_key text[], _set_seq bigint[], _set_first bigint[], _set_waiting text[], _ask_of bigint[], _ask_key text[], _ask_seq bigint[], _ask_name text[], _ask_id text[], _ask_needs boolean[], _ask_at double precision[], _ask_expires double precision[], _ask_request text[], _drop_of bigint[], _drop_type text[], _drop_key text[], _drop_name text[], _put_of bigint[], _put_name text[], _put_key text[], _put_key_id text[], _put_encrypted bytea[], _remove_of bigint[], _remove_key text[]) RETURNS TABLE(id bigint, news bigint)
    LANGUAGE plpgsql
    AS $$
DECLARE _moved bigint[]; _news bigint[];
BEGIN
  WITH moved AS (
    UPDATE "released_schema".sessions s SET
      next_seq = w.next, head = w.head, last_turn = w.last_turn, calls = s.calls + w.calls,
      active_at = CASE WHEN w.next = w.first THEN s.active_at WHEN s.next_seq = 0 THEN w.active ELSE greatest(s.active_at, w.active) END,
      opened_at = CASE WHEN s.next_seq = 0 AND w.next > 0 THEN w.opened ELSE s.opened_at END,
      is_closed = coalesce(w.closed, s.is_closed),
      owner = CASE WHEN w.give THEN NULL ELSE s.owner END
    FROM unnest(_id, _epoch, _first, _next, _previous, _head, _last_turn, _calls, _opened, _active, _closed, _give)
      AS w(id, epoch, first, next, previous, head, last_turn, calls, opened, active, closed, give)
    WHERE s.id = w.id AND s.epoch = w.epoch AND s.next_seq = w.first AND s.head = w.previous
    RETURNING s.id, s.news
  )
  SELECT array_agg(m.id), array_agg(m.news) INTO _moved, _news FROM moved m;
  IF _moved IS NULL THEN RETURN; END IF;
  INSERT INTO "released_schema".batches (period, session, first_seq, events, hash, turns, bytes)
  SELECT w.period, w.id, w.first, (w.next - w.first)::int, w.head, w.turns, w.bytes
  FROM unnest(_period, _id, _first, _next, _head, _turns, _bytes) AS w(period, id, first, next, head, turns, bytes)
  WHERE w.next > w.first AND w.id = ANY (_moved);
  IF cardinality(_new_of) > 0 THEN
    INSERT INTO "released_schema".turns (session, turn, first_seq)
    SELECT x.of, x.turn, x.first FROM unnest(_new_of, _new_turn, _new_first) AS x(of, turn, first)
    WHERE x.of = ANY (_moved) ON CONFLICT DO NOTHING;
  END IF;
  IF cardinality(_drop_of) > 0 THEN
    DELETE FROM "released_schema".standing_events e USING unnest(_drop_of, _drop_type, _drop_key) AS x(of, type, key)
    WHERE e.session = x.of AND e.type = x.type AND e.key = x.key AND x.of = ANY (_moved);
    DELETE FROM "released_schema".requests r USING unnest(_drop_of, _drop_type, _drop_key) AS x(of, type, key)
    WHERE x.type IN ('approval-request', 'question-request') AND r.session = x.of AND r.key = x.key AND x.of = ANY (_moved);
    -- A cancellation ends with its turn.
    DELETE FROM "released_schema".inbox i USING unnest(_drop_of, _drop_type, _drop_key, _drop_name) AS x(of, type, key, name)
    WHERE x.type = 'turn-start' AND i.name = x.name AND i.type = 'cancel' AND i.key = x.key AND x.of = ANY (_moved);
  END IF;
  IF cardinality(_set_of) > 0 THEN
    INSERT INTO "released_schema".standing_events AS e (session, type, key, seq, first_seq, waiting)
    SELECT x.of, x.type, x.key, x.seq, x.first, string_to_array(x.waiting, E'\n')
    FROM unnest(_set_of, _set_type, _set_key, _set_seq, _set_first, _set_waiting) AS x(of, type, key, seq, first, waiting)
    WHERE x.of = ANY (_moved)
    ON CONFLICT (session, type, key) DO UPDATE SET seq = excluded.seq, first_seq = excluded.first_seq, waiting = excluded.waiting;
  END IF;
  IF cardinality(_ask_of) > 0 THEN
    INSERT INTO "released_schema".requests (session, key, seq, name, id, needs, asked_at, expires_at, request)
    SELECT x.of, x.key, x.seq, x.name, x.id, x.needs, x.at, x.expires, x.request
    FROM unnest(_ask_of, _ask_key, _ask_seq, _ask_name, _ask_id, _ask_needs, _ask_at, _ask_expires, _ask_request)
      AS x(of, key, seq, name, id, needs, at, expires, request)
    WHERE x.of = ANY (_moved)
    ON CONFLICT (session, key) DO UPDATE SET seq = excluded.seq, id = excluded.id, needs = excluded.needs,
      asked_at = excluded.asked_at, expires_at = excluded.expires_at, request = excluded.request;
  END IF;
  IF cardinality(_put_of) > 0 THEN
    INSERT INTO "released_schema".pending (name, key, key_id, encrypted)
    SELECT x.name, x.key, x.key_id, x.encrypted
    FROM unnest(_put_of, _put_name, _put_key, _put_key_id, _put_encrypted) AS x(of, name, key, key_id, encrypted)
    WHERE x.of = ANY (_moved)
    ON CONFLICT (key) DO UPDATE SET key_id = excluded.key_id, encrypted = excluded.encrypted;
  END IF;
  IF cardinality(_remove_of) > 0 THEN
    DELETE FROM "released_schema".pending p USING unnest(_remove_of, _remove_key) AS x(of, key)
    WHERE p.key = x.key AND x.of = ANY (_moved);
  END IF;
  RETURN QUERY SELECT * FROM unnest(_moved, _news);
END $$;
CREATE FUNCTION released_schema.is_living(_owner integer) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
    SELECT EXISTS (
      SELECT FROM "released_schema".owners o WHERE o.id = _owner AND CASE
        WHEN EXISTS (
          SELECT FROM pg_locks l
          WHERE l.locktype = 'advisory' AND l.classid = 126230897 AND l.objid = o.id::bigint AND l.objsubid = 2
            AND l.mode = 'ExclusiveLock' AND l.granted
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        ) THEN o.asked_at IS NULL OR o.answered_at >= o.asked_at OR o.asked_at > clock_timestamp() - o.term
        ELSE o.connected_at < pg_postmaster_start_time()
          AND clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds'
      END)
  $$;
CREATE FUNCTION released_schema.keep_partitions() RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE _period int; _at timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
    BEGIN
      FOR _ahead IN 0..1 LOOP
        _period := to_char(_at + make_interval(months => _ahead), 'YYYYMM')::int;
        IF to_regclass(format('"released_schema".batches_%s', _period)) IS NULL THEN
          PERFORM pg_advisory_xact_lock(126230897, 0);
          EXECUTE format('CREATE TABLE IF NOT EXISTS "released_schema".batches_%s PARTITION OF "released_schema".batches FOR VALUES IN (%s)', _period, _period);
        END IF;
      END LOOP;
    END $$;
CREATE TABLE released_schema.approvals (
    project text NOT NULL,
    entry text NOT NULL,
    about text NOT NULL,
    added_at double precision NOT NULL
);
CREATE TABLE released_schema.batches (
    period integer NOT NULL,
    session bigint NOT NULL,
    first_seq bigint NOT NULL,
    events integer NOT NULL,
    hash text NOT NULL,
    turns text NOT NULL,
    bytes bytea NOT NULL
)
PARTITION BY LIST (period);
CREATE TABLE released_schema.batches_202611 (
    period integer NOT NULL,
    session bigint NOT NULL,
    first_seq bigint NOT NULL,
    events integer NOT NULL,
    hash text NOT NULL,
    turns text NOT NULL,
    bytes bytea NOT NULL
);
CREATE TABLE released_schema.batches_202612 (
    period integer NOT NULL,
    session bigint NOT NULL,
    first_seq bigint NOT NULL,
    events integer NOT NULL,
    hash text NOT NULL,
    turns text NOT NULL,
    bytes bytea NOT NULL
);
CREATE TABLE released_schema.batches_other (
    period integer NOT NULL,
    session bigint NOT NULL,
    first_seq bigint NOT NULL,
    events integer NOT NULL,
    hash text NOT NULL,
    turns text NOT NULL,
    bytes bytea NOT NULL
);
CREATE TABLE released_schema.inbox (
    id bigint NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    key text NOT NULL,
    request text,
    key_id text,
    encrypted bytea
);
ALTER TABLE released_schema.inbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME released_schema.inbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE released_schema.migrations (
    version integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE released_schema.owners (
    id integer NOT NULL,
    label text NOT NULL,
    term interval NOT NULL,
    connected_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    asked_at timestamp with time zone,
    answered_at timestamp with time zone
);
ALTER TABLE released_schema.owners ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME released_schema.owners_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE released_schema.pending (
    name text NOT NULL,
    key text NOT NULL,
    key_id text NOT NULL,
    encrypted bytea NOT NULL
);
CREATE TABLE released_schema.requests (
    session bigint NOT NULL,
    key text NOT NULL,
    seq bigint NOT NULL,
    name text NOT NULL,
    id text NOT NULL,
    needs boolean NOT NULL,
    asked_at double precision NOT NULL,
    expires_at double precision,
    request text NOT NULL
);
ALTER TABLE released_schema.sessions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME released_schema.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE released_schema.standing_events (
    session bigint NOT NULL,
    type text NOT NULL,
    key text NOT NULL,
    seq bigint NOT NULL,
    first_seq bigint NOT NULL,
    waiting text[]
);
CREATE TABLE released_schema.turns (
    session bigint NOT NULL,
    turn text NOT NULL,
    first_seq bigint NOT NULL
);
ALTER TABLE ONLY released_schema.batches ATTACH PARTITION released_schema.batches_202611 FOR VALUES IN (202611);
ALTER TABLE ONLY released_schema.batches ATTACH PARTITION released_schema.batches_202612 FOR VALUES IN (202612);
ALTER TABLE ONLY released_schema.batches ATTACH PARTITION released_schema.batches_other DEFAULT;
INSERT INTO released_schema.approvals VALUES ('/project', 'print', '{"summary":"","tool":"asked"}', 1794860535045);
INSERT INTO released_schema.batches_202611 VALUES (202611, 1, 0, 2, '3505a766531834746d8117c9765032937eae7e0f8c0d2bc797b6dcddb9b5b011', '
turn', '\x303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030300a7b22736571223a302c226174223a313739343836303532373331302c227475726e223a22222c2274797065223a2273657373696f6e2d6f70656e222c2273657373696f6e4964223a227761697473222c226576656e7456657273696f6e223a312c2270726f6772616d223a7b226e616d65223a2240746f6f6c6b6565702f636f7265222c2276657273696f6e223a22302e312e30227d2c22706f6c696379223a2265653864373636346432396431343861653438333831623533653063306630306361363964313066326461616335613430316437626238386662333766363866222c227072696e636970616c223a7b22726f6c65223a226167656e74222c22776f726b7370616365223a226d61696e227d2c226167656e7473223a5b5d2c2273616e64626f78223a226e6f6e65227d0a7b22736571223a312c226174223a313739343836303532373331342c227475726e223a227475726e222c2274797065223a227475726e2d7374617274222c2263616c6c73223a5b7b226964223a2231222c226e616d65223a2261736b6564227d5d7d0a');
INSERT INTO released_schema.batches_202611 VALUES (202611, 1, 2, 1, 'f3a0a33346c3b24740c3337bbb6e36f6880b264ecaedde9368722d4e941b0e2d', 'turn', '\x333530356137363635333138333437343664383131376339373635303332393337656165376530663863306432626337393762366463646462396235623031310a7b22736571223a322c226174223a313739343836303532383833302c227475726e223a227475726e222c2274797065223a22617070726f76616c2d72657175657374222c226964223a2231222c2272657175657374223a7b226964223a227475726e2f31222c2273657373696f6e4964223a227761697473222c2263616c6c4964223a2231222c22746f6f6c4e616d65223a2261736b6564222c226c6162656c223a2261736b6564222c226f726967696e223a7b226c61796572223a22636f6465222c22736f75726365223a22636f6465227d2c22617267756d656e7473223a7b2270617468223a222f64617461227d2c2265666665637473223a5b5d2c22617070726f76616c4b6579223a226e6f2065666665637473222c22726561736f6e223a2254686520746f6f6c20646f6573206e6f7420736179207768617420697420646f65732e205468652072756c653a206061736b2061736b6564602e222c2262656361757365223a2254686520746f6f6c20646f6573206e6f7420736179207768617420697420646f65732e222c2261736b65644279223a5b2272756c6573225d2c2272756c6573223a5b2261736b2061736b6564225d2c226e6f6e6365223a2262356534333165642d336132342d343431642d383335612d343832303464623839623434222c226167656e7473223a5b5d2c227072696e636970616c223a7b22726f6c65223a226167656e74222c22776f726b7370616365223a226d61696e227d2c2274726561746d656e74223a7b2262617365223a22616c6c6f77222c2273686f77223a226e6f7468696e67227d2c2262696e64696e67223a7b22617267756d656e7473223a2263633261363639373430383563653966306261643635386465613363656334343232626465393739333035613762643038646437373162626135323134666632222c22646566696e6974696f6e223a2236333433653962613962323063366131656138656165343062386135613062363632643762323862346265323930633562363630313934353462366466386535227d2c2273756767657374696f6e73223a5b5d2c22636f6e74657874223a7b226469726563746f72696573223a5b5d2c2273616e64626f78223a226e6f6e65222c227461696e74223a5b5d7d2c226261746368223a7b226964223a227475726e2f31222c22696e646578223a302c2273697a65223a317d2c226d617952656d656d626572223a747275652c22616c77617973416c6c6f7773223a5b2261736b656420616761696e20666f7220746869732c20776974682065786163746c7920746865736520617267756d656e74733a222c2220207c206e6f2065666665637473222c224f7468657220617267756d656e747320617265206e6f7420636f76657265642e225d2c226c696e6573223a5b22416c6c6f772061736b65643f222c225769746820746865736520617267756d656e74733a222c2220207c20706174683a202f64617461222c225768792069742061736b733a2054686520746f6f6c20646f6573206e6f7420736179207768617420697420646f65732e205468652072756c653a206061736b2061736b6564602e222c225c22416c776179735c2220616c6c6f77732061736b656420616761696e20666f7220746869732c20776974682065786163746c7920746865736520617267756d656e74733a222c2220207c206e6f2065666665637473222c224f7468657220617267756d656e747320617265206e6f7420636f76657265642e225d7d7d0a');
INSERT INTO released_schema.batches_202611 VALUES (202611, 1, 3, 1, 'b9b79b84a0cbfbc3bdc34a7ebbd0f2fbe7dd7bab8f98c0d8383fffec4f10ad34', 'turn', '\x663361306133333334366333623234373430633333333762626236653336663638383062323634656361656464653933363837323264346539343162306532640a7b22736571223a332c226174223a313739343836303532383932302c227475726e223a227475726e222c2274797065223a227475726e2d7061726b222c2277616974696e67223a5b2231225d7d0a');
INSERT INTO released_schema.batches_202611 VALUES (202611, 2, 0, 3, 'e16c6f73180cab8eca60061af818705fd11670f686703778d32ea237b6b2476c', '
t1', '\x303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030300a7b22736571223a302c226174223a313739343836303533333030372c227475726e223a22222c2274797065223a2273657373696f6e2d6f70656e222c2273657373696f6e4964223a22636c6f736564222c226576656e7456657273696f6e223a312c2270726f6772616d223a7b226e616d65223a2240746f6f6c6b6565702f636f7265222c2276657273696f6e223a22302e312e30227d2c22706f6c696379223a2265653864373636346432396431343861653438333831623533653063306630306361363964313066326461616335613430316437626238386662333766363866222c227072696e636970616c223a7b22726f6c65223a226167656e74222c22776f726b7370616365223a226d61696e227d2c226167656e7473223a5b5d2c2273616e64626f78223a226e6f6e65227d0a7b22736571223a312c226174223a313739343836303533333030372c227475726e223a227431222c2274797065223a227475726e2d7374617274222c2263616c6c73223a5b7b226964223a2231222c226e616d65223a2261736b6564227d5d7d0a7b22736571223a322c226174223a313739343836303533333030392c227475726e223a227431222c2274797065223a22617070726f76616c2d72657175657374222c226964223a2231222c2272657175657374223a7b226964223a2274312f31222c2273657373696f6e4964223a22636c6f736564222c2263616c6c4964223a2231222c22746f6f6c4e616d65223a2261736b6564222c226c6162656c223a2261736b6564222c226f726967696e223a7b226c61796572223a22636f6465222c22736f75726365223a22636f6465227d2c22617267756d656e7473223a7b2270617468223a222f64617461227d2c2265666665637473223a5b5d2c22617070726f76616c4b6579223a226e6f2065666665637473222c22726561736f6e223a2254686520746f6f6c20646f6573206e6f7420736179207768617420697420646f65732e205468652072756c653a206061736b2061736b6564602e222c2262656361757365223a2254686520746f6f6c20646f6573206e6f7420736179207768617420697420646f65732e222c2261736b65644279223a5b2272756c6573225d2c2272756c6573223a5b2261736b2061736b6564225d2c226e6f6e6365223a2263323833663632382d313461352d343737372d396337322d396134383638633932363733222c226167656e7473223a5b5d2c227072696e636970616c223a7b22726f6c65223a226167656e74222c22776f726b7370616365223a226d61696e227d2c2274726561746d656e74223a7b2262617365223a22616c6c6f77222c2273686f77223a226e6f7468696e67227d2c2262696e64696e67223a7b22617267756d656e7473223a2263633261363639373430383563653966306261643635386465613363656334343232626465393739333035613762643038646437373162626135323134666632222c22646566696e6974696f6e223a2236333433653962613962323063366131656138656165343062386135613062363632643762323862346265323930633562363630313934353462366466386535227d2c2273756767657374696f6e73223a5b5d2c22636f6e74657874223a7b226469726563746f72696573223a5b5d2c2273616e64626f78223a226e6f6e65222c227461696e74223a5b5d7d2c226261746368223a7b226964223a2274312f31222c22696e646578223a302c2273697a65223a317d2c226d617952656d656d626572223a747275652c22616c77617973416c6c6f7773223a5b2261736b656420616761696e20666f7220746869732c20776974682065786163746c7920746865736520617267756d656e74733a222c2220207c206e6f2065666665637473222c224f7468657220617267756d656e747320617265206e6f7420636f76657265642e225d2c226c696e6573223a5b22416c6c6f772061736b65643f222c225769746820746865736520617267756d656e74733a222c2220207c20706174683a202f64617461222c225768792069742061736b733a2054686520746f6f6c20646f6573206e6f7420736179207768617420697420646f65732e205468652072756c653a206061736b2061736b6564602e222c225c22416c776179735c2220616c6c6f77732061736b656420616761696e20666f7220746869732c20776974682065786163746c7920746865736520617267756d656e74733a222c2220207c206e6f2065666665637473222c224f7468657220617267756d656e747320617265206e6f7420636f76657265642e225d7d7d0a');
INSERT INTO released_schema.batches_202611 VALUES (202611, 2, 3, 1, 'ca53301e49a4eaccbaadf6e6d1f8bcec296f66a8615738ccca8214c461ee7f7e', 't1', '\x653136633666373331383063616238656361363030363161663831383730356664313136373066363836373033373738643332656132333762366232343736630a7b22736571223a332c226174223a313739343836303533333138382c227475726e223a227431222c2274797065223a22617070726f76616c2d616e73776572222c226964223a2231222c22616e73776572223a7b2276657264696374223a226f6e6365222c226279223a22736372697074227d7d0a');
INSERT INTO released_schema.batches_202611 VALUES (202611, 2, 4, 1, '3963e74dd1899fce7b441085bd942232f6df924eb687b27fa3431a12c9a6f650', 't1', '\x636135333330316534396134656163636261616466366536643166386263656332393666363661383631353733386363636138323134633436316565376637650a7b22736571223a342c226174223a313739343836303533343335392c227475726e223a227431222c2274797065223a22737465702d696e74656e74222c226964223a2231222c22746f6b656e223a2231227d0a');
INSERT INTO released_schema.batches_202611 VALUES (202611, 2, 5, 2, '6c599ebd2a20872914f25ed7df4f6a42cd4c4f3ae48304a634725aee9e9aaed9', 't1', '\x333936336537346464313839396663653762343431303835626439343232333266366466393234656236383762323766613334333161313263396136663635300a7b22736571223a352c226174223a313739343836303533343539372c227475726e223a227431222c2274797065223a2263616c6c2d7374617274222c2263616c6c4964223a2231222c22746f6f6c223a2261736b6564222c226f726967696e223a22636f64652f636f6465222c22616c6c6f7765644279223a22617070726f7665723a207363726970742c206f6e6365222c2265666665637473223a5b5d2c22617267756d656e7473223a7b2270617468223a222f64617461227d7d0a7b22736571223a362c226174223a313739343836303533343632392c227475726e223a227431222c2274797065223a2263616c6c2d656e64222c2263616c6c4964223a2231222c22746f6f6c4e616d65223a2261736b6564222c226f726967696e223a7b226c61796572223a22636f6465222c22736f75726365223a22636f6465227d2c226f6b223a747275652c2264617461223a7b2270617468223a222f64617461227d2c226475726174696f6e4d73223a33327d0a');
INSERT INTO released_schema.batches_202611 VALUES (202611, 2, 7, 2, '5c7cac3ebd25a877b052b8c32c43d9853e870c66204c26ca8a90e9b36b1e3d00', 't1
', '\x366335393965626432613230383732393134663235656437646634663661343263643463346633616534383330346136333437323561656539653961616564390a7b22736571223a372c226174223a313739343836303533343637312c227475726e223a227431222c2274797065223a227475726e2d656e64227d0a7b22736571223a382c226174223a313739343836303533343637322c227475726e223a22222c2274797065223a2273657373696f6e2d636c6f7365227d0a');
INSERT INTO released_schema.batches_other VALUES (0, 3, 0, 1, '914bbe91974e93b339e767ee5d6b1cab2e3ef2edb0a55e0410bd5b739f2946b8', '', '\x303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030300a7b22736571223a302c226174223a313739343836303533353531352c227475726e223a22222c2274797065223a2270726f6a6563742d617070726f76616c222c2270726f6a656374223a222f70726f6a656374222c22656e747279223a227072696e74222c2261626f7574223a7b2273756d6d617279223a22222c22746f6f6c223a2261736b6564227d7d0a');
INSERT INTO released_schema.inbox OVERRIDING SYSTEM VALUE VALUES (1, 'waits', 'message', '3dfde010-09b4-4e40-b8f6-19df43b3982d', NULL, 'released', '\x4089a6ee96e9e91ca48de143354be3f006c1f3e9db55968298acc7efe34dc85f9024e71dea1f5fee2ef1bdf2');
INSERT INTO released_schema.migrations VALUES (1, '2026-11-16 20:21:57.684627+00');
INSERT INTO released_schema.owners OVERRIDING SYSTEM VALUE VALUES (1, 'process 3718 on vm', '00:00:30', '2026-11-16 20:22:03.0278+00', NULL, NULL);
INSERT INTO released_schema.pending VALUES ('waits', 'waits/turn', 'released', '\x097e1526ec9401e073fb77de85e5d10e0cd87bba50ddaf111cea9c6961dba07c27f1f926ab5d5f556638e66f7cd2888e44adc1800309ed9f20a74ffec770370be9fe5405ef2db36a59c553bb18c45284bb76d964');
INSERT INTO released_schema.pending VALUES ('waits', 'waits/turn/1', 'released', '\x5452af25f1c442e3ce485de8cf6343fd082c6981d49e34c1125df01d3fa486e0931617eebeb6152a67ff3cae');
INSERT INTO released_schema.requests VALUES (1, 'turn/1', 2, 'waits', 'turn/1', false, 1794860528830, NULL, '{"id":"turn/1","sessionId":"waits","callId":"1","toolName":"asked","label":"asked","origin":{"layer":"code","source":"code"},"arguments":{"path":"/data"},"effects":[],"approvalKey":"no effects","reason":"The tool does not say what it does. The rule: `ask asked`.","because":"The tool does not say what it does.","askedBy":["rules"],"rules":["ask asked"],"nonce":"b5e431ed-3a24-441d-835a-48204db89b44","agents":[],"principal":{"role":"agent","workspace":"main"},"treatment":{"base":"allow","show":"nothing"},"binding":{"arguments":"cc2a66974085ce9f0bad658dea3cec4422bde979305a7bd08dd771bba5214ff2","definition":"6343e9ba9b20c6a1ea8eae40b8a5a0b662d7b28b4be290c5b66019454b6df8e5"},"suggestions":[],"context":{"directories":[],"sandbox":"none","taint":[]},"batch":{"id":"turn/1","index":0,"size":1},"mayRemember":true,"alwaysAllows":["asked again for this, with exactly these arguments:","  | no effects","Other arguments are not covered."],"lines":["Allow asked?","With these arguments:","  | path: /data","Why it asks: The tool does not say what it does. The rule: `ask asked`.","\"Always\" allows asked again for this, with exactly these arguments:","  | no effects","Other arguments are not covered."]}');
INSERT INTO released_schema.sessions OVERRIDING SYSTEM VALUE VALUES (2, 'closed', 202611, 1794860533007, 1794860534672, 9, 1, 1, true, '5c7cac3ebd25a877b052b8c32c43d9853e870c66204c26ca8a90e9b36b1e3d00', NULL, 1, 0);
INSERT INTO released_schema.sessions OVERRIDING SYSTEM VALUE VALUES (1, 'waits', 202611, 1794860527310, 1794860528920, 4, 0, 0, false, 'b9b79b84a0cbfbc3bdc34a7ebbd0f2fbe7dd7bab8f98c0d8383fffec4f10ad34', NULL, 1, 1);
INSERT INTO released_schema.sessions OVERRIDING SYSTEM VALUE VALUES (3, 'toolkeep/store', 0, 1794860535515, 1794860535515, 1, 0, 0, false, '914bbe91974e93b339e767ee5d6b1cab2e3ef2edb0a55e0410bd5b739f2946b8', NULL, 0, 0);
INSERT INTO released_schema.standing_events VALUES (1, 'session-open', '', 0, 0, NULL);
INSERT INTO released_schema.standing_events VALUES (1, 'turn-start', 'turn', 1, 0, NULL);
INSERT INTO released_schema.standing_events VALUES (1, 'approval-request', 'turn/1', 2, 2, NULL);
INSERT INTO released_schema.standing_events VALUES (1, 'turn-park', 'turn', 3, 3, '{turn/1}');
INSERT INTO released_schema.standing_events VALUES (2, 'session-open', '', 0, 0, NULL);
INSERT INTO released_schema.turns VALUES (1, '', 0);
INSERT INTO released_schema.turns VALUES (1, 'turn', 0);
INSERT INTO released_schema.turns VALUES (2, '', 0);
INSERT INTO released_schema.turns VALUES (2, 't1', 0);
INSERT INTO released_schema.turns VALUES (3, '', 0);
SELECT pg_catalog.setval('released_schema.inbox_id_seq', 1, true);
SELECT pg_catalog.setval('released_schema.owners_id_seq', 1, true);
SELECT pg_catalog.setval('released_schema.sessions_id_seq', 3, true);
ALTER TABLE ONLY released_schema.approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (project, entry);
ALTER TABLE ONLY released_schema.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (session, first_seq, period);
ALTER TABLE ONLY released_schema.batches_202611
    ADD CONSTRAINT batches_202611_pkey PRIMARY KEY (session, first_seq, period);
ALTER TABLE ONLY released_schema.batches_202612
    ADD CONSTRAINT batches_202612_pkey PRIMARY KEY (session, first_seq, period);
ALTER TABLE ONLY released_schema.batches_other
    ADD CONSTRAINT batches_other_pkey PRIMARY KEY (session, first_seq, period);
ALTER TABLE ONLY released_schema.inbox
    ADD CONSTRAINT inbox_name_type_key_key UNIQUE (name, type, key);
ALTER TABLE ONLY released_schema.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY released_schema.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY released_schema.owners
    ADD CONSTRAINT owners_pkey PRIMARY KEY (id);
ALTER TABLE ONLY released_schema.pending
    ADD CONSTRAINT pending_pkey PRIMARY KEY (key);
ALTER TABLE ONLY released_schema.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (session, key);
ALTER TABLE ONLY released_schema.sessions
    ADD CONSTRAINT sessions_name_key UNIQUE (name);
ALTER TABLE ONLY released_schema.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY released_schema.standing_events
    ADD CONSTRAINT standing_events_pkey PRIMARY KEY (session, type, key);
ALTER TABLE ONLY released_schema.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (session, turn);
CREATE INDEX pending_name ON released_schema.pending USING btree (name);
CREATE INDEX requests_asked ON released_schema.requests USING btree (asked_at, session, seq);
CREATE INDEX requests_expire ON released_schema.requests USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX sessions_owner ON released_schema.sessions USING btree (owner) WHERE (owner IS NOT NULL);
CREATE INDEX unfinished_turns ON released_schema.standing_events USING btree (session) WHERE (type = 'turn-start'::text);
ALTER INDEX released_schema.batches_pkey ATTACH PARTITION released_schema.batches_202611_pkey;
ALTER INDEX released_schema.batches_pkey ATTACH PARTITION released_schema.batches_202612_pkey;
ALTER INDEX released_schema.batches_pkey ATTACH PARTITION released_schema.batches_other_pkey;
