export { type ApiKey, type KeyLimit, accessMigrations, createKey, listKeys, revokeKey, rotateKey } from "./keys.ts";
export { actions, KeyRing, type Action, type Grant, type KeyCheck } from "./key-ring.ts";
export { hashOfKeyText, isKeyId, newKeyId, newKeyText } from "./key-ring.ts";
