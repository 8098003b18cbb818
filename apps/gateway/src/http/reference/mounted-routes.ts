import type { Mount } from "../routes/domain-routes.ts";
import type { ServedRoute } from "./documented.ts";

/** A path of the API reference with one method, and below which prefixes it exists; "" is the root. */
export interface MountedRoute {
  readonly path: string;
  readonly served: ServedRoute;
  readonly prefixes: readonly string[];
}

/** Routes with the same path below different prefixes, as one. In the order of the first of each. */
export function mountedRoutes(routes: readonly ServedRoute[], mounts: readonly Mount[]): readonly MountedRoute[] {
  const merged = new Map<string, { path: string; served: ServedRoute; prefixes: string[] }>();
  for (const served of routes) {
    const { path, prefix } = placeOf(served, mounts);
    const name = `${served.method} ${path}`;
    const known = merged.get(name);
    if (known === undefined) merged.set(name, { path, served, prefixes: [prefix] });
    else known.prefixes.push(prefix);
  }
  return [...merged.values()];
}

function placeOf({ method, url, documented }: ServedRoute, mounts: readonly Mount[]) {
  const mounted = "domain" in documented ? documented.route : documented;
  const short = "pathUnderBase" in mounted ? mounted.pathUnderBase : undefined;
  for (const path of short === undefined ? [mounted.path] : [mounted.path, short]) {
    const mount = mounts.find(({ prefix }) => prefix + path === url);
    if (mount !== undefined) return { path, prefix: mount.prefix };
  }
  throw new RangeError(`${method} ${url}: expected a base path before ${mounted.path}`);
}
