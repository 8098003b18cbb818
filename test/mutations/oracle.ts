import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { fingerprint, type StoredContent } from "../http/stored.ts";
import { headerOf, type RequestModel } from "./requests.ts";

/** The content of each event of a request, by its place; undefined where it cannot be read. */
type Read = readonly (StoredContent | undefined)[];

const bases: readonly (readonly string[])[] = [["shop_war"], ["api", "v1"], []];

/**
 * What a POST asks to store, read without any of the product's code. It is lenient: the product decides whether a
 * request is acceptable, and the row of an accepted one must hold what is read here.
 */
export function contentsOf(model: RequestModel): Read {
  try {
    const path = model.target.split(/[?#]/, 1).join();
    const words = path.split("/").filter((segment) => segment !== "");
    const all = words.map(decodeURIComponent);
    const base = bases.find((own) => own.every((word, index) => all[index] === word)) ?? [];
    return ofRoute(all.slice(base.length), model, base.length > 0);
  } catch {
    return [];
  }
}

function ofRoute(segments: readonly string[], model: RequestModel, isBelowBase: boolean): Read {
  const [first = "", second = "", third = "", fourth = "", fifth = "", sixth = "", , eighth = ""] = segments;
  switch (`${first}/${segments.length}`) {
    case "purchase/6":
      return [purchase({ storeID: second, custID: fourth, date: sixth, items: fields(parse(bodyOf(model)))["items"] })];
    case "purchases/1":
      return entriesOf(model);
    case "swipe/2":
      return [swipe(second, fields(parse(bodyOf(model))))];
    case "skiers/2":
      return [ride({ season: 0, ...fields(parse(bodyOf(model))) })];
    case "skiers/8":
      return [
        ride({ ...fields(parse(bodyOf(model))), resortID: second, season: fourth, dayID: sixth, skierID: eighth }),
      ];
    case "albums/1":
      return [album(model)];
    case "review/3":
      return [{ kind: "review", album: third.toLowerCase().split(".", 1).join(), liked: second === "like" ? 1 : 0 }];
    default: {
      if (first === "steps" && segments.length === 5) return [steps(second, third, fourth, fifth)];
      return isBelowBase && segments.length === 4 ? [steps(first, second, third, fourth)] : [];
    }
  }
}

function steps(user: string, day: string, hour: string, count: string): StoredContent {
  return { kind: "steps", user: whole(user), day: whole(day), hour: whole(hour), steps: whole(count) };
}

type Fields = Readonly<Record<string, unknown>>;

function purchase({ storeID, custID, date, items }: Fields): StoredContent {
  if (!Array.isArray(items)) throw new TypeError("no items");
  const pairs = items.map((item) => {
    const { ItemID, numberOfItems, "numberOfItems:": withColon } = fields(item);
    return [whole(ItemID), whole(numberOfItems ?? withColon)] as const;
  });
  return { kind: "purchase", store: whole(storeID), customer: whole(custID), date: String(date), items: pairs };
}

function swipe(direction: string, { swiper, swipee, comment = "" }: Fields): StoredContent {
  const liked = direction === "right" ? 1 : 0;
  return { kind: "swipe", swiper: whole(swiper), swipee: whole(swipee), liked, comment: String(comment) };
}

function ride({ resortID, season, dayID, skierID, time, liftID }: Fields): StoredContent {
  const skier = skierID === undefined ? null : whole(skierID);
  const numbers = { season: whole(season), day: whole(dayID), minute: whole(time), lift: whole(liftID) };
  return { kind: "ride", resort: String(resortID), skier, ...numbers };
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
  const [text, image] = [parts.get("profile"), parts.get("image")];
  if (text === undefined || image === undefined) throw new TypeError("no form");
  const { artist, title, year } = fields(JSON.parse(text.toString(isUtf8(text) ? "utf8" : "latin1")));
  return { kind: "album", artist: String(artist), title: String(title), year: String(year), image: fingerprint(image) };
}

/** Entries that are no JSON concern their line only; of a list that is no JSON nothing can be read here. */
function entriesOf(model: RequestModel): Read {
  const body = bodyOf(model);
  if (!/ndjson|jsonl/i.test(headerOf(model, "content-type") ?? "")) {
    const list = parse(body);
    return Array.isArray(list) ? list.map((one) => readable(() => purchase(fields(one)))) : [];
  }
  const lines = body.toString("latin1").split("\n");
  return lines
    .filter((line) => /[^ \t\r]/.test(line))
    .map((line) => readable(() => purchase(fields(parse(Buffer.from(line, "latin1"))))));
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function parse(bytes: Buffer): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}

function bodyOf(model: RequestModel): Buffer {
  const body = model.body ?? Buffer.alloc(0);
  const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    gzip: gunzipSync,
    br: brotliDecompressSync,
    zstd: zstdDecompressSync,
  };
  return decoders[headerOf(model, "content-encoding")?.toLowerCase() ?? ""]?.(body) ?? body;
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
