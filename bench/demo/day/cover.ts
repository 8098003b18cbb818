import { crc32, deflateSync } from "node:zlib";

const side = 120;
const signature = Buffer.from("89504e470d0a1a0a", "hex");
// 8 bits for each of red, green and blue; no interlacing.
const colourType = Buffer.from([8, 2, 0, 0, 0]);

/** The cover of the nth album: rings of two colours, as a PNG of 120 × 120 pixels and a few KB. */
export function coverOf(number: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(side, 0);
  size.writeUInt32BE(side, 4);
  return Buffer.concat([
    signature,
    chunk("IHDR", Buffer.concat([size, colourType])),
    chunk("IDAT", deflateSync(pixels(number))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Rows of the image, each after a 0: no filter. */
function pixels(number: number): Buffer {
  const row = 1 + side * 3;
  const bytes = Buffer.alloc(row * side);
  const hue = (number * 137) % 360;
  const [light, dark] = [rgb(hue, 0.6), rgb((hue + 150) % 360, 0.35)];
  const width = 6 + ((number * 5) % 13);
  const [centreX, centreY] = [side * (0.2 + ((number * 3) % 7) / 10), side * (0.2 + ((number * 5) % 7) / 10)];
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const ring = Math.floor(Math.hypot(x - centreX, y - centreY) / width);
      bytes.set(ring % 2 === 0 ? light : dark, y * row + 1 + x * 3);
    }
  }
  return bytes;
}

const saturation = 0.65;

/** From hue (0 to 359) and lightness (0 to 1), as CSS defines them. */
function rgb(hue: number, lightness: number): readonly [number, number, number] {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const k = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** Length, type, content and checksum. */
function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.length, 0);
  numbers.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([numbers.subarray(0, 4), typed, numbers.subarray(4)]);
}
