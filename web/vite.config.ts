import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { alias } from "./alias.ts";
import { compress } from "./compress.ts";
import { proxy } from "./proxy.ts";

export default defineConfig({
  plugins: [react(), tailwindcss(), compress()],
  resolve: { alias },
  build: {
    // The content policy has no `data:` for scripts and fonts, so nothing is put inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    // A style sheet that once could not be fetched is not asked for again, so there is one, and it comes first.
    cssCodeSplit: false,
  },
  server: { host: "127.0.0.1", proxy: proxy() },
});
