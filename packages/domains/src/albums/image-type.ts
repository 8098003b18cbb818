import { Type, type Static } from "typebox";

/** The accepted types of images. */
export const ImageType = Type.Union([
  Type.Literal("image/png"),
  Type.Literal("image/jpeg"),
  Type.Literal("image/gif"),
  Type.Literal("image/webp"),
]);
export type ImageType = Static<typeof ImageType>;
export const imageTypes: readonly ImageType[] = ImageType.anyOf.map((literal) => literal.const);

export const expectedImage = "a PNG, JPEG, GIF or WebP picture";

/**
 * The type by the first bytes; the client's Content-Type does not count. undefined: none of these types. PNG: ISO 15948, 5.2. JPEG:
 * ISO 10918-1, B.1.1.3. GIF: GIF89a, 17. WebP: RFC 9649, 2.4.
 */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  const starts = (text: string, at = 0): boolean => bytes.toString("latin1", at, at + text.length) === text;
  if (starts("\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts("\xff\xd8\xff")) return "image/jpeg";
  if (starts("GIF87a") || starts("GIF89a")) return "image/gif";
  if (starts("RIFF") && starts("WEBP", 8)) return "image/webp";
  return undefined;
}
