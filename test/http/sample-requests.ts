import { field, file, formOf, formType, picture, type Part } from "./form.ts";
import { created, json, ok, post, stores, type HttpCase, type Rare } from "./http-case.ts";
import type { ContentOf } from "./stored-content.ts";
import { fingerprint } from "./stored-rows.ts";

/** The path of a sale in store `n`. */
export const salePath = (n: number): string => `/purchase/${n}/customer/1/date/20261120`;

export const saleBody = '{"items":[{"ItemID":"85571","numberOfItems":3}]}';
/** The same sale with a quantity of 4. */
export const saleOf4 = saleBody.replace(":3", ":4");

/** What `saleBody` in store `n` stores. */
export const sale = (n: number, more: Partial<ContentOf<"purchase">> = {}): ContentOf<"purchase"> => ({
  kind: "purchase",
  store: n,
  customer: 1,
  date: "20261120",
  items: [[85571, 3]],
  ...more,
});

export const postSale = (n: number, headers: readonly string[] = [json]): Buffer =>
  post(salePath(n), saleBody, headers);

/** A case whose requests are all the sale of `saleBody` in store `n`. */
export const sells = (name: string, send: HttpCase["send"], count = 1, rare: Rare = {}): HttpCase => {
  const times = <T>(one: T): readonly T[] => Array.from({ length: count }, () => one);
  return stores(name, send, times(created), (n) => times(sale(n)), rare);
};

/** An entry of a bulk request, as JSON; `more` are further fields, with a comma in front. */
export const entry = (n: number, more = ""): string =>
  `{"storeID":${n},"custID":1,"date":"20261120","items":[{"ItemID":"85571","numberOfItems":3}]${more}}`;

/** A response to a bulk request by its counts. */
export const bulkOk = (status: number, accepted: number, rejected = 0, more = ""): ReturnType<typeof ok> =>
  ok(status, new RegExp(`"accepted":${accepted},"refused":${rejected},.*${more}`));

export const swipeBody = (n: number, comment = "hello"): string =>
  JSON.stringify({ swiper: String(n), swipee: "2", comment });

export const swipe = (n: number, more: Partial<ContentOf<"swipe">> = {}): ContentOf<"swipe"> => ({
  kind: "swipe",
  swiper: n,
  swipee: 2,
  liked: false,
  comment: "hello",
  ...more,
});

export const rideBody = (n: number): string =>
  `{"resortID":"silverMt","dayID":"1","skierID":"${n}","time":"408","liftID":"27"}`;

export const ride = (n: number, more: Partial<ContentOf<"ride">> = {}): ContentOf<"ride"> => ({
  kind: "ride",
  resort: "silverMt",
  season: 0,
  day: 1,
  skier: n,
  minute: 408,
  lift: 27,
  ...more,
});

export const stepsPath = (n: number): string => `/steps/${n}/3/14/250`;

export const steps = (n: number, more: Partial<ContentOf<"steps">> = {}): ContentOf<"steps"> => ({
  kind: "steps",
  user: n,
  day: 3,
  hour: 14,
  steps: 250,
  ...more,
});
export const stepsAccepted = ok(200, "accepted");

export const image = picture("png", 67);
export const cover = file("image", image);
export const profile = (n: number): string => JSON.stringify({ artist: "A", title: `T${n}`, year: "2000" });

export const album = (n: number, more: Partial<ContentOf<"album">> = {}): ContentOf<"album"> => ({
  kind: "album",
  artist: "A",
  title: `T${n}`,
  year: "2000",
  image: fingerprint(image),
  ...more,
});
export const albumCreated = {
  ...ok(200, /^\{"albumID":"[0-9a-f-]{36}(\.[0-9a-z]+)?","imageSize":"\d+"\}$/),
  headers: { "content-type": /^application\/json; charset=utf-8$/ },
};

export const albumForm = (n: number): Buffer => formOf([cover, field("profile", profile(n))]);

export const postForm = (parts: readonly Part[], headers: readonly string[] = [formType]): Buffer =>
  post("/albums", formOf(parts), headers);
