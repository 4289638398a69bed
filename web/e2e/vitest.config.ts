import { defineConfig } from "vitest/config";

// One world, one story: the tests of a file are steps, and the first that fails ends it.
export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    fileParallelism: false,
    bail: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
