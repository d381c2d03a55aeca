import pg from "pg";
import { newSchema } from "./test-schema.ts";

/** A database of its own, for programs that choose their schema themselves. */
export async function newDatabase(server: string): Promise<string> {
  const name = newSchema();
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
