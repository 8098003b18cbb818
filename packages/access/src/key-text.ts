import { hash, randomBytes } from "node:crypto";

/*
 * A key as clients send it: tally_<16 hex digits: id>_<43 characters base64url: 256 random bits>. The id finds the key and is no secret.
 * SHA-256 is the right hash for the secret: a slow hash protects secrets that can be guessed, and 256 random bits cannot be.
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

/** A new key of an id. The only moment at which its text is known. */
export function newKeyText(id: string): string {
  return `${start}${id}_${randomBytes(32).toString("base64url")}`;
}

/** The id in a key's text. Of any other text: some text that is no key's id. */
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

/** SHA-256 of the secret in a key's text: what is stored. About 1 µs. */
export function hashOfKeyText(text: string): Buffer {
  return hash("sha256", text.slice(secretAt), "buffer");
}
