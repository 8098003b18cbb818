import { hash, randomBytes } from "node:crypto";

/*
 * A key as clients send it: tally_<16 hex digits: id>_<43 characters base64url: 256 random bits>. The id is for lookup and is not secret.
 * SHA-256 suffices for the secret: slow hashes protect guessable secrets, and 256 random bits are not guessable.
 */

const start = "tally_";
const secretAt = start.length + 16 + 1;
const pattern = /^tally_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/;

/** The length of every key. */
export const keyTextLength = secretAt + 43;

/** A new id, 16 hex digits. */
export function newKeyId(): string {
  return randomBytes(8).toString("hex");
}

/** A new key for an id. Only its hash is stored, so the text is available only here. */
export function newKeyText(id: string): string {
  return `${start}${id}_${randomBytes(32).toString("base64url")}`;
}

/** The id in a key's text. For other texts, returns a text that is not the id of any key. */
export function idOfKeyText(text: string): string {
  return text.slice(start.length, secretAt - 1);
}

/** Whether a text has the form of a key. */
export function isKeyText(text: string): boolean {
  return pattern.test(text);
}

/** Whether a text has the form of a key's id. */
export function isKeyId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** The SHA-256 hash of the secret in a key's text, as it is stored. About 1 µs. */
export function hashOfKeyText(text: string): Buffer {
  return hash("sha256", text.slice(secretAt), "buffer");
}
