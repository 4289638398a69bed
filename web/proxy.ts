import { homedir } from "node:os";
import { join } from "node:path";
import type { ProxyOptions } from "vite";

/** Connects `npm run dev` to the server of the data directory `JANGDAN_DATA`, over its socket. */
export function devServerProxy(): Record<string, ProxyOptions> {
  const data = process.env["JANGDAN_DATA"] ?? join(homedir(), ".local/share/jangdan");
  const target = { socketPath: join(data, "server.sock"), host: "jangdan", port: 80 };
  return { "/api": { target, headers: { host: "jangdan" }, ws: true } };
}
