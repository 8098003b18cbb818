import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refusal } from "../errors/catalogue.ts";
import { refuse } from "../errors/refuse.ts";
import { preferredEncoding } from "../http/responses/compress-responses.ts";

interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  /** By Content-Encoding, the smallest first. */
  readonly compressed: ReadonlyMap<string, Buffer>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

// uPlot sets styles on its elements, which needs no 'unsafe-inline': they are set by script.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * GET / and GET /assets/{file}: the page, from memory. It holds no data, so it needs no key. `folder`: where it is built; read once, here. Without
 * the built page both are 404 with the command that builds it.
 */
export function addPageRoutes(app: FastifyInstance, folder: string): void {
  const files = readPage(folder);
  const config = { access: "open", documented: "page" } as const;
  app.get("/", { config }, (request, reply) => sendFile(request, reply, files?.get("index.html"), "no-cache"));
  // Their names contain a hash of their content.
  app.get<{ Params: { file: string } }>("/assets/:file", { config }, (request, reply) => {
    const file = files?.get(`assets/${request.params.file}`);
    if (files !== undefined && file === undefined) {
      const { method, url } = request;
      return refuse(reply, refusal("PATH_NOT_FOUND", { method, path: url.slice(0, 200) }));
    }
    return sendFile(request, reply, file, "public, max-age=31536000, immutable");
  });
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PageFile | undefined,
  cacheControl: string,
): FastifyReply {
  if (file === undefined) return refuse(reply, refusal("PAGE_NOT_BUILT"));
  const { type, etag, bytes, compressed } = file;
  reply.headers({
    etag,
    "cache-control": cacheControl,
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    vary: "accept-encoding",
  });
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  const encoding = preferredEncoding(request.headers["accept-encoding"], [...compressed.keys()]);
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.type(type).send(compressed.get(encoding ?? "") ?? bytes);
}

/** The files by their path; undefined: the page is not built. */
function readPage(folder: string): ReadonlyMap<string, PageFile> | undefined {
  let names: readonly string[];
  try {
    names = ["index.html", ...readdirSync(join(folder, "assets")).map((name) => `assets/${name}`)];
    return new Map(names.map((name) => [name, readPageFile(join(folder, name))]));
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return undefined;
    throw error;
  }
}

function readPageFile(path: string): PageFile {
  const bytes = readFileSync(path);
  return {
    type: types[extname(path)] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    bytes,
    // Once, with more effort than for a response that is sent once.
    compressed: new Map([
      ["br", brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })],
      ["gzip", gzipSync(bytes, { level: 9 })],
    ]),
  };
}
