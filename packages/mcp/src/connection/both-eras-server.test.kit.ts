/** The server of both revisions as a program; `modern` as its argument: of the newer one alone. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { bothErasServer } from "./both-eras.test.kit.ts";

serveStdio(() => bothErasServer(), { legacy: process.argv[2] === "modern" ? "reject" : "serve" });
