import type { System } from "@tally/local";
import { utcDayOf } from "@tally/contract";
import { field, file } from "../http/requests.ts";
import { postJson, sendForm } from "../kit/sales.ts";

/** A PNG of one pixel, which browsers show. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A name of almost the longest length. */
export const longName = "Oat drink ".repeat(10).trim();

/** Sends one event of each kind often enough that every board has entries: 12 stores, 10 items, skiers, users and
 * albums. A store and an item have names. */
export async function seed({ url }: Pick<System, "url">): Promise<void> {
  const ids = Array.from({ length: 12 }, (_, index) => index + 1);
  const sales = ids.flatMap((store) =>
    ids.map((n) => saleOf(store, 80_000 + n * 571, 1 + ((n * store * 7) % 23), "2.5")),
  );
  const send = (path: string, body?: object, method = "POST") => good(postJson(url + path, body, {}, method));
  await bulk(url, sales);
  await send("/stores/7", { zone: "UTC", name: "Berlin Mitte", region: "East", currency: "EUR" }, "PUT");
  await send("/items/83997", { name: longName, category: "Drinks" }, "PUT");
  for (const id of ids) {
    const ride = { resortID: "silverMt", dayID: 1, skierID: 1000 + id, time: 60 + id, liftID: 10 + ((id * 7) % 29) };
    await send("/skiers/liftrides", ride);
    await send(`/steps/${200 + id}/1/9/${400 + ((id * 317) % 4000)}`);
    for (const swiper of ids.slice(0, 1 + ((id * 5) % 11))) {
      await send("/swipe/right", { swiper: String(swiper), swipee: String(3000 + id) });
    }
  }
  for (const id of ids.slice(0, 8)) {
    const profile = field("profile", JSON.stringify({ artist: `Artist ${id}`, title: `Title ${id}`, year: "2026" }));
    const album = await good(sendForm(`${url}/albums`, [file("image", pixel), profile]));
    const { albumID } = JSON.parse(await album.text());
    for (const like of ids.slice(0, 9 - id)) await send(`/review/${like > 6 ? "dislike" : "like"}/${albumID}`);
  }
}

/** A sale of today, in a store that is not registered. */
export function saleOf(storeID: number, item: number, numberOfItems: number, unitPrice?: string) {
  const items = [{ ItemID: item, numberOfItems, unitPrice }];
  return { storeID, custID: storeID * 1000 + (item % 97), date: String(utcDayOf(Date.now())), items };
}

/** Sends up to 1,000 sales. */
export async function bulk(url: string, sales: readonly ReturnType<typeof saleOf>[]): Promise<void> {
  await good(postJson(`${url}/purchases`, sales));
}

/** Fails unless a request is served; returns its response. */
async function good(sent: Promise<Response>): Promise<Response> {
  const response = await sent;
  if (!response.ok) throw new Error(`${response.url} got ${response.status}: ${await response.text()}`);
  return response;
}
