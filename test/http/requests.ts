/* Requests byte for byte, and the events that tests send with them. */

/** Head lines and a body as they are; latin1, so that every byte can be written. */
export function raw(head: readonly string[], body: string | Buffer = ""): Buffer {
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(body)]);
}

export const json = "Content-Type: application/json";
export const ndjson = "Content-Type: application/x-ndjson";
export const keyed = (key: string): readonly string[] => [json, `Idempotency-Key: ${key}`];
/** The headers that a Java client of the course sends with every request. */
export const upgrade = [
  "Connection: Upgrade, HTTP2-Settings",
  "Upgrade: h2c",
  "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
];

/** A request without a body. */
export const request = (method: string, path: string, headers: readonly string[] = []): Buffer =>
  raw([`${method} ${path} HTTP/1.1`, "Host: tally", ...headers]);

export const get = (path: string, headers: readonly string[] = []): Buffer => request("GET", path, headers);

/** A POST with its length. */
export const post = (path: string, body: string | Buffer = "", headers?: readonly string[]): Buffer =>
  withBody("POST", path, body, headers);

/** A PUT with its length. */
export const put = (path: string, body: string, headers?: readonly string[]): Buffer =>
  withBody("PUT", path, body, headers);

function withBody(method: string, path: string, body: string | Buffer, headers: readonly string[] = [json]): Buffer {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return raw([`${method} ${path} HTTP/1.1`, "Host: tally", ...headers, length], body);
}

/** A POST whose body travels in the given chunks. */
export function chunked(path: string, chunks: readonly (string | Buffer)[]): Buffer {
  const parts = chunks.flatMap((chunk) => [`${Buffer.byteLength(chunk).toString(16)}\r\n`, chunk, "\r\n"]);
  const body = Buffer.concat([...parts, "0\r\n\r\n"].map((part) => Buffer.from(part)));
  return raw([`POST ${path} HTTP/1.1`, "Host: tally", json, "Transfer-Encoding: chunked"], body);
}

/** A part of a form: its head lines and its bytes. */
export interface Part {
  readonly head: readonly string[];
  readonly bytes: Buffer | string;
}

export const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
export const formMediaType = `multipart/form-data; boundary=${boundary}`;
export const formType = `Content-Type: ${formMediaType}`;

/** A file part. */
export const file = (name: string, bytes: Buffer | string, type = "image/png"): Part => ({
  head: [`Content-Disposition: form-data; name="${name}"; filename="nmtb.png"`, `Content-Type: ${type}`],
  bytes,
});

/** A text part. */
export const field = (name: string, bytes: Buffer | string, ...more: readonly string[]): Part => ({
  head: [`Content-Disposition: form-data; name="${name}"`, ...more],
  bytes,
});

/** The body of a form. */
export function formOf(parts: readonly Part[]): Buffer {
  const whole = parts.flatMap(({ head, bytes }) => [
    Buffer.from(`--${boundary}\r\n${head.join("\r\n")}\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...whole, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Bytes that begin like a picture of a type. */
export function picture(type: "png" | "jpeg" | "gif" | "webp", length: number): Buffer {
  // Each up to its size of 16 × 16 pixels.
  const starts = {
    png: "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10",
    jpeg: "\xff\xd8\xff\xc0\0\x11\x08\0\x10\0\x10",
    gif: "GIF89a\x10\0\x10\0",
    webp: "RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x10\0\x10\0",
  };
  const bytes = Buffer.alloc(length, "\r\n--- every \0 byte \xff counts", "latin1");
  bytes.write(starts[type], 0, "latin1");
  return bytes;
}

/** The path of a sale in store `n`. */
export const salePath = (n: number): string => `/purchase/${n}/customer/1/date/20261120`;
export const saleBody = '{"items":[{"ItemID":"85571","numberOfItems":3}]}';
export const postSale = (n: number, headers: readonly string[] = [json]): Buffer =>
  post(salePath(n), saleBody, headers);

/** An entry of a bulk request, as JSON; `more` are further fields, with a comma in front. */
export const entry = (n: number, more = ""): string =>
  `{"storeID":${n},"custID":1,"date":"20261120","items":[{"ItemID":"85571","numberOfItems":3}]${more}}`;

export const swipeBody = (n: number): string => JSON.stringify({ swiper: String(n), swipee: "2", comment: "hello" });
export const rideBody = (n: number): string =>
  `{"resortID":"silverMt","dayID":"1","skierID":"${n}","time":"408","liftID":"27"}`;
export const stepsPath = (n: number): string => `/steps/${n}/3/14/250`;

export const image = picture("png", 67);
export const cover = file("image", image);
export const profile = (n: number): string => JSON.stringify({ artist: "A", title: `T${n}`, year: "2000" });
export const albumForm = (n: number): Buffer => formOf([cover, field("profile", profile(n))]);
export const postForm = (parts: readonly Part[], headers: readonly string[] = [formType]): Buffer =>
  post("/albums", formOf(parts), headers);
