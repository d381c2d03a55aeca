/**
 * Version 4 of the schema: what is written fails where a trigger or a rule could drop, change or remove it. They are
 * looked for in the transaction that writes, whose locks keep new ones away until it ends.
 */
export const SCHEMA_4: readonly string[] = [
  `CREATE FUNCTION @.assert_untouched(_told text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
      _tables oid[] := ARRAY['@.sessions'::regclass, '@.batches'::regclass, '@.turns'::regclass,
        '@.standing_events'::regclass, '@.requests'::regclass, '@.pending'::regclass, '@.inbox'::regclass,
        '@.approvals'::regclass]::oid[]
        || ARRAY(SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent = '@.batches'::regclass);
      _found text;
    BEGIN
      SELECT format('TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass) INTO _found FROM pg_catalog.pg_trigger t
      WHERE t.tgrelid = ANY (_tables) AND NOT t.tgisinternal LIMIT 1;
      IF _found IS NULL THEN
        SELECT format('RULE %I ON %s', r.rulename, r.ev_class::regclass) INTO _found FROM pg_catalog.pg_rewrite r
        WHERE r.ev_class = ANY (_tables) LIMIT 1;
      END IF;
      IF _found IS NOT NULL THEN
        RAISE EXCEPTION 'nothing is written to this store: the % could change the record. Find out who made it, then remove it: DROP %', _found, _found;
      END IF;
      RETURN _told;
    END $$`,
];
