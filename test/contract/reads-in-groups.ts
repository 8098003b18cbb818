import { beforeAll, describe, expect, test, vi } from "vitest";
import { RawConnection } from "../http/raw-connection.ts";
import { recorded, type Contract } from "./contract.ts";

// Users and skiers that no other test has.
const [first, withSteps, second, end] = [800_000, 800_007, 800_009, 800_300];
const asked = end - first;
// Requests that are sent together arrive together, or in a few pieces.
const statementsMax = 30;

const vertical = (resortID: string, totalVert: number) => JSON.stringify({ resortID, totalVert });
const stats = (likes: number, numDislikes: number) =>
  JSON.stringify({ numLlikes: likes, numLikes: likes, numDislikes });
const ride = (skierID: number, resortID: string, liftID: number) =>
  JSON.stringify({ resortID, dayID: 1, skierID, time: 7, liftID });
const swipe = (swiper: number, swipee: number) => JSON.stringify({ swiper, swipee });

/** Reads that arrive together are grouped into few statements. */
export function readsInGroups(contract: Contract): void {
  let connection: RawConnection;

  /** Statements and keys that a domain's groups have read so far. */
  async function readsOf(domain: string, endpoint: string): Promise<{ statements: number; keys: number }> {
    const body = await (await fetch(`${contract.system().operatorUrls[0]}/metrics`)).text();
    const figure = (name: string): number => {
      const lines = body.matchAll(new RegExp(String.raw`^tally_gateway_read_keys_${name}\{(.*)\} (\d+)$`, "gm"));
      const own = Array.from(lines).find(
        ([, labels = ""]) => labels.includes(`domain="${domain}"`) && labels.includes(`endpoint="${endpoint}"`),
      );
      return Number(own?.[2] ?? 0);
    };
    return { statements: figure("count"), keys: figure("sum") };
  }

  /** The responses to GETs that are sent together, and how they were read. */
  async function readTogether(domain: string, paths: readonly string[], endpoint = "read") {
    const before = await readsOf(domain, endpoint);
    const responses = await connection.getAll(paths);
    const after = await readsOf(domain, endpoint);
    const read = { statements: after.statements - before.statements, keys: after.keys - before.keys };
    return { responses: responses.map(({ status, body }) => ({ status, body })), read };
  }

  describe("reads in groups", () => {
    beforeAll(async () => {
      connection = new RawConnection(contract.system().url);
      for (const [path, body] of [
        [`/steps/${withSteps}/1/8/70`, ""],
        [`/steps/${withSteps}/1/9/7`, ""],
        [`/steps/${withSteps}/2/9/5`, ""],
        [`/steps/${second}/1/8/90`, ""],
        ["/skiers/liftrides", ride(withSteps, "groupMt", 3)],
        ["/skiers/liftrides", ride(withSteps, "GroupMT", 4)],
        ["/skiers/liftrides", ride(second, "groupMt", 5)],
        ["/swipe/right", swipe(withSteps, 1)],
        ["/swipe/right", swipe(withSteps, 2)],
        ["/swipe/left", swipe(withSteps, 3)],
        ["/swipe/left", swipe(second, 3)],
      ] as const)
        expect(recorded(contract, await connection.post(path, body)).status).toBeLessThan(300);
      await vi.waitFor(async () => {
        for (const [path, body] of [
          [`/steps/single/${withSteps}/1`, "77"],
          [`/steps/single/${withSteps}/2`, "5"],
          [`/steps/single/${second}/1`, "90"],
          [`/skiers/${withSteps}/vertical?resort=groupMt`, vertical("groupMt", 30)],
          [`/skiers/${withSteps}/vertical?resort=GroupMT`, vertical("GroupMT", 40)],
          [`/skiers/${second}/vertical?resort=groupMt`, vertical("groupMt", 50)],
          [`/stats/${withSteps}`, stats(2, 1)],
          [`/stats/${second}`, stats(0, 1)],
        ] as const)
          expect((await connection.get(path)).body).toBe(body);
      }, 20_000);
      return () => connection.destroy();
    });

    test.each([
      ["steps", "/steps/current/N", "5", "90", "0"],
      ["steps", "/steps/single/N/1", "77", "90", "0"],
      ["liftrides", "/skiers/groupMt/days/1/skiers/N", ...[30, 50, 0].map((total) => vertical("groupMt", total))],
      ["liftrides", "/skiers/groupMt/seasons/0/days/1/skiers/N", "30", "50", "0"],
      [
        "liftrides",
        "/skiers/N/vertical?resort=groupMt&season=0",
        ...[30, 50, 0].map((total) => vertical("groupMt", total)),
      ],
      ["liftrides", "/skiers/N/vertical?resort=GroupMT", ...[40, 0, 0].map((total) => vertical("GroupMT", total))],
      ["swipes", "/stats/N", stats(2, 1), stats(0, 1), stats(0, 0)],
    ])("%s: 300 times %s together are few statements, each with its own response", async (domain, path, ...bodies) => {
      const users = Array.from({ length: asked }, (_, index) => first + index);
      const { responses, read } = await readTogether(
        domain,
        users.map((user) => path.replace("N", String(user))),
      );
      const bodyOf = (user: number) => bodies[user === withSteps ? 0 : user === second ? 1 : 2];
      expect(responses).toEqual(users.map((user) => ({ status: 200, body: bodyOf(user) })));
      expect(read.keys).toBe(asked);
      expect(read.statements).toBeLessThan(statementsMax);
    });

    test.each(["read", "write"])(
      "albums: 300 unknown ids together are few statements at the %s endpoint",
      async (endpoint) => {
        // Old ids: the gateway does not wait for these.
        const paths = Array.from(
          { length: asked },
          (_, n) => `/albums/00000000-0001-7000-8000-${String(n).padStart(12, "0")}`,
        );
        const { responses, read } = await readTogether("albums", paths, endpoint);
        expect(responses.filter(({ status }) => status === 404)).toHaveLength(asked);
        expect(read.keys).toBe(asked);
        expect(read.statements).toBeLessThan(statementsMax);
      },
    );
  });
}
