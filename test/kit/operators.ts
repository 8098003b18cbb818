import { startSystem } from "./system.ts";
import { bearer, createKey } from "./tally.ts";

/** A system that wants API keys. Its first gateway has an operator's account, the second has none. */
export async function startOperated() {
  const system = await startSystem(
    { AUTH: "required" },
    {
      instances: { gateway: 2 },
      environmentOf: (app, index) => (app === "gateway" && index === 1 ? { OPERATOR_DATABASE_URL: "" } : {}),
    },
  );
  /** The header of a new key. `scopes`: more flags may follow them. */
  const keyOf = async (...scopes: readonly string[]) => bearer((await createKey(system, "--scope", ...scopes)).key);
  const [operator, reader] = [await keyOf("*:read", "*:operate"), await keyOf("*:read", "*:write")];
  const at = (path: string, init: RequestInit = { headers: operator }, gateway = 0) =>
    fetch(`${system.urls[gateway]}${path}`, init);
  return { system, keyOf, operator, reader, at };
}
