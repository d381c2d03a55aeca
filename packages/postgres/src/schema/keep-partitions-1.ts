/** Makes the partitions of this month and the next one. One process makes a partition, and the others wait. */
export const KEEP_PARTITIONS_1 = `CREATE FUNCTION @.keep_partitions() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE _period int; _at timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
    BEGIN
      FOR _ahead IN 0..1 LOOP
        _period := to_char(_at + make_interval(months => _ahead), 'YYYYMM')::int;
        IF to_regclass(format('@.batches_%s', _period)) IS NULL THEN
          PERFORM pg_advisory_xact_lock(@lock_class, 0);
          EXECUTE format('CREATE TABLE IF NOT EXISTS @.batches_%s PARTITION OF @.batches FOR VALUES IN (%s)', _period, _period);
        END IF;
      END LOOP;
    END $$`;
