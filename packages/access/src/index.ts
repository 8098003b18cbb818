export type { ApiKey, KeyLimit } from "./api-key.ts";
export { actions, type Action, type Grant } from "./held-key.ts";
export { KeyRing, type KeyCheck } from "./key-ring.ts";
export { hashOfKeyText, isKeyId, newKeyId, newKeyText } from "./key-text.ts";
export { accessMigrations, createKey, listKeys, revokeKey, rotateKey } from "./keys.ts";
