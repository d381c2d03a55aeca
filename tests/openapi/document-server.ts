import type { RequestListener } from "node:http";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { liftDocument } from "../../packages/openapi/src/document/lift-document.ts";
import { sampleValue } from "./sample-value.ts";

type Json = Readonly<Record<string, unknown>>;

interface Route {
  readonly title: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly literals: number;
  readonly pointer: string;
}

/** What reached the server, what was wrong with it by the document, and what was answered. */
interface Served {
  readonly title: string;
  readonly errors: readonly string[];
  readonly answer: unknown;
}

/**
 * A server made from a document: it knows every operation, holds each request against what the document says of it
 * (by schemas of the document itself, not by ours) and answers by the schema of the first success.
 */
export function documentServer(source: object, basePath: string) {
  // Which of several is meant is said by a property that JSON Schema knows nothing of: one of them must fit.
  const loose = JSON.parse(JSON.stringify(source).replaceAll('"oneOf":', '"anyOf":')) as Record<
    string,
    unknown
  >;
  const document = liftDocument(loose);
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateFormats: false,
    coerceTypes: true,
    validateSchema: false,
    code: { optimize: false },
  });
  ajv.addSchema({ ...document, $id: "doc" });
  const routes = routesOf(document);
  const served: Served[] = [];
  const validators = new Map<string, ValidateFunction>();

  const answer: RequestListener = (request, response) => {
    const url = new URL(request.url ?? "", "http://server");
    const path = url.pathname.slice(basePath.length);
    const route = routes
      .filter(({ method, pattern }) => method === request.method && pattern.test(path))
      .toSorted((one, other) => other.literals - one.literals)[0];
    const operation = route === undefined ? {} : (at(document, route.pointer) as Json);
    const values = route?.pattern.exec(path)?.slice(1).map(decodeURIComponent) ?? [];
    const sent = { url, values, names: route?.names ?? [] };
    const errors = route === undefined ? ["no such operation"] : errorsOf(route, operation, sent);
    const { status, body } = successOf(operation);
    served.push({ title: route?.title ?? `${request.method} ${path}`, errors, answer: body });
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };

  function errorsOf(
    route: Route,
    operation: Json,
    sent: { url: URL; values: readonly string[]; names: readonly string[] },
  ): string[] {
    const owner = route.pointer.slice(0, route.pointer.lastIndexOf("/"));
    const own = (list: unknown, pointer: string) =>
      listOf(list).map((one, index) => entry(one, `${pointer}/parameters/${index}`));
    const parameters = [
      ...own((at(document, owner) as Json)["parameters"], owner),
      ...own(operation["parameters"], route.pointer),
    ];
    const known = new Set(
      parameters.filter(({ value }) => value["in"] === "query").map(({ value }) => value["name"]),
    );
    const strays = [...sent.url.searchParams.keys()].filter((name) => !known.has(name));
    return [
      ...strays.map((name) => `no parameter ${name}`),
      ...parameters.flatMap(({ value, pointer }) => {
        const name = String(value["name"]);
        if (value["in"] === "path") return check(pointer, sent.values[sent.names.indexOf(name)], name);
        if (value["in"] !== "query") return [];
        const all = sent.url.searchParams.getAll(name);
        if (all.length === 0) return value["required"] === true ? [`${name} is missing`] : [];
        const schema = resolved(value["schema"]);
        const isList = schema["type"] === "array";
        return check(
          pointer,
          isList ? (value["explode"] === false ? all[0]?.split(",") : all) : all[0],
          name,
        );
      }),
    ];
  }

  /** Holds a value against the schema at this place of the document. */
  function check(pointer: string, value: unknown, name: string): string[] {
    const validate = validators.get(pointer) ?? ajv.compile(valueAt(pointer));
    validators.set(pointer, validate);
    return validate({ value }) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`];
  }

  function checkBody(title: string, text: string): string[] {
    const route = routes.find((one) => one.title === title);
    const operation = route === undefined ? undefined : (at(document, route.pointer) as Json);
    if (route === undefined || operation?.["requestBody"] === undefined)
      return text === "" ? [] : ["a body that is not declared"];
    const { value, pointer } = entry(operation["requestBody"], `${route.pointer}/requestBody`);
    if (text === "") return value["required"] === true ? ["no body"] : [];
    const [type] = Object.keys(value["content"] as Json);
    const place = `${pointer}/content/${String(type).replaceAll("/", "~1")}`;
    return check(place, JSON.parse(text), "body");
  }

  function entry(value: unknown, pointer: string): { value: Json; pointer: string } {
    const reference = (value as Json)["$ref"];
    return typeof reference === "string"
      ? { value: at(document, reference.slice(1)) as Json, pointer: reference.slice(1) }
      : { value: value as Json, pointer };
  }

  function resolved(schema: unknown): Json {
    const reference = (schema as Json | undefined)?.["$ref"];
    return typeof reference === "string"
      ? resolved(at(document, reference.slice(1)))
      : ((schema ?? {}) as Json);
  }

  function successOf(operation: Json): { status: number; body: unknown } {
    const responses = Object.entries((operation["responses"] ?? {}) as Json);
    const [code, response] = responses.find(([name]) => name.startsWith("2")) ?? ["200", {}];
    const { value } = entry(response, "");
    const media = ((value["content"] ?? {}) as Json)["application/json"] as Json | undefined;
    const lookup = (reference: string) => at(document, reference.slice(1));
    return {
      status: Number(code),
      body: media === undefined ? undefined : sampleValue(media["schema"], lookup),
    };
  }

  return { answer, served, checkBody, titles: routes.map(({ title }) => title) };
}

function valueAt(pointer: string): object {
  return { type: "object", properties: { value: { $ref: `doc#${encodeURI(pointer)}/schema` } } };
}

const METHODS = ["get", "put", "post", "patch", "delete", "head", "options"];

function routesOf(document: Json): Route[] {
  return Object.entries(document["paths"] as Json).flatMap(([path, item]) =>
    METHODS.filter((method) => Object.hasOwn(item as object, method)).map((method) => ({
      title: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "([^/]+)")}$`),
      names: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? ""),
      literals: path.replaceAll(/\{[^}]+\}/g, "").length,
      pointer: `/paths/${path.replaceAll("/", "~1")}/${method}`,
    })),
  );
}

function at(document: Json, pointer: string): unknown {
  return pointer
    .slice(1)
    .split("/")
    .reduce<unknown>(
      (here, key) => (here as Json | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")],
      document,
    );
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
