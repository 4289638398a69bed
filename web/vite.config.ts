import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { alias } from "./alias.ts";
import { compressPlugin } from "./compress.ts";
import { devServerProxy } from "./proxy.ts";

export default defineConfig({
  plugins: [react(), tailwindcss(), compressPlugin()],
  resolve: { alias },
  build: {
    // The content security policy forbids `data:` URLs for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    // A browser does not retry a style sheet that failed to load, so there is one, and it is loaded first.
    cssCodeSplit: false,
  },
  server: { host: "127.0.0.1", proxy: devServerProxy() },
});
