import { homedir } from "node:os";
import { join } from "node:path";
import type { ProxyOptions } from "vite";

/** Lets `npm run dev` talk to the server of the data directory that `JANGDAN_DATA` names, over its socket. */
export function proxy(): Record<string, ProxyOptions> {
  const data = process.env["JANGDAN_DATA"] ?? join(homedir(), ".local/share/jangdan");
  const target = { socketPath: join(data, "server.sock"), host: "jangdan", port: 80 };
  return { "/api": { target, headers: { host: "jangdan" }, ws: true } };
}
