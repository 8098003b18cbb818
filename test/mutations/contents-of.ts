import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { headerOf, type RequestModel } from "./request-model.ts";
import type { StoredContent } from "../http/stored-content.ts";
import { fingerprint } from "../http/stored-rows.ts";

/** The content of each event of a request, by its place; undefined where it cannot be read. */
export type Contents = readonly (StoredContent | undefined)[];

const bases: readonly (readonly string[])[] = [["shop_war"], ["api", "v1"], []];

/**
 * What a POST asks to store, read without any of the product's code. It is lenient: the product decides whether a request is acceptable, and
 * the row of an accepted one must hold what is read here.
 */
export function contentsOf(model: RequestModel): Contents {
  try {
    const path = model.target.split(/[?#]/, 1).join();
    const all = path
      .split("/")
      .filter((segment) => segment !== "")
      .map(decodeURIComponent);
    const base = bases.find((words) => words.every((word, index) => all[index] === word)) ?? [];
    return ofRoute(all.slice(base.length), model, base.length > 0);
  } catch {
    return [];
  }
}

function ofRoute(segments: readonly string[], model: RequestModel, isBelowBase: boolean): Contents {
  const [first = "", second = "", third = "", fourth = "", fifth = "", sixth = "", , eighth = ""] = segments;
  switch (`${first}/${segments.length}`) {
    case "purchase/6":
      return [purchase(second, fourth, sixth, fields(json(model))["items"])];
    case "purchases/1":
      return entriesOf(model).map((read) => entry(read));
    case "swipe/2":
      return [swipe(second, fields(json(model)))];
    case "skiers/2":
      return [ride({ season: 0, ...fields(json(model)) })];
    case "skiers/8":
      return [ride({ ...fields(json(model)), resortID: second, season: fourth, dayID: sixth, skierID: eighth })];
    case "albums/1":
      return [album(model)];
    case "review/3":
      return [{ kind: "review", album: third.toLowerCase().split(".", 1).join(), liked: second === "like" }];
    default: {
      if (first === "steps" && segments.length === 5) return [steps(second, third, fourth, fifth)];
      if (isBelowBase && segments.length === 4) return [steps(first, second, third, fourth)];
      return [];
    }
  }
}

function steps(user: string, day: string, hour: string, count: string): StoredContent {
  return { kind: "steps", user: whole(user), day: whole(day), hour: whole(hour), steps: whole(count) };
}

type Fields = Readonly<Record<string, unknown>>;

function entry(read: () => unknown): StoredContent | undefined {
  try {
    const { storeID, custID, date, items } = fields(read());
    return purchase(storeID, custID, date, items);
  } catch {
    return undefined;
  }
}

function purchase(store: unknown, customer: unknown, date: unknown, items: unknown): StoredContent {
  if (!Array.isArray(items)) throw new TypeError("no items");
  return {
    kind: "purchase",
    store: whole(store),
    customer: whole(customer),
    date: String(date),
    items: items.map((item) => {
      const { ItemID, numberOfItems, "numberOfItems:": withColon } = fields(item);
      return [whole(ItemID), whole(numberOfItems ?? withColon)] as const;
    }),
  };
}

function swipe(direction: string, { swiper, swipee, comment }: Fields): StoredContent {
  return {
    kind: "swipe",
    swiper: whole(swiper),
    swipee: whole(swipee),
    liked: direction === "right",
    comment: typeof comment === "string" ? comment : "",
  };
}

function ride({ resortID, season, dayID, skierID, time, liftID }: Fields): StoredContent {
  return {
    kind: "ride",
    resort: String(resortID),
    season: whole(season),
    day: whole(dayID),
    skier: whole(skierID),
    minute: whole(time),
    lift: whole(liftID),
  };
}

function album(model: RequestModel): StoredContent {
  // White space within the parameter's name is read over.
  const type = (headerOf(model, "content-type") ?? "").replaceAll(/\s/g, "");
  const [, boundary] = /;boundary="?([^";]+)"?/i.exec(type) ?? [];
  if (boundary === undefined) throw new TypeError("no boundary");
  const parts = new Map<string, Buffer>();
  for (const part of bodyOf(model).toString("latin1").split(`--${boundary}`).slice(1)) {
    const headEnd = part.indexOf("\r\n\r\n");
    const name = /\bname="([^"]*)"/.exec(part.slice(0, Math.max(headEnd, 0)))?.[1];
    if (headEnd >= 0 && name !== undefined) parts.set(name, Buffer.from(part.slice(headEnd + 4, -2), "latin1"));
  }
  const text = parts.get("profile");
  const image = parts.get("image");
  if (text === undefined || image === undefined) throw new TypeError("no form");
  const { artist, title, year } = fields(JSON.parse(text.toString(isUtf8(text) ? "utf8" : "latin1")));
  return { kind: "album", artist: String(artist), title: String(title), year: String(year), image: fingerprint(image) };
}

function entriesOf(model: RequestModel): readonly (() => unknown)[] {
  if (!/ndjson|jsonl/i.test(headerOf(model, "content-type") ?? "")) {
    return entryTexts(bodyOf(model).toString("latin1")).map((text) => () => parse(Buffer.from(text, "latin1")));
  }
  const lines = bodyOf(model).toString("latin1").split("\n");
  return lines.filter((line) => /[^ \t\r]/.test(line)).map((line) => () => parse(Buffer.from(line, "latin1")));
}

/** The texts between the outermost brackets and commas of a list: an entry that is no JSON concerns that entry only. */
function entryTexts(list: string): readonly string[] {
  const texts: string[] = [];
  let [depth, start, isText] = [0, 0, false];
  for (let at = 0; at < list.length; at++) {
    const sign = list[at] ?? "";
    if (isText && sign === "\\") at++;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if ((sign === "," && depth === 1) || (/[\]}]/.test(sign) && --depth === 0)) {
      texts.push(list.slice(start, at));
      start = at + 1;
    } else if (/[[{]/.test(sign) && depth++ === 0) start = at + 1;
  }
  return texts;
}

const json = (model: RequestModel): unknown => parse(bodyOf(model));

function parse(bytes: Buffer): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}

function bodyOf(model: RequestModel): Buffer {
  const body = model.body ?? Buffer.alloc(0);
  switch (headerOf(model, "content-encoding")?.toLowerCase()) {
    case "gzip":
      return gunzipSync(body);
    case "br":
      return brotliDecompressSync(body);
    case "zstd":
      return zstdDecompressSync(body);
    case undefined:
    default:
      return body;
  }
}

function fields(value: unknown): Fields {
  if (typeof value !== "object" || value === null) throw new TypeError("no object");
  return { ...value };
}

function whole(value: unknown): number {
  if (typeof value !== "number" && typeof value !== "string") throw new TypeError("no number");
  // -0 is stored as 0.
  return Number(value) + 0;
}
