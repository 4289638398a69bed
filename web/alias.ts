import { fileURLToPath } from "node:url";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Import aliases. The manifest of `@xterm/headless` names a module file that does not exist. */
export const alias = {
  "~": path("./src"),
  "@xterm/headless": path("./node_modules/@xterm/headless/lib-headless/xterm-headless.mjs"),
};
