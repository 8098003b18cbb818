import { field, formType } from "../http/form.ts";
import { keyed, post } from "../http/http-case.ts";
import {
  album,
  cover,
  entry,
  postForm,
  profile,
  sale,
  saleBody,
  salePath,
  steps,
  stepsPath,
  swipe,
  swipeBody,
} from "../http/sample-requests.ts";
import type { StoredContent } from "../http/stored-content.ts";

/** Requests under one key that differ in their content, one for each `turn`. */
export interface KeyRace {
  readonly name: string;
  readonly send: (n: number, turn: number) => Buffer;
  /** What the request stores where it is accepted. */
  readonly stores: (n: number, turn: number) => readonly StoredContent[];
}

const key = (n: number): readonly string[] => keyed(`race-${n}`);
const entryOf = (n: number, turn: number, more = ""): string => entry(n, more).replace(":3", `:${turn + 1}`);
const saleOf = (n: number, turn: number): StoredContent => sale(n, { items: [[85571, turn + 1]] });

export const keyRaces: readonly KeyRace[] = [
  {
    name: "sales",
    send: (n, turn) => post(salePath(n).replace("customer/1", `customer/${turn}`), saleBody, key(n)),
    stores: (n, turn) => [sale(n, { customer: turn })],
  },
  {
    name: "many sales",
    send: (n, turn) => post("/purchases", `[${entry(n)},${entryOf(n, turn)}]`, key(n)),
    stores: (n, turn) => [sale(n), saleOf(n, turn)],
  },
  {
    name: "entries with a key",
    send: (n, turn) => post("/purchases", `[${entryOf(n, turn, `,"idempotencyKey":"e${n}"`)}]`),
    stores: (n, turn) => [saleOf(n, turn)],
  },
  {
    name: "swipes",
    send: (n, turn) => post("/swipe/left", swipeBody(n, `turn ${turn}`), key(n)),
    stores: (n, turn) => [swipe(n, { comment: `turn ${turn}` })],
  },
  {
    name: "steps",
    send: (n, turn) => post(stepsPath(n).replace("250", String(250 + turn)), "", key(n)),
    stores: (n, turn) => [steps(n, { steps: 250 + turn })],
  },
  {
    name: "albums",
    send: (n, turn) => postForm([cover, field("profile", profile(turn))], [formType, `Idempotency-Key: race-${n}`]),
    stores: (_, turn) => [album(turn)],
  },
];
