import type { Domain } from "@tally/pipeline";

/** The key under which the error of a path that no route takes is told: that of the domain with whose first word the path begins. */
export function errorKeysOf(
  domains: readonly Domain[],
  prefixes: readonly string[],
): (url: string) => Domain["errorKey"] {
  const words = domains.flatMap(({ errorKey, routes, queries }) =>
    [...routes, ...queries].map(({ path }) => [path.split("/")[1] ?? "", errorKey] as const),
  );
  const keys = new Map(prefixes.flatMap((prefix) => words.map(([word, key]) => [`${prefix}/${word}/`, key] as const)));
  return (url) => {
    const path = `${url.split("?", 1).join()}/`.replaceAll(/\/{2,}/g, "/");
    for (const [start, key] of keys) if (path.startsWith(start)) return key;
    return "message";
  };
}
