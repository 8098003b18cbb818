import { changeBytes } from "./change-bytes.ts";
import { harmless, structural, weighted } from "./change-request.ts";
import type { Random } from "@tally/bench/kit";
import { bytesOf, type RequestModel } from "./request-model.ts";
import { validPost, validRequest, type World } from "./templates.ts";

/** The expected outcome of a request; "any": no 5xx and no protocol error. */
type Outcome = "accepted" | "any";

export interface Asked {
  readonly model: RequestModel;
  readonly outcome: Outcome;
}

/**
 * A mutated exchange.
 *
 *   kept   requests that end where they declare, on a shared connection, written together or each after the response to the one before
 *   own    bytes that may end anywhere, on a new connection whose sending side is closed behind them
 */
export type Mutation =
  | {
      readonly kind: "kept";
      readonly name: string;
      readonly requests: readonly Asked[];
      readonly together: boolean;
      readonly cuts: readonly number[];
    }
  | { readonly kind: "own"; readonly name: string; readonly bytes: Buffer };

const one = (name: string, model: RequestModel, outcome: Outcome, cuts: readonly number[] = []): Mutation => ({
  kind: "kept",
  name,
  requests: [{ model, outcome }],
  together: true,
  cuts,
});

type Make = (n: number, random: Random, world: World) => Mutation;

const valid: Make = (n, random, world) =>
  one("valid", random.pick(harmless)(validRequest(n, random, world), random), "accepted");

const changed: Make = (n, random, world) => one("changed", changedRequest(n, random, world), "any");

function changedRequest(n: number, random: Random, world: World): RequestModel {
  let model = validRequest(n, random, world);
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--) model = random.pick(structural)(model, random);
  return model;
}

/** A valid request in several writes. */
const slow: Make = (n, random, world) => {
  const model = validRequest(n, random, world);
  const { length } = bytesOf(model);
  const cuts = Array.from({ length: random.integer(1, 5) }, () => random.integer(1, length - 1));
  return one(
    "in several writes",
    model,
    "accepted",
    cuts.toSorted((a, b) => a - b),
  );
};

/** Several requests in one write, some of them changed. */
const pipelined: Make = (n, random, world) => ({
  kind: "kept",
  name: "pipelined",
  together: true,
  cuts: [],
  requests: Array.from({ length: random.integer(2, 6) }, (): Asked =>
    random.once(3)
      ? { model: changedRequest(n, random, world), outcome: "any" }
      : { model: validRequest(n, random, world), outcome: "accepted" },
  ),
});

/** A key: a first request and retries. */
const keyed: Make = (n, random, world) => {
  const withKey = (model: RequestModel): RequestModel => ({
    ...model,
    headers: [...model.headers, ["Idempotency-Key", `key-${n}`]],
  });
  const first = withKey(validPost(n, random, world));
  const requests: Asked[] = [
    { model: first, outcome: "accepted" },
    { model: random.pick(harmless)(first, random), outcome: "accepted" },
    { model: first, outcome: "accepted" },
  ];
  return { kind: "kept", name: "keyed", requests, together: false, cuts: [] };
};

const own =
  (name: string, bytesFor: (...args: Parameters<Make>) => Buffer): Make =>
  (...args) => ({ kind: "own", name, bytes: bytesFor(...args) });

/** Any byte of a whole request may change. */
const raw = own("raw bytes", (n, random, world) => changeBytes(bytesOf(validRequest(n, random, world)), random));

const head = own("bytes of the head", (n, random, world) => {
  const bytes = bytesOf(validRequest(n, random, world));
  const end = bytes.indexOf("\r\n\r\n");
  return Buffer.concat([changeBytes(bytes.subarray(0, end), random), bytes.subarray(end)]);
});

/** The body is longer or shorter than its Content-Length. */
const wrongLength = own("a wrong length", (n, random, world) => {
  const by = random.pick([-10, -3, -2, -1, 1, 2, 3, 100, 1_000_000_000]);
  const bytes = bytesOf(validPost(n, random, world)).toString("latin1");
  const changedLength = (_: string, length: string): string => `Content-Length: ${Math.max(0, Number(length) + by)}`;
  return Buffer.from(bytes.replace(/Content-Length: (\d+)/, changedLength), "latin1");
});

const cutOff = own("cut off", (n, random, world) => {
  const bytes = bytesOf(validRequest(n, random, world));
  return bytes.subarray(0, random.integer(1, bytes.length));
});

/** Valid requests followed by invalid bytes. */
const garbageBehind = own("garbage behind requests", (n, random, world) => {
  const requests = Array.from({ length: random.integer(1, 3) }, () => bytesOf(validRequest(n, random, world)));
  const garbage = changeBytes(Buffer.from("GET / HTTP/1.1\r\nHost: tally\r\n\r\n"), random);
  return Buffer.concat([...requests, garbage.subarray(random.integer(0, 3))]);
});

const makes = weighted<Make>(
  [3, valid],
  [11, changed],
  [1, slow],
  [1, pipelined],
  [1, keyed],
  [1, raw],
  [1, head],
  [1, wrongLength],
  [1, cutOff],
  [1, garbageBehind],
);

/** The nth mutated exchange of a seed. */
export function mutationOf(n: number, random: Random, world: World): Mutation {
  return random.pick(makes)(n, random, world);
}
