/**
 * Writes what several sessions flushed, in one transaction. A session whose epoch, next event or head is not what the
 * writer expects is left as it is. Returns those that moved, each with its count of news. A list that is not needed is
 * NULL.
 */
export const COMMIT_2 = `CREATE FUNCTION @.write(
  _id bigint[], _epoch bigint[], _first bigint[], _next bigint[], _previous text[], _head text[],
  _last_turn bigint[], _calls int[], _opened double precision[], _active double precision[], _closed boolean[],
  _give boolean[], _turns text[], _bytes bytea[],
  _new_of bigint[], _new_turn text[], _new_first bigint[],
  _set_of bigint[], _set_type text[], _set_key text[], _set_seq bigint[], _set_first bigint[], _set_waiting text[],
  _ask_of bigint[], _ask_key text[], _ask_seq bigint[], _ask_name text[], _ask_id text[], _ask_needs boolean[],
  _ask_at double precision[], _ask_expires double precision[], _ask_request text[],
  _drop_of bigint[], _drop_type text[], _drop_key text[], _drop_name text[],
  _put_of bigint[], _put_name text[], _put_key text[], _put_key_id text[], _put_encrypted bytea[],
  _remove_of bigint[], _remove_key text[]
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE _moved bigint[]; _told text;
BEGIN
  WITH moved AS (
    UPDATE @.sessions s SET
      next_seq = w.next, head = w.head, last_turn = w.last_turn, calls = s.calls + w.calls,
      active_at = CASE WHEN w.next = w.first THEN s.active_at WHEN s.next_seq = 0 THEN w.active ELSE greatest(s.active_at, w.active) END,
      opened_at = CASE WHEN s.next_seq = 0 AND w.next > 0 THEN w.opened ELSE s.opened_at END,
      is_closed = coalesce(w.closed, s.is_closed),
      owner = CASE WHEN w.give THEN NULL ELSE s.owner END
    FROM unnest(_id, _epoch, _first, _next, _previous, _head, _last_turn, _calls, _opened, _active, _closed, _give, _turns, _bytes)
      AS w(id, epoch, first, next, previous, head, last_turn, calls, opened, active, closed, give, turns, bytes)
    WHERE s.id = w.id AND s.epoch = w.epoch AND s.next_seq = w.first AND s.head = w.previous
    RETURNING s.id, s.news, s.period, w.first, w.next, w.head, w.turns, w.bytes
  ), written AS (
    INSERT INTO @.batches (period, session, first_seq, events, hash, turns, bytes)
    SELECT m.period, m.id, m.first, (m.next - m.first)::int, m.head, m.turns, m.bytes FROM moved m WHERE m.next > m.first
  )
  SELECT array_agg(m.id), string_agg(m.id || ' ' || m.news, ',') INTO _moved, _told FROM moved m;
  IF _moved IS NULL THEN RETURN ''; END IF;
  IF _new_of IS NOT NULL THEN
    INSERT INTO @.turns (session, turn, first_seq)
    SELECT x.of, x.turn, x.first FROM unnest(_new_of, _new_turn, _new_first) AS x(of, turn, first)
    WHERE x.of = ANY (_moved) ON CONFLICT DO NOTHING;
  END IF;
  IF _drop_of IS NOT NULL THEN
    DELETE FROM @.standing_events e USING unnest(_drop_of, _drop_type, _drop_key) AS x(of, type, key)
    WHERE e.session = x.of AND e.type = x.type AND e.key = x.key AND x.of = ANY (_moved);
    DELETE FROM @.requests r USING unnest(_drop_of, _drop_type, _drop_key) AS x(of, type, key)
    WHERE x.type IN ('approval-request', 'question-request') AND r.session = x.of AND r.key = x.key AND x.of = ANY (_moved);
    -- A cancellation ends with its turn.
    DELETE FROM @.inbox i USING unnest(_drop_of, _drop_type, _drop_key, _drop_name) AS x(of, type, key, name)
    WHERE x.type = 'turn-start' AND i.name = x.name AND i.type = 'cancel' AND i.key = x.key AND x.of = ANY (_moved);
  END IF;
  IF _set_of IS NOT NULL THEN
    INSERT INTO @.standing_events AS e (session, type, key, seq, first_seq, waiting)
    SELECT x.of, x.type, x.key, x.seq, x.first, string_to_array(x.waiting, E'\\n')
    FROM unnest(_set_of, _set_type, _set_key, _set_seq, _set_first, _set_waiting) AS x(of, type, key, seq, first, waiting)
    WHERE x.of = ANY (_moved)
    ON CONFLICT (session, type, key) DO UPDATE SET seq = excluded.seq, first_seq = excluded.first_seq, waiting = excluded.waiting;
  END IF;
  IF _ask_of IS NOT NULL THEN
    INSERT INTO @.requests (session, key, seq, name, id, needs, asked_at, expires_at, request)
    SELECT x.of, x.key, x.seq, x.name, x.id, x.needs, x.at, x.expires, x.request
    FROM unnest(_ask_of, _ask_key, _ask_seq, _ask_name, _ask_id, _ask_needs, _ask_at, _ask_expires, _ask_request)
      AS x(of, key, seq, name, id, needs, at, expires, request)
    WHERE x.of = ANY (_moved)
    ON CONFLICT (session, key) DO UPDATE SET seq = excluded.seq, id = excluded.id, needs = excluded.needs,
      asked_at = excluded.asked_at, expires_at = excluded.expires_at, request = excluded.request;
  END IF;
  IF _put_of IS NOT NULL THEN
    INSERT INTO @.pending (name, key, key_id, encrypted)
    SELECT x.name, x.key, x.key_id, x.encrypted
    FROM unnest(_put_of, _put_name, _put_key, _put_key_id, _put_encrypted) AS x(of, name, key, key_id, encrypted)
    WHERE x.of = ANY (_moved)
    ON CONFLICT (key) DO UPDATE SET key_id = excluded.key_id, encrypted = excluded.encrypted;
  END IF;
  IF _remove_of IS NOT NULL THEN
    DELETE FROM @.pending p USING unnest(_remove_of, _remove_key) AS x(of, key)
    WHERE p.key = x.key AND x.of = ANY (_moved);
  END IF;
  RETURN _told;
END $$`;
