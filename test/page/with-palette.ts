import { inflateSync } from "node:zlib";
import { colorTypes, encodePng, signature } from "./png.ts";

const colorsMax = 256;

// Grounds and lines keep their exact colors.
const frequentColors = 64;
// Squared. Below it the eye sees one color.
const distanceMin = 300;

/**
 * A browser's screenshot with at most 256 colors: the most frequent ones, and for the others, at the edges of letters, the nearest of them.
 * A third of the bytes, and no difference that the eye sees. Takes RGB without alpha, as browsers write it.
 */
export function withPalette(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const color = pixels.readUIntBE(at, 3);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a).map(([color]) => color);
  const chosen = chosenOf(byCount);
  const indexes = new Map(byCount.map((color) => [color, nearest(color, chosen)]));
  const rows = Buffer.alloc(height * (1 + width));
  for (let pixel = 0; pixel < width * height; pixel++) {
    const row = Math.floor(pixel / width);
    rows[row + 1 + pixel] = indexes.get(pixels.readUIntBE(pixel * 3, 3)) ?? 0;
  }
  const palette = Buffer.alloc(chosen.length * 3);
  for (const [index, color] of chosen.entries()) palette.writeUIntBE(color, index * 3, 3);
  return encodePng({ width, height, colorType: colorTypes.palette, rows, palette });
}

/** The most frequent colors, then those that differ to the eye. By frequency alone the shades of gray letters would leave no place for a red word. */
function chosenOf(byCount: readonly number[]): readonly number[] {
  const chosen: number[] = [];
  for (const color of byCount) {
    if (chosen.length === colorsMax) break;
    if (chosen.length < frequentColors || chosen.every((other) => distance(color, other) >= distanceMin))
      chosen.push(color);
  }
  return chosen;
}

function nearest(color: number, chosen: readonly number[]): number {
  const distances = chosen.map((other) => distance(color, other));
  return distances.indexOf(Math.min(...distances));
}

function distance(a: number, b: number): number {
  return [16, 8, 0].reduce((sum, bits) => sum + (((a >> bits) & 255) - ((b >> bits) & 255)) ** 2, 0);
}

/** The bytes red, green and blue of each pixel. */
function decode(png: Buffer): { readonly width: number; readonly height: number; readonly pixels: Buffer } {
  const data: Buffer[] = [];
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  if (png[24] !== 8 || png[25] !== colorTypes.rgb) throw new TypeError("expected a PNG of 8 bits RGB");
  const filtered = inflateSync(Buffer.concat(data));
  const rowBytes = width * 3;
  const pixels = Buffer.alloc(rowBytes * height);
  for (let row = 0; row < height; row++) {
    const filter = filtered[row * (rowBytes + 1)] ?? 0;
    for (let column = 0; column < rowBytes; column++) {
      const at = row * rowBytes + column;
      const left = column < 3 ? 0 : (pixels[at - 3] ?? 0);
      const above = row === 0 ? 0 : (pixels[at - rowBytes] ?? 0);
      const corner = column < 3 || row === 0 ? 0 : (pixels[at - rowBytes - 3] ?? 0);
      pixels[at] = (filtered[row * (rowBytes + 1) + 1 + column] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return { width, height, pixels };
}

/** The filters of the PNG specification, section 9. */
function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter === 0) return 0;
  const estimate = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(estimate - value));
  if (toLeft === undefined || toAbove === undefined || toCorner === undefined) return 0;
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
