/** Gives connections to PostgreSQL: a `Pool` of `pg`, or anything like it. */
export interface PostgresPool {
  /** As a `Pool` of `pg` has them. */
  readonly options?: { readonly max?: number };
  connect(): Promise<{
    /** Runs a statement with its values. One with a name is prepared once for each connection. */
    query(query: {
      readonly text: string;
      readonly name?: string;
      // biome-ignore lint/suspicious/noExplicitAny: `pg` takes any values, in an array that is not readonly.
      readonly values?: any[];
    }): Promise<{ readonly rows: readonly unknown[] }>;
    on(
      event: "notification",
      listener: (message: { readonly payload?: string | undefined }) => void,
    ): unknown;
    on(event: "error" | "end", listener: (error?: Error) => void): unknown;
    release(destroy?: boolean): void;
  }>;
  end(): Promise<void>;
}

/** A connection of a pool. */
export type PostgresClient = Awaited<ReturnType<PostgresPool["connect"]>>;
