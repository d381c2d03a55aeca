import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startModelServer } from "../../packages/ai/src/providers/model-server.test.kit.ts";
import { type Command, mustRun, runNpm } from "../run-program.ts";
import { CHAT_REQUEST, NEXT, PROVIDERS, type Provider, TOOLS, writeApp } from "./bundled-app.ts";

/** What is tried, and in which folder that does not exist yet. */
export interface BundlerTrial {
  readonly tarballs: readonly string[];
  /** A package with the version that we test with. */
  readonly versioned: (name: string) => string;
  readonly folder: string;
  /** Next with Turbopack and one provider, and esbuild with none. */
  readonly quick: boolean;
}

type Bundler = "turbopack" | "webpack" | "esbuild" | "rolldown" | "vite";

interface Build {
  readonly bundlers: readonly Bundler[];
  readonly providers: readonly Provider[];
}

const ALL = ["turbopack", "webpack", "esbuild", "rolldown", "vite"] as const;
const FOR_NODE = ["--bundle", "--platform=node", "--format=esm"];
// The AI SDK requires modules of Node, and the modules that esbuild writes have no `require`.
const WITH_REQUIRE =
  '--banner:js=import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

const BUILDS: Readonly<Record<Bundler, Command>> = {
  turbopack: ["npx", "--no", "next", "build"],
  webpack: ["npx", "--no", "next", "build", "--webpack"],
  esbuild: ["npx", "--no", "esbuild", "ask.ts", ...FOR_NODE, WITH_REQUIRE, "--outfile=out/esbuild/ask.mjs"],
  rolldown: [
    "npx",
    "--no",
    "rolldown",
    "ask.ts",
    "-f",
    "esm",
    "-p",
    "node",
    "-d",
    "out/rolldown",
    "--entryFileNames",
    "ask.mjs",
  ],
  vite: ["npx", "--no", "vite", "build"],
};

/**
 * Builds the application of the README with each bundler, whatever providers are installed, and asks what was built:
 * the call asks for approval, and an agent has the model of its name or says which package is missing.
 */
export async function bundlerErrors(trial: BundlerTrial): Promise<readonly string[]> {
  const [first] = PROVIDERS;
  const builds: readonly Build[] = trial.quick
    ? [
        { bundlers: ["turbopack"], providers: first === undefined ? [] : [first] },
        { bundlers: ["esbuild"], providers: [] },
      ]
    : [[], ...PROVIDERS.map((one) => [one]), PROVIDERS].map((providers) => ({ bundlers: ALL, providers }));
  const errors: string[] = [];
  mkdirSync(trial.folder);
  for (const [index, build] of builds.entries()) {
    const folder = join(trial.folder, `${index}`);
    errors.push(...(await buildErrors(trial, build, folder)));
    rmSync(folder, { recursive: true, force: true });
  }
  return errors;
}

async function buildErrors(
  trial: BundlerTrial,
  { bundlers, providers }: Build,
  folder: string,
): Promise<readonly string[]> {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const isNext = bundlers.includes("turbopack");
  const installed = [
    ...trial.tarballs,
    ...["ai", ...providers.map((one) => one.package)].map(trial.versioned),
    ...(isNext ? NEXT : []),
    ...(bundlers.some((name) => !BUILDS[name].includes("next")) ? TOOLS : []),
  ];
  await runNpm(["install", "--no-audit", "--no-fund", "--prefer-offline", ...installed], folder);
  writeApp(folder, providers[0]);
  const errors: string[] = [];
  for (const bundler of bundlers) {
    const names = providers.map((one) => one.package).join(", ") || "no provider";
    await builtAndAsked(bundler, providers[0], folder).catch((error: Error) =>
      errors.push(`${bundler} with ${names}: ${error.message}`),
    );
  }
  return errors;
}

async function builtAndAsked(
  bundler: Bundler,
  provider: Provider | undefined,
  folder: string,
): Promise<void> {
  const call = { id: "call_1", name: "pay", arguments: '{"invoice":"A"}' };
  await using server = await startModelServer(provider === undefined ? [] : [{ calls: [call] }]);
  const env = {
    ...{ MODEL_URL: server.url, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
    ...{ ANTHROPIC_BASE_URL: `${server.url}/v1`, ANTHROPIC_API_KEY: "none" },
    ...{ OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "none" },
    ...{ GOOGLE_GENERATIVE_AI_API_KEY: "none" },
  };
  await mustRun(BUILDS[bundler], { cwd: folder, env });
  const isNext = BUILDS[bundler].includes("next");
  const text = isNext
    ? await askedOverHttp(folder, env)
    : (await mustRun([process.execPath, `out/${bundler}/ask.mjs`], { cwd: folder, env })).stdout;
  if (!/"type":"tool-approval-request"/.test(text)) throw new Error(`No approval came:\n${text}`);
  const expected =
    provider === undefined
      ? "needs the package @ai-sdk/anthropic, which could not be loaded. Install it: npm install @ai-sdk/anthropic."
      : "The agent says: done";
  if (!text.includes(expected)) throw new Error(`Of the agent was expected: ${expected}\n${text}`);
}

/** Starts the program that was built, and asks both of its routes once. */
async function askedOverHttp(folder: string, env: Readonly<Record<string, string>>): Promise<string> {
  const program = join(folder, "node_modules/next/dist/bin/next");
  const started = spawn(process.execPath, [program, "start", "--port", "0", "--hostname", "127.0.0.1"], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await addressIn(started.stdout);
    const chat = await fetch(`${url}/api/chat`, { method: "POST", body: CHAT_REQUEST });
    const agent = await fetch(`${url}/api/agent`, { method: "POST" });
    return `${await chat.text()}\n${await agent.text()}`;
  } finally {
    started.kill();
    if (started.exitCode === null && started.signalCode === null) await once(started, "exit");
  }
}

/** The address that the program says it listens at. */
async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address !== undefined) {
      output.resume();
      return address;
    }
  }
  throw new Error("next start ended before it listened");
}
