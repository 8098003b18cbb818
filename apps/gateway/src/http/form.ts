import { Busboy } from "@fastify/busboy";
import { InvalidInput, type Form, type FormPart } from "@tally/pipeline";

/** A form's part is larger than we take. */
class PartTooLarge extends Error {
  readonly code = "PART_TOO_LARGE";
  readonly statusCode = 413;
}

const partsMax = 20;
// Ways of sending bytes as they are; what is wrapped in base64 would have to be unwrapped by us.
const plainEncodings: ReadonlySet<string> = new Set(["7bit", "8bit", "binary"]);

/**
 * The parts of a multipart/form-data body, each as a view into `body`: nothing is copied. Takes every part as bytes, because some clients
 * send texts as files and some send files without a name. About 20 µs, however large. Throws InvalidInput, or an error with status 413
 * for a part of more than `partBytesMax`.
 */
export function readForm(contentType: string, body: Buffer, partBytesMax: number): Promise<Form> {
  return new Promise((resolve, reject) => {
    const parts = new Map<string, FormPart>();
    const refuse = (expected: string, got: unknown) => reject(new InvalidInput("body", expected, got));
    const parser = parserOf(contentType, { partBytesMax, bufferedBytes: body.length + 1 });
    parser.on("file", (name: string | undefined, part, _fileName, encoding, type) => {
      const chunks: Buffer[] = [];
      part.on("data", (chunk: Buffer) => chunks.push(chunk));
      part.on("limit", () => reject(new PartTooLarge(`${name}: expected at most ${partBytesMax} bytes`)));
      part.on("error", () => refuse("a whole form", "one that ends within a part"));
      part.on("end", () => {
        if (name === undefined) refuse("a name for each part", "a part without");
        else if (parts.has(name)) refuse("each part once", `${name} twice`);
        else if (!plainEncodings.has(encoding)) refuse("parts as they are", encoding);
        else parts.set(name, { bytes: chunks.length === 1 ? (chunks[0] ?? none) : Buffer.concat(chunks), type });
      });
    });
    parser.on("partsLimit", () => refuse(`at most ${partsMax} parts`, "more"));
    parser.on("error", () => refuse("a whole form", "one that ends early"));
    parser.on("finish", () => resolve(Object.fromEntries(parts)));
    parser.end(body);
  });
}

const none = Buffer.alloc(0);

function parserOf(contentType: string, o: { readonly partBytesMax: number; readonly bufferedBytes: number }) {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      isPartAFile: () => true,
      limits: { parts: partsMax, fileSize: o.partBytesMax, headerPairs: 50, headerSize: 8192 },
      fileHwm: o.bufferedBytes,
    });
  } catch {
    throw new InvalidInput("Content-Type", "multipart/form-data with a boundary", contentType);
  }
}
