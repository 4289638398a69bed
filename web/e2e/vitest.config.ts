import { defineConfig } from "vitest/config";

// The tests of a file share a server and build on each other, so the first failure ends the file.
export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    // Two files at once use the time in which a browser waits for agents.
    maxWorkers: 2,
    bail: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
