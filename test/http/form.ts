/** A part of a form: its head lines and its bytes. */
export interface Part {
  readonly head: readonly string[];
  readonly bytes: Buffer | string;
}

const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
export const formType = `Content-Type: multipart/form-data; boundary=${boundary}`;

/** A file part. */
export const file = (name: string, bytes: Buffer | string, type = "image/png"): Part => ({
  head: [`Content-Disposition: form-data; name="${name}"; filename="nmtb.png"`, `Content-Type: ${type}`],
  bytes,
});

/** A text part. */
export const field = (name: string, text: string, ...more: readonly string[]): Part => ({
  head: [`Content-Disposition: form-data; name="${name}"`, ...more],
  bytes: text,
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
