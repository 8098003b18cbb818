import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { changeBytes } from "./change-bytes.ts";
import type { Random } from "@tally/bench/kit";
import { nastyHeaders, nastyJson, nastySegments, queryNames } from "./nasty-values.ts";
import { headerOf, type RequestModel } from "./request-model.ts";

/** Changes a request without changing where it ends. */
export type Change = (model: RequestModel, random: Random) => RequestModel;

const withText = (model: RequestModel, change: (text: string) => string): RequestModel =>
  model.body === undefined ? model : { ...model, body: Buffer.from(change(model.body.toString("latin1")), "latin1") };

const bodyBytes: Change = (model, random) =>
  model.body === undefined
    ? { ...model, body: Buffer.of(random.integer(0, 255)) }
    : { ...model, body: changeBytes(model.body, random) };

const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?/g;

/** Replaces one string or number of a body. */
const jsonValue: Change = (model, random) =>
  withText(model, (text) => {
    const tokens = [...text.matchAll(token)];
    const chosen = tokens[random.integer(0, Math.max(0, tokens.length - 1))];
    if (chosen === undefined) return text;
    const value = Buffer.from(random.pick(nastyJson)).toString("latin1");
    return text.slice(0, chosen.index) + value + text.slice(chosen.index + chosen[0].length);
  });

/** Swaps two tokens of a body, or repeats one. */
const jsonTokens: Change = (model, random) =>
  withText(model, (text) => {
    const tokens = Array.from(text.matchAll(token), ({ index, 0: found }) => ({ index, found }));
    const any = () => tokens[random.integer(0, Math.max(0, tokens.length - 1))];
    const [one, two] = [any(), any()];
    if (one === undefined || two === undefined) return text;
    const end = one.index + one.found.length;
    return random.once(2)
      ? `${text.slice(0, one.index)}${two.found}${text.slice(end)}`
      : `${text.slice(0, end)},${one.found}:${two.found}${text.slice(end)}`;
  });

const segment: Change = (model, random) => {
  const [path = "", ...query] = model.target.split("?");
  const segments = path.split("/");
  const at = random.integer(1, Math.max(1, segments.length - 1));
  const value = random.pick(nastySegments);
  const changed = random.once(5)
    ? segments.toSpliced(at, 0, value)
    : segments.with(Math.min(at, segments.length - 1), value);
  return { ...model, target: [changed.join("/") || "/", ...query].join("?") };
};

const query: Change = (model, random) => {
  const name = random.pick(queryNames);
  const added = `${name}=${random.pick(nastySegments)}`;
  return { ...model, target: `${model.target}${model.target.includes("?") ? "&" : "?"}${added}` };
};

const slashes: Change = (model, random) => ({
  ...model,
  target: random.once(2) ? `${model.target}/` : model.target.replaceAll("/", random.pick(["//", "///", "/./"])),
});

const header: Change = (model, random) => {
  const added = nastyHeaders[random.integer(0, nastyHeaders.length - 1)] ?? ["X", "y"];
  return { ...model, headers: random.once(2) ? [...model.headers, added] : [added, ...model.headers] };
};

const headerTwice: Change = (model) => ({ ...model, headers: [...model.headers, ...model.headers.slice(0, 1)] });

const noHeaders: Change = (model) => ({ ...model, headers: [] });

const chunks: Change = (model, random) => ({
  ...model,
  chunkSizes: Array.from({ length: random.integer(1, 4) }, () => random.integer(1, random.pick([2, 20, 5000]))),
});

const compression: Change = (model, random) => {
  if (model.body === undefined || headerOf(model, "content-encoding") !== undefined) return model;
  const [encoding, compress] = random.pick<readonly [string, (bytes: Buffer) => Buffer]>([
    ["gzip", (bytes) => gzipSync(bytes, { level: 1 })],
    ["br", (bytes) => brotliCompressSync(bytes, { params: { 1: 1 } })],
    ["zstd", (bytes) => zstdCompressSync(bytes)],
  ]);
  return { ...model, headers: [...model.headers, ["Content-Encoding", encoding]], body: compress(model.body) };
};

const method: Change = (model, random) => ({
  ...model,
  method: random.pick(["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"]),
});

const longBody: Change = (model, random) => {
  const filler = Buffer.alloc(random.pick([100_000, 1_100_000]), random.pick([" ", "[", "0", '"', "\0"]));
  return { ...model, body: random.once(2) ? filler : Buffer.concat([filler, model.body ?? Buffer.alloc(0)]) };
};

/** Changes after which a valid request is still valid. */
export const harmless: readonly [Change, ...Change[]] = [
  chunks,
  compression,
  (model, random) => compression(chunks(model, random), random),
  (model) => ({ ...model, headers: [...model.headers, ["X-Forwarded-For", "1.2.3.4"]] }),
  (model) => ({ ...model, target: model.target.replace("/", "//") }),
  (model) => model,
];

/** Repeats each choice by its weight, so that an even pick is a weighted one. */
export function weighted<T>(...choices: readonly [Weighted<T>, ...Weighted<T>[]]): readonly [T, ...T[]] {
  const all = choices.flatMap(([weight, choice]) => Array.from({ length: weight }, () => choice));
  return [choices[0][1], ...all.slice(1)];
}
type Weighted<T> = readonly [weight: number, choice: T];

/** Changes that may do anything to the meaning of a request. */
export const structural = weighted<Change>(
  [3, bodyBytes],
  [4, jsonValue],
  [2, jsonTokens],
  [2, segment],
  [1, query],
  [1, slashes],
  [2, header],
  [1, headerTwice],
  [1, noHeaders],
  [1, chunks],
  [1, compression],
  [1, (model, random) => bodyBytes(compression(model, random), random)],
  [1, method],
  [1, (model, random) => (random.once(8) ? longBody(model, random) : jsonValue(model, random))],
);
