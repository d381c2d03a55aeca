import { createSession, type Principal } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { decodeEvent } from "@toolkeep/core/journal";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { eventsFrom } from "../../packages/cli/src/audit/ship/sent-events.ts";
import { activityOf } from "../../packages/cli/src/audit/ship/sink-formats.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** An object of OCSF 1.6, as far as we write it: what it must have, one of what it must have, and what it may have. */
interface Shape {
  readonly needs?: string;
  readonly oneOf?: string;
  readonly may?: string;
  readonly inside?: Readonly<Record<string, Shape>>;
}

const NAMED: Shape = { oneOf: "name uid" };
const OWNER: Shape = { ...NAMED, may: "type_id" };
const FROM = { host: "laptop-7", id: "0f", account: "ada" };
const ENUMS: Readonly<Record<string, readonly number[]>> = {
  activity_id: [0, 1, 2, 3, 4, 99],
  severity_id: [0, 1, 2, 3, 4, 5, 6, 99],
  status_id: [0, 1, 2, 99],
};
const ACTIVITY: Shape = {
  needs:
    "activity_id category_uid class_uid type_uid severity_id time metadata actor api src_endpoint device",
  may: "status_id status status_detail resources unmapped",
  inside: {
    metadata: {
      needs: "version product",
      may: "uid event_code sequence correlation_uid labels profiles",
      inside: { product: { needs: "vendor_name", may: "name version" } },
    },
    actor: {
      oneOf: "user session app_name",
      inside: {
        user: {
          oneOf: "account name uid",
          may: "type_id groups org",
          inside: { account: NAMED, groups: NAMED, org: NAMED },
        },
        session: { may: "uid" },
      },
    },
    api: {
      needs: "operation",
      may: "service request",
      inside: { service: { may: "name" }, request: { needs: "uid" } },
    },
    src_endpoint: { oneOf: "name uid hostname", may: "owner", inside: { owner: OWNER } },
    device: { needs: "type_id", oneOf: "uid hostname", may: "owner", inside: { owner: OWNER } },
    resources: { oneOf: "name uid", may: "type" },
  },
};

const words = (text = "") => text.split(" ").filter((word) => word !== "");

function errorsOf(value: unknown, shape: Shape, at: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => errorsOf(one, shape, at));
  const fields = value as Readonly<Record<string, unknown>>;
  const [needs, oneOf, may] = [words(shape.needs), words(shape.oneOf), words(shape.may)];
  const known = new Set([...needs, ...oneOf, ...may]);
  return [
    ...needs.filter((name) => fields[name] === undefined).map((name) => `${at}.${name} is missing`),
    ...(oneOf.length === 0 || oneOf.some((name) => fields[name] !== undefined)
      ? []
      : [`${at} has none of ${oneOf}`]),
    ...Object.keys(fields).flatMap((name) => (known.has(name) ? [] : [`${at}.${name} is not known`])),
    ...Object.entries(shape.inside ?? {}).flatMap(([name, inner]) =>
      fields[name] === undefined ? [] : errorsOf(fields[name], inner, `${at}.${name}`),
    ),
  ];
}

const tools = ["fs.read", "fs.write", "fs.delete", "deploy.run"].map((capability) => {
  const name = capability.replace(".", "_");
  const effects = () => [effect(capability, "/a")];
  return stubTool(name, () => "done", { requires: { capabilities: [capability] }, effects }).tool;
});

const PRINCIPALS: readonly Partial<Principal>[] = [
  { user: "ada", groups: ["one", "two"], tenant: "acme", agent: "bot" },
  { tenant: "acme", groups: ["one"] },
  { groups: ["one"] },
  {},
];

test.each(PRINCIPALS)(
  "every activity has what OCSF requires and nothing that it does not know: %j",
  async (principal) => {
    await using store = openSqliteStore({ path: temporaryFolder(), durability: "normal" });
    const session = await createSession({
      ...{ id: "s", store, tools, principal, policy: ["allow fs.*", "deny fs.delete", "ask deploy.run"] },
      approver: async () => ({ verdict: "once", by: "eve" }),
    });
    for (const { name } of [...tools, { name: "nothing" }])
      await session.call({ id: `call-${name}`, name, arguments: {} });
    await session.close();
    const sent = await Array.fromAsync(eventsFrom(store, "s", 0, decodeEvent));
    const activities = sent.flatMap((one) => activityOf(one, FROM) ?? []) as Readonly<
      Record<string, unknown>
    >[];
    // Five calls and an answer.
    expect(activities).toHaveLength(6);
    expect(activities.flatMap((one) => errorsOf(one, ACTIVITY, "activity"))).toEqual([]);
    for (const one of activities) {
      for (const [name, values] of Object.entries(ENUMS)) expect(values).toContain(one[name]);
      expect(one["type_uid"]).toBe(Number(one["class_uid"]) * 100 + Number(one["activity_id"]));
    }
    for (const name of [...(principal.groups ?? []), principal.tenant ?? "acti"])
      for (const one of activities) expect(JSON.stringify(one)).toContain(name);
  },
);
