import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{apps,packages,infra,bench,chaos,test}/**/*.test.ts"],
    exclude: ["**/node_modules/**", ".tally/**"],
    globalSetup: ["test/global-setup.ts"],
    reporters: ["default", "./test/closing-line.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Real servers on two cores: more files at once would only wait for each other.
    maxWorkers: 2,
  },
});
