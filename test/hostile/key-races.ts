import { field, file, formOf, formType } from "../form.ts";
import { json, post } from "./hostile-case.ts";
import {
  album,
  entry,
  image,
  profile,
  sale,
  saleBody,
  salePath,
  steps,
  stepsPath,
  swipe,
  swipeBody,
} from "./sample-requests.ts";
import type { StoredContent } from "./stored-content.ts";

/** Requests under one key that differ in their content, one for each `turn`. */
export interface KeyRace {
  readonly name: string;
  readonly send: (n: number, turn: number) => Buffer;
  /** What the request stores where it is accepted. */
  readonly stores: (n: number, turn: number) => readonly StoredContent[];
}

const key = (n: number): string => `Idempotency-Key: race-${n}`;

export const keyRaces: readonly KeyRace[] = [
  {
    name: "sales",
    send: (n, turn) => post(salePath(n).replace("customer/1", `customer/${turn}`), saleBody, [json, key(n)]),
    stores: (n, turn) => [{ ...sale(n), customer: turn }],
  },
  {
    name: "many sales",
    send: (n, turn) => post("/purchases", `[${entry(n)},${entry(n).replace(":3", `:${turn + 1}`)}]`, [json, key(n)]),
    stores: (n, turn) => [sale(n), { ...sale(n), items: [[85571, turn + 1]] }],
  },
  {
    name: "entries with a key",
    send: (n, turn) => post("/purchases", `[${entry(n, `,"idempotencyKey":"e${n}"`).replace(":3", `:${turn + 1}`)}]`),
    stores: (n, turn) => [{ ...sale(n), items: [[85571, turn + 1]] }],
  },
  {
    name: "swipes",
    send: (n, turn) => post("/swipe/left", swipeBody(n, `turn ${turn}`), [json, key(n)]),
    stores: (n, turn) => [swipe(n, `turn ${turn}`)],
  },
  {
    name: "steps",
    send: (n, turn) => post(stepsPath(n).replace("250", String(250 + turn)), "", [key(n)]),
    stores: (n, turn) => [{ ...steps(n), steps: 250 + turn }],
  },
  {
    name: "albums",
    send: (n, turn) =>
      post("/albums", formOf([file("image", image), field("profile", profile(turn))]), [formType, key(n)]),
    stores: (_, turn) => [album(turn)],
  },
];
