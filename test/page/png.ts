import { crc32, deflateSync } from "node:zlib";

/** How the bytes of a row make pixels. */
export const colorTypes = { rgb: 2, palette: 3 } as const;

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colorType: number;
  /** Each row: a zero, for no filter, then 8 bits for each channel or index. */
  readonly rows: Buffer;
  /** Three bytes for each color. */
  readonly palette?: Buffer;
}

export const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

export function encodePng({ width, height, colorType, rows, palette }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colorType], 8);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    ...(palette === undefined ? [] : [chunk("PLTE", palette)]),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A small PNG that browsers show: diagonal stripes in a color from 0 to 359 degrees. */
export function stripes(hue: number, size = 96): Buffer {
  const rows = Buffer.alloc(size * (1 + size * 3));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const light = (x + y + hue) % 32 < 16 ? 0.62 : 0.38;
      const at = y * (1 + size * 3) + 1 + x * 3;
      for (const [index, shift] of [0, 240, 120].entries()) rows[at + index] = channel(hue + shift, light);
    }
  }
  return encodePng({ width: size, height: size, colorType: colorTypes.rgb, rows });
}

/** Of HSL with a saturation of one half. */
function channel(degrees: number, light: number): number {
  const position = Math.abs((((degrees % 360) + 360) % 360) / 60 - 3) - 1;
  const pure = Math.min(1, Math.max(0, position));
  return Math.round(255 * (light + (pure - 0.5) * 0.5 * (1 - Math.abs(2 * light - 1))));
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
