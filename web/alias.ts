import { fileURLToPath } from "node:url";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Names that are files. The package of the terminal names a module that it does not have, beside the one that it has. */
export const alias = {
  "~": path("./src"),
  "@xterm/headless": path("./node_modules/@xterm/headless/lib-headless/xterm-headless.mjs"),
};
