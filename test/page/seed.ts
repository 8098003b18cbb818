import type { System } from "@tally/local";
import { field, file, formOf, formType } from "../http/requests.ts";

/** A PNG of one pixel, which browsers show. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Today in this process's time zone, as yyyymmdd: what the page calls today, where the browser runs on the same
 * machine. */
function today(): string {
  const date = new Date();
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("");
}

/** Sends one event of each kind often enough that every board has entries: 12 stores, 10 items, skiers, users and
 * albums. */
export async function seed({ url }: Pick<System, "url">): Promise<void> {
  const ids = Array.from({ length: 12 }, (_, index) => index + 1);
  await bulk(
    url,
    ids.flatMap((store) => ids.map((item) => saleOf(store, 80_000 + item * 571, 1 + ((item * store * 7) % 23)))),
  );
  const earlier = ids.flatMap((store) => ids.map((item) => saleOf(store, 80_000 + item * 571, (item * 11) % 29 || 1)));
  await bulk(
    url,
    earlier.map(({ storeID, custID, items }) => ({ storeID, custID, items, date: "20261101" })),
  );
  for (const id of ids) {
    await post(url, "/skiers/liftrides", {
      json: { resortID: "silverMt", dayID: 1, skierID: 1000 + id, time: 60 + id, liftID: 10 + ((id * 7) % 29) },
    });
    await post(url, `/steps/${200 + id}/1/9/${400 + ((id * 317) % 4000)}`);
    for (const swiper of ids.slice(0, 1 + ((id * 5) % 11))) {
      await post(url, "/swipe/right", { json: { swiper: String(swiper), swipee: String(3000 + id) } });
    }
  }
  for (const id of ids.slice(0, 8)) {
    const profile = field("profile", JSON.stringify({ artist: `Artist ${id}`, title: `Title ${id}`, year: "2026" }));
    const body = formOf([file("image", pixel), profile]);
    const { albumID } = JSON.parse(await (await post(url, "/albums", { body, type: formType })).text());
    for (const like of ids.slice(0, 9 - id)) await post(url, `/review/${like > 6 ? "dislike" : "like"}/${albumID}`);
  }
}

export interface Sale {
  readonly storeID: number;
  readonly custID: number;
  readonly date: string;
  readonly items: readonly { readonly ItemID: number; readonly numberOfItems: number }[];
}

/** A sale of today. */
export function saleOf(storeID: number, item: number, numberOfItems: number): Sale {
  return { storeID, custID: storeID * 1000 + (item % 97), date: today(), items: [{ ItemID: item, numberOfItems }] };
}

/** Sends up to 1,000 sales. */
export async function bulk(url: string, sales: readonly Sale[]): Promise<void> {
  await post(url, "/purchases", { json: sales });
}

interface Body {
  readonly json?: unknown;
  readonly body?: Buffer;
  readonly type?: string;
}

async function post(url: string, path: string, { json, body, type }: Body = {}): Promise<Response> {
  const [, contentType = "application/json"] = type?.split(": ") ?? [];
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": contentType },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(body !== undefined && { body: new Uint8Array(body) }),
  });
  if (!response.ok) throw new Error(`POST ${path} got ${response.status}: ${await response.text()}`);
  return response;
}
