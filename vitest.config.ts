import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/*
 * Four groups of tests, by file name:
 *
 *   unit     x.test.ts in a package           starts no servers
 *   servers  x.servers.test.ts, test/**       real servers, one set for the whole run
 *   long     x.long.test.ts                   clusters, kills, drills, the sources' loads; real servers
 *   containers  test/containers/              images and infra/compose*.yaml on a Docker engine
 *
 * `pnpm test` runs the first two, `pnpm test:all` the first three, `pnpm test:containers` the last.
 */
// Minutes each. They start first: a core would be idle while the last of them runs alone. The two drills start up to five
// systems each, so not together.
const longest = ["drill", "bench-command", "drill-sabotage", "bench", "status", "upgrade-and-back"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.long.test.ts`));
      return place < 0 ? longest.length : place;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- not the sort of an array
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

const packages = "{apps,packages,infra,bench}/**";
const servers = ["test/**/*.test.ts", `${packages}/*.servers.test.ts`];
const long = ["**/*.long.test.ts"];
const containers = ["test/containers/*.test.ts"];
const never = ["**/node_modules/**", ".tally/**"];
const withServers = { globalSetup: ["test/global-setup.ts"] };

export default defineConfig({
  test: {
    reporters: ["default", "./test/closing-line.ts"],
    // A machine may be slow and busy.
    testTimeout: 300_000,
    // How long what follows after a moment may take on a busy machine. A guarantee of time has its own limit.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 300_000,
    // For the long tests on two cores: drills and benches use both. The short ones wait for servers, so three run at once.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [`${packages}/*.test.ts`],
          exclude: [...never, ...long, `${packages}/*.servers.test.ts`],
        },
      },
      {
        extends: true,
        test: { name: "servers", include: servers, exclude: [...never, ...long, ...containers], ...withServers },
      },
      { extends: true, test: { name: "long", include: long, exclude: never, ...withServers } },
      { extends: true, test: { name: "containers", include: containers } },
    ],
  },
});
