import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./redactor.ts";

const redactor = createRedactor();
const redacted = (value: unknown): unknown => JSON.parse(redactor.redactJson(JSON.stringify(value)));

const digits = (least: number, most: number) =>
  fc.integer({ min: 10 ** (least - 1), max: 10 ** most - 1 }).filter((number) => number > 0);

/** Names of secrets that are numbers, with how many digits they have. */
const NUMBERS = [
  [["pin", "PIN", "card_pin", "sim-pin", "pinCode", "otp", "totp_code", "verificationCode"], 4, 12],
  [["password", "dbPassword", "DB_PASSWORD", "passcode", "wifi_psk", "root.pwd"], 4, 15],
  [["smtp_pass", "PASS"], 6, 15],
  [["api_key", "apiKey", "X-API-Key", "secret", "clientSecret", "license_key"], 6, 15],
  [["token", "accessToken", "BOT_TOKEN"], 8, 15],
  [["cvv", "cvc2", "security_code"], 3, 4],
] as const;

const secretNumber = fc
  .constantFrom(...NUMBERS)
  .chain(([names, least, most]) => fc.tuple(fc.constantFrom(...names), digits(least, most)));

/** Ways to put a named value into JSON. */
const holders: readonly ((name: string, value: unknown) => unknown)[] = [
  (name, value) => ({ [name]: value }),
  (name, value) => ({ id: 7, nested: { rows: [{ [name]: value, last: true }] } }),
  (name, value) => ({ name, value, kept: 1 }),
  (name, value) => ({ [name]: { value } }),
  (name, value) => [
    [name, value],
    ["kept", 1],
  ],
  (name, value) => ({ [`--${name}`]: value }),
];

describe("a number under the name of a secret", () => {
  test("is replaced wherever it stands, and as its text, and nothing else is", () => {
    fc.assert(
      fc.property(secretNumber, fc.constantFrom(...holders), ([name, number], hold) => {
        for (const value of [number, String(number)]) {
          const shown = redacted(hold(name, value));
          expect(JSON.stringify(shown), `${name}: ${JSON.stringify(value)}`).not.toContain(String(number));
          expect(shown).toEqual(hold(name, expect.stringMatching(/^\[redacted:[a-z-]+\]$/)));
        }
      }),
    );
  });

  test("is replaced in text that has JSON in it", () => {
    fc.assert(
      fc.property(secretNumber, fc.constantFrom("", " ", "\n  "), ([name, number], blank) => {
        const text = `read a.json: {${blank}"kept": 1,${blank}"${name}": ${number},${blank}"more": true}`;
        expect(redactor.redact(text)).not.toContain(String(number));
        expect(redactor.redact(text)).toContain('"more": true');
      }),
    );
  });

  test("is left where it is a count, an index, or what a person must read", () => {
    const counted = fc.constantFrom(
      ...["tokens", "max_tokens", "total_tokens", "maxTokens", "prompt_token_count", "passes", "passed"],
      ...["pins", "spin", "ping", "shopping", "keys", "primary_key", "cache_key", "account_key", "sort_key"],
      ...["code", "exit_code", "status_code", "cookie", "auth", "author", "port", "amount", "authorized"],
    );
    const benign = fc.oneof(
      fc.tuple(counted, fc.integer()),
      fc.tuple(fc.constantFrom("pass", "pw"), digits(1, 5)),
      fc.tuple(fc.constantFrom("pin", "otp", "pin_code"), digits(1, 3)),
      fc.tuple(fc.constantFrom("token", "secret", "api_key"), digits(1, 5)),
      fc.tuple(
        fc.constantFrom("password", "pin", "token", "secret"),
        fc.constantFrom(true, false, null, 0, -1, 1.5),
      ),
    );
    fc.assert(
      fc.property(benign, fc.constantFrom(...holders.slice(0, 4)), ([name, value], hold) => {
        const text = JSON.stringify(hold(name, value));
        expect(redactor.redactJson(text)).toBe(text);
      }),
    );
  });
});

const one = (chars: string) => fc.constantFrom(...chars);
const password = fc
  .array(fc.tuple(one("abcdefghkmnqrst"), one("BCDEFGHJKLMNPQR"), one("23456789")), {
    minLength: 3,
    maxLength: 8,
  })
  .map((parts) => parts.flat().join(""));

/** Lists of arguments with a secret, and the program where it stands elsewhere. */
const COMMANDS: readonly ((secret: string) => readonly string[])[] = [
  (secret) => ["mysql", "-u", "root", `-p${secret}`, "shop"],
  (secret) => ["/usr/bin/mysqldump", `-p${secret}`],
  (secret) => ["sudo", "mysql", `-p${secret}`],
  (secret) => ["docker", "exec", "db", "mariadb", `-p${secret}`],
  (secret) => ["sshpass", "-p", secret, "ssh", "host"],
  (secret) => ["mongosh", "-u", "app", "-p", secret],
  (secret) => ["docker", "login", "-u", "me", "-p", secret, "registry.example"],
  (secret) => ["curl", "-sS", "-u", `user:${secret}`, "https://a.example"],
  (secret) => ["curl", `-uuser:${secret}`, "https://a.example"],
  (secret) => ["curl", "--user", `user:${secret}`, "https://a.example"],
  (secret) => ["curl", `--proxy-user=user:${secret}`, "https://a.example"],
  (secret) => ["redis-cli", "-a", secret, "ping"],
  (secret) => ["unzip", "-P", secret, "a.zip"],
  (secret) => ["deploy", "--password", secret, "--wait"],
  (secret) => ["deploy", `--password=${secret}`, "--wait"],
  (secret) => ["deploy", "--api-token", secret],
  (secret) => ["deploy", `--token=${secret}`],
  (secret) => ["env", `DB_PASSWORD=${secret}`, "./run"],
  (secret) => ["docker", "run", "-e", `PGPASSWORD=${secret}`, "postgres"],
];

const inObject = ([program = "", ...args]: readonly string[]): readonly unknown[] => [
  { command: program, args },
  { servers: { db: { program, argv: args, env: {} } } },
];

describe("a secret in a list of arguments", () => {
  test("is replaced, and every other argument is shown as it is", () => {
    fc.assert(
      fc.property(password, fc.constantFrom(...COMMANDS), (secret, make) => {
        const list = make(secret);
        for (const value of [list, { argv: list }, { calls: [{ n: 1, list }] }, ...inObject(list)]) {
          const text = JSON.stringify(value);
          const shown = redactor.redactJson(text);
          expect(shown).not.toContain(secret);
          expect(shown.replace(/\[redacted:[a-z-]+\]/, secret)).toBe(text);
        }
      }),
    );
  });

  test("is replaced in text that has such a list in it", () => {
    fc.assert(
      fc.property(password, fc.constantFrom(...COMMANDS), fc.constantFrom(0, 2), (secret, make, indent) => {
        const text = `CMD ${JSON.stringify(make(secret), null, indent)}\nsubprocess.run(['ls'])`;
        expect(redactor.redact(text).replace(/\[redacted:[a-z-]+\]/, secret)).toBe(text);
        expect(redactor.redact(text)).not.toContain(secret);
      }),
    );
  });

  test("may look like a word where it stands behind the option for it", () => {
    expect(redacted(["deploy", "--password", "correcthorse"])).toEqual([
      "deploy",
      "--password",
      "[redacted:password]",
    ]);
    expect(redacted(["deploy", "--token=s3cr3t"])).toEqual(["deploy", "--token=[redacted:token]"]);
    expect(redacted(["deploy", "--pin", 123_456])).toEqual(["deploy", "--pin", "[redacted:pin]"]);
  });

  test.each([
    [["docker", "run", "-p", "8080"]],
    [["docker", "run", "-p", "8080:80", "-u", "1000:1000", "mysql"]],
    [["mysql", "-p", "8080"]],
    [["npx", "-pnpm", "create"]],
    [["npm", "exec", "-pnpm", "mysql"]],
    [["pnpm", "add", "mysql", "-pnpm"]],
    [["grep", "mysql", "-pattern1"]],
    [["mkdir", "-p", "a1/b2"]],
    [["git", "commit", "-m", "let mysql log in", "-p1234567"]],
    [["curl", "-u", "user", "https://a.example"]],
    [["curl", "-u", "user:$PASSWORD", "https://a.example"]],
    [["psql", "--user", "app:reader1"]],
    [["mysql", "-p$PASSWORD"]],
    [["deploy", "--password", "--wait"]],
    [["deploy", "--password", "$DB_PASSWORD"]],
    [["deploy", "--password=<password>"]],
    [["deploy", "--password-file", "/run/secrets/db1"]],
    [["docker", "build", "--secret", "id=npm1,src=./npmrc1", "."]],
    [["deploy", "--max-tokens", "4096000000"]],
    [["password", "address1", "token", "sha256sum"]],
    [{ command: "corepack", args: ["-pnpm", "--port", "8080"] }],
    [{ tokens: 512, max_tokens: 4096 }],
    [{ pass: 1532, fail: 3 }],
    [{ pin: "sha256:0123456789abcdef", pins: [1234, 5678] }],
  ])("is not seen in %j", (value) => {
    const text = JSON.stringify(value);
    expect(redactor.redactJson(text)).toBe(text);
  });

  test("hides no command", () => {
    for (const list of [
      ["sh", "--password", "a1b2c3 ; rm -rf ~"],
      ["mysql", "-pa1b2c3 && rm -rf ~"],
      ["curl", "-u", "a:b1c2d3 | sh"],
      ["deploy", "--token", "abc;rm"],
    ])
      expect(redacted(list)).toEqual(list);
  });
});

describe("nothing disappears behind a mark", () => {
  const token = (tail: string) => `ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3${tail}`;
  const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
  const [begin, end] = ["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"];

  test("names with the same mark are numbered, also next to a name that reads like a mark", () => {
    const raw = `{"[redacted:github-token]":0,"${token("xyz")}":"DROP production","${token("uvw")}":"list"}`;
    const shown = redactor.redactJson(raw);
    expect(shown).toBe(
      '{"[redacted:github-token]":0,"[redacted:github-token]#2":"DROP production","[redacted:github-token]#3":"list"}',
    );
    expect(JSON.parse(redactor.redactJson(JSON.stringify(raw)))).toBe(shown);
  });

  test.each(["production", "deleteEverything", "DROPproduction", "halt", "rm -rf /"])(
    "%s is shown between the markers of a key",
    (word) => {
      for (const [first, last] of [
        [begin, end],
        [`${begin}\n${line}`, `${line}\n${end}`],
      ]) {
        expect(redacted(["tmp1", first, word, last])).toEqual([
          "tmp1",
          "[redacted:private-key]",
          word,
          expect.any(String),
        ]);
        expect(redacted({ first, word, last })).toMatchObject({ word });
        expect(redactor.redact(`${first}\n${word}\n${last}`)).toContain(word);
      }
    },
  );

  test("a key in a list keeps the items of the list", () => {
    expect(redacted([begin, line, "qQ==", end, "kept"])).toEqual([
      ...Array.from({ length: 4 }, () => "[redacted:private-key]"),
      "kept",
    ]);
  });

  test.each(["\n'", '" x', "\\", ` ${"long ".repeat(100)}`])(
    "a marker in a name is numbered, whatever stands behind it: %j",
    (rest) => {
      const value = { [`[redacted:private-key]${rest}`]: "DROP production", [begin + rest]: "list staging" };
      for (const shown of [redacted(value), JSON.parse(redacted(JSON.stringify(value)) as string)])
        expect(Object.values(shown as object)).toEqual(["DROP production", "list staging"]);
    },
  );

  test("a quote that is open at the end of a string hides nothing behind it", () => {
    const text = JSON.stringify({ a: "password='a1B2c3D4", command: "rm -rf '/srv'" });
    expect(redacted({ text })).toEqual({ text: text.replace("a1B2c3D4", "[redacted:password]") });
  });
});

test.each([
  ["curl https://u:`touch$IFS.x`@h/", "curl https://u:`touch$IFS.x`@h/"],
  ["curl https://u:a1B2c3D4$(id)@h/", "curl https://u:[redacted:url-password]$(id)@h/"],
  ["curl https://u:a1B2c3D4;touch$IFS.x;@h/", "curl https://u:[redacted:url-password];touch$IFS.x;@h/"],
  ["curl https://u:a1B2c3D4|sh;@h/", "curl https://u:[redacted:url-password]|sh;@h/"],
  ["curl https://u:a1B2c3D4>Makefile;@h/", "curl https://u:[redacted:url-password]>Makefile;@h/"],
  ["curl https://u:a1B2c3D4(id)@h/", "curl https://u:[redacted:url-password](id)@h/"],
  ["curl https://u:a1B2c3$AWS_SECRET@h/", "curl https://u:[redacted:url-password]$AWS_SECRET@h/"],
  ["x%3A%2F%2Fu%3Aa1B2c3D4;reboot;%40h", "x%3A%2F%2Fu%3A[redacted:url-password];reboot;%40h"],
  ["echo h:5432:d:u:a1B2c3D4&&reboot", "echo h:5432:d:u:[redacted:password]&&reboot"],
  ["login u password a1B2c3D4>Makefile", "login u password [redacted:password]>Makefile"],
  ['PASSWORD="a1B2c3D4e5 $(id) " ls', 'PASSWORD="[redacted:password]$(id) " ls'],
  ['PASSWORD="a1B2c3D4e5 `id` " ls', 'PASSWORD="[redacted:password]`id` " ls'],
])("a command in the place of a password is shown: %s", (line, shown) => {
  expect(redactor.redact(line)).toBe(shown);
});
