import { changeBytes } from "./change-bytes.ts";
import { harmless, structural } from "./change-request.ts";
import type { Random } from "@tally/lab";
import { bytesOf, type RequestModel } from "./request-model.ts";
import { validPost, validRequest, type World } from "./templates.ts";

/** What must come of a request; "any": no 5xx and nothing else that is wrong with every request. */
type Outcome = "accepted" | "any" | "reused";

export interface Asked {
  readonly model: RequestModel;
  readonly outcome: Outcome;
}

/**
 * A mutated exchange. kept: requests that end where they say, on a connection that others use too, written together or one after the other's
 * response. own: bytes that may end anywhere, on a connection of their own whose sending side is closed behind them.
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

/** A key: a first request, a retry, the same key with other content, the first again. */
const keyed: Make = (n, random, world) => {
  const withKey = (model: RequestModel): RequestModel => ({
    ...model,
    headers: [...model.headers, ["Idempotency-Key", `key-${n}`]],
  });
  const first = withKey(validPost(n, random, world));
  const requests: Asked[] = [
    { model: first, outcome: "accepted" },
    { model: random.pick(harmless)(first, random), outcome: "accepted" },
    { model: otherContent(first, random), outcome: "reused" },
    { model: first, outcome: "accepted" },
  ];
  return { kind: "kept", name: "keyed", requests, together: false, cuts: [] };
};

/** The same request with one digit changed: in the path of steps, else in the body. A ride names itself, so it has no other content. */
function otherContent(model: RequestModel, random: Random): RequestModel {
  if (/\/review\/|skiers/.test(model.target)) return model;
  if (model.target.includes("swipe")) {
    return {
      ...model,
      target: model.target.replace(/left|right/, (direction) => (direction === "left" ? "right" : "left")),
    };
  }
  if (model.target.includes("purchases"))
    return { ...model, body: Buffer.from(model.body?.toString().replaceAll('"custID":1,', '"custID":2,') ?? "") };
  if (model.target.includes("/purchase/"))
    return { ...model, target: model.target.replace(/customer\/\d+/, "customer/1000") };
  if (model.target.includes("albums"))
    return { ...model, body: Buffer.from((model.body?.toString("latin1") ?? "").replace('"A"', '"B"'), "latin1") };
  return { ...model, target: model.target.replace(/\d+$/, String(random.integer(5001, 9999))) };
}

/** Any byte of a whole request may change. */
const raw: Make = (n, random, world) => ({
  kind: "own",
  name: "raw bytes",
  bytes: changeBytes(bytesOf(validRequest(n, random, world)), random),
});

const head: Make = (n, random, world) => {
  const bytes = bytesOf(validRequest(n, random, world));
  const end = bytes.indexOf("\r\n\r\n");
  return {
    kind: "own",
    name: "bytes of the head",
    bytes: Buffer.concat([changeBytes(bytes.subarray(0, end), random), bytes.subarray(end)]),
  };
};

/** The body is longer or shorter than its Content-Length says. */
const wrongLength: Make = (n, random, world) => {
  const bytes = bytesOf(validPost(n, random, world)).toString("latin1");
  const by = random.pick([-10, -3, -2, -1, 1, 2, 3, 100, 1_000_000_000]);
  const changedLength = bytes.replace(
    /Content-Length: (\d+)/,
    (_, length: string) => `Content-Length: ${Math.max(0, Number(length) + by)}`,
  );
  return { kind: "own", name: "a wrong length", bytes: Buffer.from(changedLength, "latin1") };
};

const cutOff: Make = (n, random, world) => {
  const bytes = bytesOf(validRequest(n, random, world));
  return { kind: "own", name: "cut off", bytes: bytes.subarray(0, random.integer(1, bytes.length)) };
};

/** Valid requests, and behind them what is none. */
const garbageBehind: Make = (n, random, world) => {
  const requests = Array.from({ length: random.integer(1, 3) }, () => bytesOf(validRequest(n, random, world)));
  const garbage = changeBytes(Buffer.from("GET / HTTP/1.1\r\nHost: tally\r\n\r\n"), random).subarray(
    random.integer(0, 3),
  );
  return { kind: "own", name: "garbage behind requests", bytes: Buffer.concat([...requests, garbage]) };
};

const makes: readonly [Make, ...Make[]] = [
  valid,
  valid,
  valid,
  changed,
  changed,
  changed,
  changed,
  changed,
  changed,
  changed,
  changed,
  changed,
  changed,
  changed,
  slow,
  pipelined,
  keyed,
  raw,
  head,
  wrongLength,
  cutOff,
  garbageBehind,
];

/** The nth mutated exchange of a seed. */
export function mutationOf(n: number, random: Random, world: World): Mutation {
  return random.pick(makes)(n, random, world);
}
