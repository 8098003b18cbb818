import { expect, test } from "vitest";
import { formType } from "./http/form.ts";
import { Acknowledgements } from "./http/acknowledgements.ts";
import { expectAllStored, expectNone, expectPromiseKept } from "./http/expect-stored.ts";
import { inLanes } from "./http/in-lanes.ts";
import { RawConnection } from "./http/raw-connection.ts";
import { album, albumForm } from "./http/sample-requests.ts";
import { mixSeed, Random } from "@tally/bench/kit";
import { mutationOf } from "./mutations/mutation.ts";
import { Lane, type Seen } from "./mutations/run-mutation.ts";
import { basePaths } from "./mutations/templates.ts";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem } from "./start-system.ts";

const lanes = 32;
const mutations = Number(process.env["HOSTILE_MUTATIONS"] ?? 10_000);
// In the test's name, so that a failed run can be repeated.
const seed = Number(process.env["HOSTILE_SEED"] ?? 20_261_122);
const acknowledgements = new Acknowledgements();

const system = await startSystem({ BASE_PATHS: basePaths });
const database = openDatabase(system);

const pids = () => [system.gateway.pid, system.writer.pid, system.ranker.pid];

test(`${mutations} mutated requests: no 5xx, no hang, each has a response, and what is acknowledged is stored as sent and nothing else (HOSTILE_SEED=${seed})`, async () => {
  const seen: Seen = { acknowledgements, statuses: new Map(), requests: 0, withoutResponse: 0 };
  const [world, before] = [{ albums: await postAlbums() }, pids()];
  const running = Array.from({ length: lanes }, () => new Lane(system.url, seen));
  const found: string[] = [];
  await inLanes(mutations, lanes, async (n, lane) => {
    const mutation = mutationOf(2_000_000 + n, new Random(mixSeed(seed ^ mixSeed(n + 1))), world);
    found.push(...((await running[lane]?.run(mutation, n)) ?? []));
  });
  for (const lane of running) lane.end();
  const statuses = Object.fromEntries([...seen.statuses].toSorted(([a], [b]) => a - b));
  console.log(`${seen.requests} requests, ${acknowledgements.size} events, statuses ${JSON.stringify(statuses)}`);
  expectNone(found);
  expect(seen.withoutResponse).toBe(0);
  expect(seen.requests).toBeGreaterThanOrEqual(mutations);
  await expectPromiseKept(database, acknowledgements);
  for (const kind of ["purchase", "swipe", "ride", "steps", "album", "review"]) {
    expect(acknowledgements.kinds[kind]).toBeGreaterThan(mutations / 100);
  }
  expect(pids()).toEqual(before);
}, 240_000);

/** Album ids made from a key: a mutated one is unknown, so that the gateway does not wait for it. */
async function postAlbums(): Promise<readonly [string, ...string[]]> {
  const connection = new RawConnection(system.url);
  const post = async (n: number): Promise<string> => {
    const response = await connection.post("/albums", albumForm(n), [formType, `Idempotency-Key: seed-${n}`]);
    const id = response.headers.get("tally-event-id");
    if (id === undefined) throw new Error(`an album of the set-up got ${response.status}`);
    acknowledgements.add({ id, by: `album ${n} of the set-up`, content: album(n) });
    return id;
  };
  const albums = [await post(1), await post(2), await post(3)] as const;
  connection.destroy();
  await expectAllStored(database, acknowledgements);
  return [...albums];
}
