import { Type, type Static } from "typebox";

export const ImageType = Type.Enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export type ImageType = Static<typeof ImageType>;

export const expectedImage = "a PNG, JPEG, GIF or WebP picture";

/** By the first bytes, not by the client's Content-Type. PNG: ISO 15948, 5.2. JPEG: ISO 10918-1, B.1.1.3. GIF: GIF89a,
 * 17. WebP: RFC 9649, 2.4. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  const starts = (text: string, at = 0): boolean => bytes.toString("latin1", at, at + text.length) === text;
  if (starts("\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts("\xff\xd8\xff")) return "image/jpeg";
  if (starts("GIF87a") || starts("GIF89a")) return "image/gif";
  if (starts("RIFF") && starts("WEBP", 8)) return "image/webp";
  return undefined;
}

/** As the header declares it, in pixels. */
export type ImageSize = Readonly<Record<"width" | "height", number>>;

/** Limits for a side and for the whole image: a decoder needs 4 bytes per pixel, for a file of any size. */
export const sidePixelsMax = 8192;
export const pixelsMax = 40_000_000;

// A segment holds up to 64 KiB, so real images have some hundred before the frame header. 10,000 take 1 ms.
const markersMax = 10_000;

export function isTooLarge({ width, height }: ImageSize): boolean {
  return width > sidePixelsMax || height > sidePixelsMax || width * height > pixelsMax;
}

/** undefined if no decoder would find one. "hidden": a JPEG or GIF with more markers before its first frame than any
 * camera or editor writes; to read all of them could take 0.5 s. PNG: ISO 15948, 11.2.2. JPEG: ISO 10918-1, B.2.2.
 * GIF: GIF89a, 18 to 20. WebP: RFC 9649, 2.5 to 2.7. */
export function imageSizeOf(type: ImageType, bytes: Buffer): ImageSize | "hidden" | undefined {
  switch (type) {
    case "image/png":
      return has(bytes, 12, "IHDR", 24) ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
    case "image/gif":
      return bytes.length >= 10 ? sizeOfGif(bytes) : undefined;
    case "image/webp":
      return sizeOfWebp(bytes);
    case "image/jpeg":
      return sizeOfJpeg(bytes);
  }
}

/** The screen, or more: some decoders enlarge it for the first frame. */
function sizeOfGif(bytes: Buffer): ImageSize | "hidden" {
  const [width, height, flags] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8), bytes[10] ?? 0];
  let at = flags < 0x80 ? 13 : 13 + 3 * 2 ** (1 + (flags & 7));
  for (let markers = 0; bytes[at] === 0x21;) {
    at += 2;
    // An empty part ends an extension.
    for (let size = 1; size > 0; at += 1 + size) {
      if (++markers > markersMax) return "hidden";
      size = bytes[at] ?? 0;
    }
  }
  if (bytes[at] !== 0x2c || at + 9 > bytes.length) return { width, height };
  const [left = 0, top = 0, w = 0, h = 0] = [1, 3, 5, 7].map((field) => bytes.readUInt16LE(at + field));
  return { width: Math.max(width, left + w), height: Math.max(height, top + h) };
}

function sizeOfWebp(bytes: Buffer): ImageSize | undefined {
  if (has(bytes, 12, "VP8X", 30)) return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  // 14 bits each; the upper two are the scaling.
  if (has(bytes, 12, "VP8 ", 30) && has(bytes, 23, "\x9d\x01\x2a", 30))
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (has(bytes, 12, "VP8L", 25) && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return undefined;
}

function sizeOfJpeg(bytes: Buffer): ImageSize | "hidden" | undefined {
  let at = 2;
  for (let markers = 0; markers < markersMax; markers++) {
    // Bytes between two segments are skipped, as decoders do.
    at = bytes.indexOf(0xff, at);
    if (at < 0 || at + 9 > bytes.length) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (isFrameHeader(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += hasLength(marker) ? 2 + Math.max(2, bytes.readUInt16BE(at + 2)) : 1;
  }
  return "hidden";
}

// SOF0 to SOF15 without DHT, JPG and DAC, whose codes are in the same range.
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

// Not for a code that is no marker, a fill byte, TEM, RST0 to RST7, SOI and EOI.
function hasLength(marker: number): boolean {
  return marker >= 0xc0 && marker !== 0xff && !(marker >= 0xd0 && marker <= 0xd9);
}

function has(bytes: Buffer, at: number, text: string, lengthMin: number): boolean {
  return bytes.length >= lengthMin && bytes.toString("latin1", at, at + text.length) === text;
}
