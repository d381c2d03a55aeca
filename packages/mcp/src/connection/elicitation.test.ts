import type { Question } from "@toolkeep/core";
import { afterEach, expect, test } from "vitest";
import { callText, closeAll, connected, scripted } from "./connection.test.kit.ts";
import { asksForSecret } from "./elicitation/secret-words.ts";
import type { Connection } from "./news/connection.ts";

afterEach(closeAll);

interface Asked {
  readonly result: { readonly action: string; readonly content?: Readonly<Record<string, unknown>> };
  readonly questions: readonly Question[];
}

async function asked(
  connection: Connection,
  form: Readonly<Record<string, unknown>>,
  rounds: readonly (readonly (readonly string[])[])[],
): Promise<Asked> {
  const questions: Question[] = [];
  let round = 0;
  const ask = async (put: readonly Question[]) => {
    questions.push(...put);
    return rounds[round++] ?? [];
  };
  const result = JSON.parse(await callText(connection, "ask", form, { ask }));
  return { result, questions };
}

function form(properties: Readonly<Record<string, unknown>>, required: readonly string[] = []) {
  return { message: "Please tell.", schema: { type: "object", properties, required } };
}

test("every kind of field becomes a question and comes back with its type", async () => {
  const connection = await connected(scripted());
  const { result, questions } = await asked(
    connection,
    form({
      text: { type: "string", title: "A text" },
      real: { type: "number" },
      whole: { type: "integer", minimum: 1 },
      yes: { type: "boolean" },
      plain: { type: "string", enum: ["a", "b"] },
      named: { type: "string", enum: ["x", "y"], enumNames: ["The X", "The Y"] },
      paired: { type: "string", oneOf: [{ const: "1", title: "One" }] },
      some: {
        type: "array",
        items: {
          anyOf: [
            { const: "p", title: "P" },
            { const: "q", title: "Q" },
          ],
        },
      },
    }),
    [[["words"], ["2.5"], ["7"], ["Yes"], ["b"], ["The Y"], ["One"], ["Q", "P"]]],
  );
  expect(result).toEqual({
    action: "accept",
    content: {
      text: "words",
      real: 2.5,
      whole: 7,
      yes: true,
      plain: "b",
      named: "y",
      paired: "1",
      some: ["q", "p"],
    },
  });
  expect(questions.map(({ options }) => options?.map(({ label }) => label))).toEqual([
    ...[undefined, undefined, undefined],
    ...[["Yes", "No"], ["a", "b"], ["The X", "The Y"], ["One"], ["P", "Q"]],
  ]);
  expect(questions.at(-1)?.multiSelect).toBe(true);
  for (const { question } of questions)
    expect(question).toContain('The MCP server "testing" asks: Please tell.');
});

test("what is left empty takes its default, or is left out; what is needed is asked once more", async () => {
  const connection = await connected(scripted());
  const properties = {
    size: { type: "integer", default: 3 },
    note: { type: "string" },
    age: { type: "integer" },
  };
  const { result, questions } = await asked(connection, form(properties, ["age"]), [
    [[], [""], ["old"]],
    [["44"]],
  ]);
  expect(result).toEqual({ action: "accept", content: { size: 3, age: 44 } });
  expect(questions).toHaveLength(4);
  expect(questions[3]?.question).toContain("a number is required");
});

test("no answer at all declines: neither defaults nor what may be left out are sent", async () => {
  const connection = await connected(scripted());
  const properties = { size: { type: "integer", default: 3 }, note: { type: "string" } };
  const { result, questions } = await asked(connection, form(properties), [[]]);
  expect(result).toEqual({ action: "decline" });
  expect(questions).toHaveLength(2);
  const later = await asked(connection, form({ n: { type: "integer", default: 1 } }), [[["x"]], []]);
  expect(later.result).toEqual({ action: "decline" });
});

test("a form keeps what is known of its fields, and nothing in it hides", async () => {
  const connection = await connected(scripted());
  const mail = { type: "string", format: "email", minLength: 3, title: "e\u202email", $comment: "x" };
  const titled = { type: "string", enum: ["a", "b"], enumNames: ["b", "a"], default: "c" };
  const { questions } = await asked(connection, form({ mail, titled }, ["mail"]), [[["a@b.c"], ["a"]]]);
  expect(questions.map(({ field }) => field)).toEqual([
    {
      name: "mail",
      isRequired: true,
      schema: { type: "string", format: "email", minLength: 3, title: "e<U+202E>mail" },
    },
    {
      name: "titled",
      isRequired: false,
      schema: { type: "string", enum: ["a", "b"], enumNames: ["b", "a"] },
    },
  ]);
  // A title that is another one's value leaves open what is meant.
  expect(questions[1]?.options).toEqual([{ label: "a" }, { label: "b" }]);
  for (const hidden of [{ "na\u200bme": { type: "string" } }, { x: { type: "string", enum: ["a\u200b"] } }]) {
    const { result, questions: none } = await asked(connection, form(hidden), [[["a"]]]);
    expect([result.action, none]).toEqual(["decline", []]);
  }
});

test("a second wrong answer declines, and so does a form that cannot be put to a person", async () => {
  const connection = await connected(scripted());
  const wrong = await asked(connection, form({ n: { type: "integer" } }), [[["1.5"]], [["x"]]]);
  expect(wrong.result).toEqual({ action: "decline" });
  expect(wrong.questions).toHaveLength(2);
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`f${at}`, { type: "boolean" }]));
  expect((await asked(connection, form(many), [])).result).toEqual({ action: "decline" });
});

test("a form is cancelled without a user, and with one who cannot be asked", async () => {
  const connection = await connected(scripted());
  const args = form({ name: { type: "string" } });
  expect(JSON.parse(await callText(connection, "ask", args))).toEqual({ action: "cancel" });
  const ask = async () => Promise.reject(new Error("The user is not available."));
  expect(JSON.parse(await callText(connection, "ask", args, { ask }))).toEqual({ action: "cancel" });
});

const secrets: readonly (readonly [string, Record<string, unknown>])[] = [
  ["in the message", { ...form({ value: { type: "string" } }), message: "Please enter your API key" }],
  ["in the name", form({ githubToken: { type: "string" } })],
  ["in the title", form({ value: { type: "string", title: "Your password" } })],
  ["in the description", form({ value: { type: "string", description: "The client secret of the app." } })],
  ["in the format", form({ value: { type: "string", format: "password" } })],
  ["as a number", form({ pin: { type: "integer" } })],
  ["with characters between", form({ value: { type: "string", title: "pass\u200bword" } })],
];

test.each(secrets)(
  "a form that asks for a secret %s is declined without asking the user",
  async (_, args) => {
    const connection = await connected(scripted());
    const { result, questions } = await asked(connection, args, [[["hunter2"]]]);
    expect(result.action).not.toBe("accept");
    expect(questions).toEqual([]);
  },
);

test.each([
  ..."p\u0430ssword \uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44 p\u00e1ssword pass\u200bword p4ssw0rd P@SSWORD".split(
    " ",
  ),
  ..."t\u043eken pa\u00dfword passw\u00f8rd p.a.s.s.w.o.r.d \u03a1\u0399\u039d t0k3n apiK\u0435y".split(" "),
  ..."ꓑꓮꓢꓢꓪꓳꓣꓓ Ꮲassword ⲣassword toĸen 🅿🅰🆂🆂🆆🅾🆁🅳 🇵🇦🇸🇸🇼🇴🇷🇩 \u202edrowssap pass\u3164word pass\u115fword".split(
    " ",
  ),
  ..."newpassword Password1 githubtoken oauthToken2 pincode contraseña пароль 密码 パスワード 비밀번호".split(
    " ",
  ),
])("a word that looks like one for a secret is one: %s", (text) => {
  expect(asksForSecret(text)).toBe(true);
});

test("words that only look like secrets do not count", () => {
  for (const text of [
    "max tokens",
    "tokenizer",
    "pinned version",
    "Which branch?",
    "secretary",
    "compass",
    "keyboard",
  ])
    expect(asksForSecret(text)).toBe(false);
  for (const text of ["API_KEY", "apiKey", "access-token", "Passwort oder password"])
    expect(asksForSecret(text)).toBe(true);
});

test("a page is shown if it is https, and never opened by us", async () => {
  const connection = await connected(scripted());
  const page = { mode: "url", message: "Pay here", url: "https://pay.example/x" };
  const shown = await asked(connection, page, [[["I opened it"]]]);
  expect(shown.result).toEqual({ action: "accept" });
  expect(shown.questions[0]?.question).toContain("pay.example");
  for (const url of ["http://pay.example/x", "file:///etc/passwd", "https://me:pw@pay.example/"]) {
    const { result, questions } = await asked(connection, { ...page, url }, [[["I opened it"]]]);
    expect([result.action, questions]).toEqual(["decline", []]);
  }
});
