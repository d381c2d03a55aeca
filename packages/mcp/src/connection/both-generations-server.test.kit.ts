/** The server of both revisions as a program; `modern` as its argument: of the newer one alone. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { bothGenerationsServer } from "./both-generations.test.kit.ts";

serveStdio(() => bothGenerationsServer(), { legacy: process.argv[2] === "modern" ? "reject" : "serve" });
