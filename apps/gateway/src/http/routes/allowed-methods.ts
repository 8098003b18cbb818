import { METHODS } from "node:http";
import type { FastifyInstance } from "fastify";
import findMyWay, { type HTTPMethod } from "find-my-way";

/** How request paths are matched to routes. */
export const routing = {
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  // Longer than any value that a route accepts, so that a huge number is 400 and not 404.
  maxParamLength: 2000,
} as const;

/** The methods of later routes with a path, sorted. Fastify does not offer this: only unmatched requests cost it. */
export function allowedMethods(app: FastifyInstance): (url: string) => readonly string[] {
  const router = findMyWay(routing);
  const methods = new Set<HTTPMethod>();
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) {
      if (!isMethod(one)) continue;
      methods.add(one);
      router.on(one, url, () => undefined);
    }
  });
  return (url) => [...methods].filter((method) => router.find(method, url) !== null).toSorted();
}

function isMethod(method: string): method is HTTPMethod {
  return METHODS.includes(method);
}
