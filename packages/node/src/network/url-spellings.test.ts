import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { guardedNetwork } from "./guarded-network.ts";
import { readUrl } from "./read-url.ts";
import { failureOf } from "./testing/failure-of.test.kit.ts";
import { openServer } from "./testing/loopback-server.test.kit.ts";
import { withGrant } from "./testing/with-grant.test.kit.ts";

const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 300);

const internal = await openServer((_request, response) => response.end("CANARY"));
afterAll(async () => {
  expect(internal.connections()).toBe(0);
  await internal.close();
});

type Octets = readonly [number, number, number, number];

const octet = fc.integer({ min: 0, max: 255 });
const privateAddress: fc.Arbitrary<Octets> = fc.oneof(
  { weight: 12, arbitrary: fc.constant([127, 0, 0, 1] as const) },
  fc.tuple(fc.constant(127), octet, octet, octet),
  fc.tuple(fc.constant(10), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(0), octet, octet, octet),
);

/** Ways to write one number of an address. */
const NUMBERS: readonly ((value: number) => string)[] = [
  (value) => `${value}`,
  (value) => `0x${value.toString(16)}`,
  (value) => `0X${value.toString(16).toUpperCase().padStart(4, "0")}`,
  (value) => `0${value.toString(8)}`,
  (value) => `000${value.toString(8)}`,
];

/** How many numbers an address is written with: the last one contains the rest. */
function parts([a, b, c, d]: Octets, count: number): number[] {
  if (count === 1) return [((a * 256 + b) * 256 + c) * 256 + d];
  if (count === 2) return [a, (b * 256 + c) * 256 + d];
  return count === 3 ? [a, b, c * 256 + d] : [a, b, c, d];
}

const number = fc.constantFrom(...NUMBERS);
const ipv4Host = fc
  .tuple(privateAddress, fc.integer({ min: 1, max: 4 }), fc.tuple(number, number, number, number))
  .map(([address, count, spell]) =>
    parts(address, count)
      .map((value, index) => (spell[index] ?? String)(value))
      .join("."),
  );

const hex = (value: number) => value.toString(16);
const ipv6Host = fc
  .tuple(
    privateAddress,
    fc.constantFrom("::", "::ffff:", "0:0:0:0:0:ffff:", "64:ff9b::", "::ffff:0:", "2002:"),
  )
  .chain(([[a, b, c, d], prefix]) => {
    const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
    if (prefix === "2002:") return fc.constant(`[2002:${groups}::]`);
    return fc.constantFrom(
      `[${prefix}${groups}]`,
      `[${prefix}${a}.${b}.${c}.${d}]`,
      `[${prefix}${groups}]`.toUpperCase(),
    );
  });

/** Ways to disguise a host that a reader of URLs undoes. */
const DISGUISES: readonly ((host: string) => string)[] = [
  (host) => host,
  (host) => host.toUpperCase(),
  (host) => (host.startsWith("[") ? host : `${host}.`),
  (host) => host.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (host) => (host.startsWith("[") ? host : host.replaceAll(".", "。")),
  (host) => (host.startsWith("[") ? host : host.replaceAll(".", "．")),
  (host) => (host.startsWith("[") ? host : host.replaceAll(/\d/g, (digit) => `%3${digit}`)),
  (host) => `pub.example.test@${host}`,
  (host) => `pub.example.test:80@${host}`,
  (host) => `@${host}`,
];

const FRAMES: readonly ((host: string, port: number) => string)[] = [
  (host, port) => `http://${host}:${port}/`,
  (host, port) => `HTTP://${host}:${port}/a?b=c`,
  (host, port) => `http:${host}:${port}`,
  (host, port) => `http:///${host}:${port}/`,
  (host, port) => `http:\\\\${host}:${port}\\`,
  (host, port) => `http://${host}:${port}\\@pub.example.test/`,
  (host, port) => `http://${host}:0${port}/`,
  (host, port) => `\thttp://${host}:${port}/`,
  (host, port) => `ht\ntp://${host}:${port}/`,
  (host, port) => `http://${host}:${port}#@pub.example.test/`,
  (host, port) => `http://${host}:${port}?@pub.example.test/`,
];

const spelling = fc
  .tuple(
    fc.oneof(ipv4Host, ipv6Host, fc.constantFrom("localhost", "LOCALHOST", "a.localhost", "localhost.")),
    fc.constantFrom(...DISGUISES),
    fc.constantFrom(...FRAMES),
  )
  .map(([host, disguise, frame]) => frame(disguise(host), internal.port));

describe("however it is spelled", () => {
  test("what is not public is refused, and nothing is connected to", async () => {
    await withGrant({ net: { hosts: ["*"] } }, async (grant) => {
      const network = guardedNetwork(grant, { ports: [internal.port], resolve: async () => ["127.0.0.1"] });
      await fc.assert(
        fc.asyncProperty(spelling, async (url) => {
          const { code } = await failureOf(network.fetch({ url }));
          expect(["out_of_scope", "invalid_arguments"]).toContain(code);
        }),
        { numRuns: RUNS },
      );
    });
  });

  test("many of these spellings do mean the internal server to a program that reads them plainly", () => {
    const meant = fc.sample(spelling, { numRuns: 300, seed: 1 }).filter((text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      return url?.hostname === "127.0.0.1" && url.port === `${internal.port}`;
    });
    expect(meant.length).toBeGreaterThan(40);
  });

  test("an address that is read is plain: read again it is the same, with one host and nothing before it", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), spelling),
        (text) => {
          let url: URL;
          try {
            url = readUrl(text);
          } catch {
            return;
          }
          expect(readUrl(url.href).href).toBe(url.href);
          expect(url.href).toMatch(/^https?:\/\/[^@\\#]+\//);
          expect(url.hostname).toMatch(/^(?:[a-z\d_.-]*[a-z\d_-]|\[[\da-f:]+\])$/);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test.each([
    "http://*/",
    "http://a,b/",
    "http://a..b/",
    "http://a../",
    "http://./",
    "http://!/",
    `http://${"a".repeat(300)}/`,
  ])("a host that is no plain name is refused: %s", (text) => {
    expect(() => readUrl(text)).toThrow(/no address to fetch/);
  });

  test("an address may be as long as servers take it, and no longer", () => {
    expect(readUrl(`http://a.test/${"a".repeat(8_000)}`).pathname.length).toBe(8_001);
    expect(() => readUrl(`http://a.test/${"a".repeat(9_000)}`)).toThrow(/longer/);
  });
});
