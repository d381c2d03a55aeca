import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import type { Socket } from "node:net";
import { ToolFailure } from "@toolkeep/core";
import type { Proxies } from "../proxies.ts";
import { hostOf, portOf } from "../read-url.ts";

/** The proxy of the user that leads to an address; `undefined` if it is reached without one. */
export function proxyTo(url: URL, { http, https, except }: Proxies): URL | undefined {
  const proxy = portOf(url) === 80 ? http : https;
  if (proxy === "" || isExcepted(hostOf(url), portOf(url), except)) return undefined;
  return new URL(proxy);
}

/** In the manner of `NO_PROXY`: a host stands for those beneath it as well. */
function isExcepted(host: string, port: number, except: string): boolean {
  return except
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const [, name = "", at] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (at !== undefined && Number(at) !== port) return false;
      return entry === "*" || host === name || (name !== "" && host.endsWith(`.${name}`));
    });
}

/** Connects to an address through a proxy of the user. @throws ToolFailure `unavailable` if the proxy refuses. */
export function connectThrough(proxy: URL, url: URL, timeoutMs: number): Promise<Socket> {
  const authority = `${hostOf(url)}:${portOf(url)}`;
  const { username, password } = proxy;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const send = proxy.protocol === "https:" ? secureRequest : plainRequest;
  const asked = send({
    host: proxy.hostname.replaceAll(/[[\]]/g, ""),
    port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : proxy.port,
    method: "CONNECT",
    path: authority,
    headers: {
      host: authority,
      ...(username === "" ? {} : { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` }),
    },
    agent: false,
    timeout: timeoutMs,
  });
  return new Promise((resolve, reject) => {
    const refused = (reason: string) =>
      reject(new ToolFailure("unavailable", `The proxy did not connect to ${hostOf(url)} (${reason}).`));
    asked.once("connect", ({ statusCode }, socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket.setTimeout(0));
      }
      socket.destroy();
      return refused(String(statusCode));
    });
    asked.once("response", (answer) => {
      answer.destroy();
      refused(String(answer.statusCode));
    });
    asked.once("timeout", () => asked.destroy(new Error("no answer")));
    asked.on("error", ({ message }) => refused(message));
    asked.end();
  });
}
