import { formOf, field, file, formType, picture } from "../form.ts";
import { post, json } from "./hostile-case.ts";
import type { ContentOf } from "./stored-content.ts";
import { fingerprint } from "./stored-rows.ts";

/** The path of a sale in the store `n`. */
export const salePath = (n: number): string => `/purchase/${n}/customer/1/date/20261120`;

export const saleBody = '{"items":[{"ItemID":"85571","numberOfItems":3}]}';

/** What `saleBody` in the store `n` stores. */
export const sale = (n: number): ContentOf<"purchase"> => ({
  kind: "purchase",
  store: n,
  customer: 1,
  date: "20261120",
  items: [[85571, 3]],
});

export const postSale = (n: number, headers: readonly string[] = [json]): Buffer =>
  post(salePath(n), saleBody, headers);

/** An entry of a bulk request, as JSON. */
export const entry = (n: number, more = ""): string =>
  `{"storeID":${n},"custID":1,"date":"20261120","items":[{"ItemID":"85571","numberOfItems":3}]${more}}`;

export const swipeBody = (n: number, comment = "hello"): string =>
  JSON.stringify({ swiper: String(n), swipee: "2", comment });

export const swipe = (n: number, comment = "hello", liked = false): ContentOf<"swipe"> => ({
  kind: "swipe",
  swiper: n,
  swipee: 2,
  liked,
  comment,
});

export const rideBody = (n: number): string =>
  `{"resortID":"silverMt","dayID":"1","skierID":"${n}","time":"408","liftID":"27"}`;

export const ride = (n: number, resort = "silverMt", season = 0): ContentOf<"ride"> => ({
  kind: "ride",
  resort,
  season,
  day: 1,
  skier: n,
  minute: 408,
  lift: 27,
});

export const stepsPath = (n: number): string => `/steps/${n}/3/14/250`;

export const steps = (n: number): ContentOf<"steps"> => ({ kind: "steps", user: n, day: 3, hour: 14, steps: 250 });

export const image = picture("png", 67);
export const profile = (n: number): string => JSON.stringify({ artist: "A", title: `T${n}`, year: "2000" });

export const album = (n: number, bytes: Buffer = image): ContentOf<"album"> => ({
  kind: "album",
  artist: "A",
  title: `T${n}`,
  year: "2000",
  image: fingerprint(bytes),
});

export const albumForm = (n: number): Buffer => formOf([file("image", image), field("profile", profile(n))]);

export const postAlbum = (n: number, headers: readonly string[] = [formType]): Buffer =>
  post("/albums", albumForm(n), headers);
