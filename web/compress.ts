import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** Files that are worth compressing. */
const TEXT = /\.(html|js|css|svg|json)$/;

/** Writes a `.br` and a `.gz` of every text file of the page, so that the server need not compress. */
export function compressPlugin(): Plugin {
  let folder = "";
  return {
    name: "compress",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    // Runs only after a successful build, so that it does not hide an earlier error.
    writeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!TEXT.test(name)) continue;
        const bytes = readFileSync(join(folder, name));
        const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params: quality }));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
