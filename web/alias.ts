import { fileURLToPath } from "node:url";

const absolutePath = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Import aliases. The manifest of `@xterm/headless` names a module file that does not exist. */
export const alias = {
  "~": absolutePath("./src"),
  "@xterm/headless": absolutePath("./node_modules/@xterm/headless/lib-headless/xterm-headless.mjs"),
};
