import { describe, expect, test } from "vitest";
import { createRedactor } from "./redactor.ts";

const redactor = createRedactor();
const P = "hunter2";
const R = "xK7pQ2mVr9LsT4wB";

describe("a value under the name of a secret is replaced", () => {
  test.each([
    [`password=${P}`, "password=[redacted:password]"],
    [`PGPASSWORD=${P} psql -h db`, "PGPASSWORD=[redacted:password] psql -h db"],
    [`{"password":"${P}"}`, '{"password":"[redacted:password]"}'],
    [`db:\n  password: ${P}\n  user: app`, "db:\n  password: [redacted:password]\n  user: app"],
    [`Authorization: Bearer ${R}`, "Authorization: Bearer [redacted:authorization]"],
    [
      `curl -H "Authorization: Basic ${R}" a.example`,
      'curl -H "Authorization: Basic [redacted:authorization]" a.example',
    ],
    [
      `https://a.example/x?access_token=${R}&page=2`,
      "https://a.example/x?access_token=[redacted:token]&page=2",
    ],
    [`mysql -u root -p${P} shop`, "mysql -u root -p[redacted:password] shop"],
    [`curl -u admin:${P} https://a.example`, "curl -u admin:[redacted:password] https://a.example"],
    [`docker login -u me -p ${P} r.example`, "docker login -u me -p [redacted:password] r.example"],
    [`deploy --password ${P} --wait`, "deploy --password [redacted:password] --wait"],
    [`deploy --api-key=${R} --wait`, "deploy --api-key=[redacted:key] --wait"],
    [`machine a login me password ${P}\n`, "machine a login me password [redacted:password]\n"],
    [`CREATE USER a IDENTIFIED BY '${P}'`, "CREATE USER a IDENTIFIED BY '[redacted:password]'"],
    [
      `Server=db;User=sa;Password=${P};Encrypt=yes`,
      "Server=db;User=sa;Password=[redacted:password];Encrypt=yes",
    ],
    [`Cookie: sid=${R}; theme=dark`, "Cookie: sid=[redacted:cookie]"],
    ["card number: 4111 1111 1111 1111", "card number: [redacted:card-number]"],
    ["SSN: 123-45-6789", "SSN: [redacted:ssn]"],
    [`export DB_PASSWORD='${P}!'`, "export DB_PASSWORD='[redacted:password]'"],
    [`\\"client_secret\\":\\"${R}\\"`, '\\"client_secret\\":\\"[redacted:secret]\\"'],
  ])("%s", (text, shown) => {
    expect(redactor.redact(text)).toBe(shown);
  });

  test("in JSON by the key, by the option before it and by the name next to it", () => {
    const value = {
      password: P,
      nested: [{ clientSecret: R }],
      args: ["login", "--password", P, "kept1"],
      env: [{ name: "DB_PASSWORD", value: P }],
      headers: { authorization: `Bearer ${R}` },
      nextPageToken: R,
    };
    expect(JSON.parse(redactor.redactJson(JSON.stringify(value)))).toEqual({
      password: "[redacted:password]",
      nested: [{ clientSecret: "[redacted:secret]" }],
      args: ["login", "--password", "[redacted:password]", "kept1"],
      env: [{ name: "DB_PASSWORD", value: "[redacted:password]" }],
      headers: { authorization: expect.stringContaining("[redacted:authorization]") },
      nextPageToken: R,
    });
  });

  test("what is known by its shape is called by its shape", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    expect(redactor.redact(`TOKEN=${token} x`)).toBe("TOKEN=[redacted:github-token] x");
    expect(redactor.redactJson(JSON.stringify({ token }))).toBe('{"token":"[redacted:github-token]"}');
  });
});

describe("nothing is taken for a secret", () => {
  test.each([
    ...[
      "password: \u0024{VAR}",
      "password: <token>",
      "password: changeme",
      "password: ***",
      "password: $DB_PASSWORD",
    ],
    ...[
      "const password = readPassword();",
      "{ accessKeyId: S3_KEY, secretAccessKey: S3_SECRET }",
      "token: string;",
      "password = config.password2",
      "password?: string",
    ],
    ...['"password": "Password"', '"token": "^1.2.3"', "max_tokens: 4096", "nextPageToken=aB3dE5fG7hJ9kL1m"],
    ...[
      "PWD=/home/me/x1",
      '"$PWD": a-Zb.1x*9',
      "x localhost:3000:6.6.6.6\\thttp://localhost:3000/",
      "tests: 3, pass: 3",
      "docker run -p 8080:80 -u 1000:1000 a",
      "mkdir -p a1/b2",
    ],
    ...[
      "Authorization: Bearer $TOKEN",
      "Authorization: `Bearer \u0024{token}`",
      "-H 'Authorization: Bearer <token>'",
    ],
    ...["--password-file /run/secrets/db1", "mysql -u root -p shop1", "https://user:password@host/x"],
    ...[
      "card: 1234567890123456",
      "order 123-45-6789",
      "sha256:0123456789abcdef0123456789abcdef",
      "key: Enter1",
    ],
    ...[
      "token == other1",
      "secret: /run/secrets/db1",
      "password = getpass.getpass()",
      "api_key: process.env.API_KEY1",
    ],
    ...['"primary_key": "aB3dE5fG7hJ9kL1m"', "compass: north1", "keypass", "password: [redacted:password]"],
  ])("%s", (text) => {
    expect(redactor.redact(text)).toBe(text);
  });

  test("a value hides no command behind it", () => {
    for (const text of [
      "password=a1b2c3; rm -rf ~",
      "password=a1b2c3$(rm -rf ~)",
      "--password a1b2c3|rm -rf ~",
      "Cookie: a=xK7pQ2mVr9LsT4wB; rm -rf ~",
      'password="a1 $(rm -rf ~)"',
      "mysql -pa1b2c3 && rm -rf ~",
    ])
      expect(redactor.redact(text)).toContain("rm -rf ~");
  });
});

describe("shapes of one's own", () => {
  test("are replaced, by their first group where they have one", () => {
    const own = createRedactor({
      shapes: [
        { name: "acme-key", pattern: "acme_[a-z0-9]{8}" },
        { name: "badge", pattern: "badge (\\d{6})" },
      ],
    });
    expect(own.redact("acme_abcd1234 badge 123456 ok")).toBe("[redacted:acme-key] badge [redacted:badge] ok");
    expect(own.redactJson('{"a":"acme_abcd1234"}')).toBe('{"a":"[redacted:acme-key]"}');
  });

  test.each(["(a)\\1", "(?<=a)b", "(?!a)b", "a*", "(", ""])(
    "must be linear and match something: %s",
    (pattern) => {
      expect(() => createRedactor({ shapes: [{ name: "x", pattern }] })).toThrow(/cannot be used/);
    },
  );
});

const PASSWORD = "aB3dE6gH9!";
const HEX = "0123456789abcdef".repeat(2);

test.each([
  ["client-key-data: ", "c2VjcmV0IGtleSBkYXRhIG9mIGEgY2x1c3Rlcg==", "private-key", ""],
  ["x ", "vercel_blob_rw_aB3dE6gH9jK2mN5p_Q8sT1vW4yZ7bC0eF3aB3dE6gH9jK2m", "vercel-token", ""],
  ["db.internal:5432:app:app:", PASSWORD, "password", "\nother:5432:x"],
  ['ConvertTo-SecureString -String "', PASSWORD, "password", '" -AsPlainText'],
  ["password:\n  ", PASSWORD, "password", "\nuser: ada"],
  ["Passwort: ", PASSWORD, "password", ""],
  ["mot de passe: ", PASSWORD, "password", ""],
  ["CONTRASENA=", PASSWORD, "password", ""],
  ["recovery codes: ", "b1780-9ad6e 04f64-a9a8b", "recovery-codes", "\nkeep them"],
  ["pay to ", "DE89370400440532013000", "iban", " today"],
  ["pay to ", "GB29 NWBK 6016 1331 9268 19", "iban", "."],
  [
    "",
    `-----BEGIN OpenVPN Static key V1-----\n${HEX}\n${HEX}\n-----END OpenVPN Static key V1-----`,
    "private-key",
    "\nx",
  ],
])("%j is followed by a secret", (before, secret, name, after) => {
  expect(createRedactor().redact(before + secret + after)).toBe(`${before}[redacted:${name}]${after}`);
});

test.each([
  "main.c:1234:5:error:undefined1",
  "password:\n  type: string",
  "ConvertTo-SecureString $password",
  "recovery codes: see above",
  "DE89370400440532013001",
  "SHA1B2C3D4E5F6A7B8",
])("%j has no secret", (text) => {
  expect(createRedactor().redact(text)).toBe(text);
});
