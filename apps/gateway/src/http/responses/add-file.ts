import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyContextConfig, FastifyInstance } from "fastify";
import { preferredEncoding } from "./compress-responses.ts";

export interface FileOptions extends Pick<FastifyContextConfig, "documented"> {
  /** The Content-Type. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called at the first request, and again after it has failed. */
  readonly load: () => Promise<string>;
}

interface File {
  readonly etag: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

/**
 * A GET of a text that is the same as long as the process runs, for everyone, without a key. Keeps it from its first request on, plain and
 * compressed once. A client that has it gets 304.
 */
export function addFile(
  app: FastifyInstance,
  path: string,
  { documented, type, headers = {}, load }: FileOptions,
): void {
  let loading: Promise<File> | undefined;
  const loaded = (): Promise<File> => {
    loading ??= fileOf(load).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const config: FastifyContextConfig = { access: "open", ...(documented === undefined ? {} : { documented }) };
  app.get(path, { config }, async (request, reply) => {
    const { etag, bytes, gzipped } = await loaded();
    const encoding = preferredEncoding(request.headers["accept-encoding"], ["gzip"]);
    reply.headers({
      ...headers,
      etag,
      vary: "accept-encoding",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    });
    if (request.headers["if-none-match"] === etag) return reply.code(304).send();
    if (encoding !== undefined) reply.header("content-encoding", encoding);
    return reply.type(type).send(encoding === undefined ? bytes : gzipped);
  });
}

async function fileOf(load: () => Promise<string>): Promise<File> {
  const bytes = Buffer.from(await load());
  // Weak, because it is the same for both encodings.
  const etag = `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  return { etag, bytes, gzipped: await promisify(gzip)(bytes) };
}
