/** What a statement for a database does. Whatever is not proved to read is the worst it may be. */
export function capabilityOf(statement: string): string {
  return READS.test(statement) && !/;\s*\S|--|\/\*|\\|\b(?:into|for\s+update)\b/i.test(statement.trim())
    ? "db.read"
    : "db.drop";
}

const READS = /^\s*(?:select|show|describe)\b[^()]*;?\s*$/i;
