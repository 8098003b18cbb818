import { mixSeed, Random } from "@tally/bench/kit";
import { expect, test } from "vitest";
import { errorFaults, inLanes } from "./http/cases.ts";
import { RawConnection, type HttpResponse } from "./http/raw-connection.ts";
import { albumForm, formType } from "./http/requests.ts";
import { Acknowledgements, album, expectAllStored, expectNone, expectPromiseKept, idsOf } from "./http/stored.ts";
import { changeBytes, harmless, structural, weighted } from "./mutations/changes.ts";
import { contentsOf } from "./mutations/oracle.ts";
import { bytesOf, headerOf, validPost, validRequest, type RequestModel, type World } from "./mutations/requests.ts";
import { openDatabase, startSystem } from "./kit/system.ts";

/* Random mutations of valid requests. What is acknowledged must be stored as an oracle reads it from the request. */

const lanes = 32;
const mutations = Number(process.env["HOSTILE_MUTATIONS"] ?? 10_000);
// In the test's name, so that a failed run can be repeated.
const seed = Number(process.env["HOSTILE_SEED"] ?? 20_261_122);
const acknowledgements = new Acknowledgements();
const system = await startSystem({ BASE_PATHS: "/shop_war,api/v1/" });
const database = openDatabase(system);

/** Requests that end where they declare, on a kept-alive connection; or bytes that may end anywhere, on a new one. */
type Mutation =
  | { readonly name: string; readonly requests: readonly Asked[]; readonly isTogether?: true; readonly cutAt?: number }
  | { readonly name: string; readonly bytes: Buffer };

interface Asked {
  readonly model: RequestModel;
  /** A valid request: it must be accepted. */
  readonly isValid: boolean;
}

type Make = (n: number, random: Random, world: World) => Mutation;

const valid = (model: RequestModel): Asked => ({ model, isValid: true });
function changed(...[n, random, world]: Parameters<Make>): Asked {
  let model = validRequest(n, random, world);
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--) model = random.pick(structural)(model, random);
  return { model, isValid: false };
}

/** A key: a first request and retries. */
function keyed(...[n, random, world]: Parameters<Make>): readonly Asked[] {
  const model = validPost(n, random, world);
  const first: RequestModel = { ...model, headers: [...model.headers, ["Idempotency-Key", `key-${n}`]] };
  return [valid(first), valid(random.pick(harmless)(first, random)), valid(first)];
}

/** The body is longer or shorter than its Content-Length. */
const wrongLength: Make = (n, random, world) => {
  const by = random.pick([-10, -3, -1, 1, 3, 100, 1_000_000_000]);
  const longer = (_: string, length: string): string => `Content-Length: ${Math.max(0, Number(length) + by)}`;
  const bytes = bytesOf(validPost(n, random, world)).toString("latin1");
  return { name: "a wrong length", bytes: Buffer.from(bytes.replace(/Content-Length: (\d+)/, longer), "latin1") };
};

const makes = weighted<Make>(
  [11, (...given) => ({ name: "changed", requests: [changed(...given)] })],
  [
    3,
    (n, random, world) => {
      const model = random.pick(harmless)(validRequest(n, random, world), random);
      return { name: "valid", requests: [valid(model)] };
    },
  ],
  [
    1,
    (n, random, world) => {
      const model = validRequest(n, random, world);
      return { name: "in two writes", requests: [valid(model)], cutAt: random.integer(1, bytesOf(model).length - 1) };
    },
  ],
  [
    1,
    (n, random, world) => {
      const one = () => (random.once(3) ? changed(n, random, world) : valid(validRequest(n, random, world)));
      return { name: "pipelined", isTogether: true, requests: Array.from({ length: random.integer(2, 6) }, one) };
    },
  ],
  [1, (...given) => ({ name: "keyed", requests: keyed(...given) })],
  [1, wrongLength],
  [2, (n, random, world) => ({ name: "bytes", bytes: changeBytes(bytesOf(validRequest(n, random, world)), random) })],
  [
    1,
    (n, random, world) => {
      const bytes = bytesOf(validRequest(n, random, world));
      return { name: "cut off", bytes: bytes.subarray(0, random.integer(1, bytes.length)) };
    },
  ],
  [
    1,
    (n, random, world) => {
      const garbage = changeBytes(Buffer.from("GET / HTTP/1.1\r\nHost: tally\r\n\r\n"), random);
      return { name: "garbage behind", bytes: Buffer.concat([bytesOf(validRequest(n, random, world)), garbage]) };
    },
  ],
);

const accepted: ReadonlySet<number> = new Set([200, 201]);
const known: ReadonlySet<number> = new Set([200, 201, 207, 400, 404, 405, 406, 409, 411, 413, 414, 415, 417, 422, 431]);
const statuses: Record<number, number> = {};
let requests = 0;

const closes = ({ headers }: HttpResponse): boolean => headers.get("connection") === "close";

/** Sends mutations one after the other on one kept-alive connection; opens it again when the server has closed it. */
class Lane {
  #connection: RawConnection | undefined;

  /** Returns everything that is wrong with the responses, one text for each. */
  async run(mutation: Mutation, n: number): Promise<readonly string[]> {
    const by = `mutation ${n} (${mutation.name})`;
    const found: string[] = [];
    try {
      if ("bytes" in mutation) found.push(...(await sendAlone(mutation.bytes, by)));
      else
        for (const together of mutation.isTogether ? [mutation.requests] : mutation.requests.map((one) => [one]))
          found.push(...(await this.#exchange(together, mutation.cutAt ?? 0, by)));
    } catch (error) {
      this.end();
      found.push(String(error));
    }
    return found.map((fault) => `${by}: ${fault}`);
  }

  end(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  async #exchange(asked: readonly Asked[], cutAt: number, by: string): Promise<readonly string[]> {
    if (this.#connection?.closed !== false) this.#connection = new RawConnection(system.url, { withinMs: 20_000 });
    const connection = this.#connection;
    const bytes = Buffer.concat(asked.map(({ model }) => bytesOf(model)));
    await connection.write(bytes.subarray(0, cutAt));
    await connection.write(bytes.subarray(cutAt));
    requests += asked.length;
    const found: string[] = [];
    for (const [index, { model, isValid }] of asked.entries()) {
      const [response] = await connection.responses(1, () => model.method);
      const lost = `no response to ${asked.length - index} of ${asked.length}: ${connection.failed ?? "closed"}`;
      if (response === undefined) return [...found, lost];
      found.push(...judge(response, model, by));
      if (isValid && !accepted.has(response.status))
        found.push(`a valid request got ${response.status} ${response.body.slice(0, 200)}: ${describe(model)}`);
      if (!closes(response)) continue;
      // The server closes; nothing more may come.
      const rest = await connection.untilClosed();
      this.end();
      return rest.length === 0 ? found : [...found, `bytes behind the last response: ${shown(rest)}`];
    }
    return found;
  }
}

/** On a connection whose sending side is closed behind the bytes. What they mean is unknown: all 2xx must be stored. */
async function sendAlone(bytes: Buffer, by: string): Promise<readonly string[]> {
  const connection = new RawConnection(system.url, { withinMs: 20_000 });
  await connection.write(bytes);
  connection.endSending();
  await connection.untilClosed();
  const method = bytes.toString("latin1", 0, 5) === "HEAD " ? "HEAD" : "GET";
  const responses = await connection.responses(Infinity, () => method);
  requests++;
  return [
    ...(connection.leftOver === "" ? [] : [`half a response: ${connection.leftOver.slice(0, 300)}`]),
    ...(responses.length > 0 ? [] : [`no response: ${shown(bytes)}`]),
    ...responses.flatMap((response) => judge(response, undefined, by)),
  ];
}

function judge(response: HttpResponse, model: RequestModel | undefined, by: string): readonly string[] {
  const { status } = response;
  statuses[status] = (statuses[status] ?? 0) + 1;
  const contents = model === undefined ? [] : contentsOf(model);
  acknowledgements.record(response, by, contents);
  const isEvent = model?.method === "POST" && accepted.has(status);
  return [
    ...(known.has(status) || isOfForeignPage(response, model) ? [] : [`status ${status}: ${response.body}`]),
    ...(model?.method === "HEAD" ? [] : errorFaults(response)),
    ...(isEvent && idsOf(response).length === 0 ? ["a 2xx to a POST without an event"] : []),
    ...(isEvent && contents.includes(undefined) ? [`a 2xx for what holds no event: ${describe(model)}`] : []),
  ];
}

/** Without keys, a request that names a page of another site is rejected. */
function isOfForeignPage({ status, body }: HttpResponse, model: RequestModel | undefined): boolean {
  const isNamed = model === undefined || headerOf(model, "origin") !== undefined;
  return isNamed && status === 403 && body.includes("another site's page");
}

const shown = (bytes: Buffer): string => JSON.stringify(bytes.toString("latin1", 0, 600));
const describe = (model: RequestModel): string => shown(bytesOf(model));

/** Album ids made from a key: a mutated one is unknown, so that the gateway does not wait for it. */
async function postAlbums(): Promise<World> {
  const connection = new RawConnection(system.url);
  const post = async (n: number): Promise<string> => {
    const response = await connection.post("/albums", albumForm(n), [formType, `Idempotency-Key: seed-${n}`]);
    acknowledgements.record(response, "the set-up", [album(n)]);
    return response.headers.get("tally-event-id") ?? expect.fail(`an album got ${response.status}`);
  };
  const albums = [await post(1), await post(2), await post(3)] as const;
  connection.destroy();
  await expectAllStored(database, acknowledgements);
  return { albums: [...albums] };
}

test(`${mutations} mutated requests: no 5xx, no hang, each has a response, and what is acknowledged is stored as sent and nothing else (HOSTILE_SEED=${seed})`, async () => {
  const pids = () => [system.gateway.pid, system.writer.pid, system.ranker.pid];
  const [world, before] = [await postAlbums(), pids()];
  const running = Array.from({ length: lanes }, () => new Lane());
  const found: string[] = [];
  await inLanes(mutations, lanes, async (n, lane) => {
    const random = new Random(mixSeed(seed ^ mixSeed(n + 1)));
    const mutation = random.pick(makes)(2_000_000 + n, random, world);
    found.push(...((await running[lane]?.run(mutation, n)) ?? []));
  });
  for (const lane of running) lane.end();
  console.log(`${requests} requests, ${acknowledgements.ids.size} events, statuses ${JSON.stringify(statuses)}`);
  expectNone(found);
  expect(requests).toBeGreaterThanOrEqual(mutations);
  await expectPromiseKept(database, acknowledgements);
  for (const kind of ["purchase", "swipe", "ride", "steps", "album", "review"])
    expect([kind, acknowledgements.kinds[kind] ?? 0]).toEqual([kind, expect.toSatisfy((n) => n > mutations / 100)]);
  expect(pids()).toEqual(before);
}, 240_000);
