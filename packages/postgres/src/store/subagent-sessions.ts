/**
 * A condition of SQL: whether the session `s` is that of a subagent, which only its parent can continue. The event that
 * opened it last says so. Its line is compared as text, so that a session whose bytes were changed does no harm to the
 * list: quotes inside of texts are escaped, and bytes that are no ASCII are written out.
 */
export const IS_SUBAGENT = `EXISTS (
  SELECT FROM @.standing_events o
    JOIN @.batches b ON b.period = s.period AND b.session = o.session AND b.first_seq = o.first_seq
  WHERE o.session = s.id AND o.type = 'session-open'
    AND split_part(encode(b.bytes, 'escape'), E'\\n', (o.seq - o.first_seq)::int + 2) LIKE '%"agents":["%')`;
