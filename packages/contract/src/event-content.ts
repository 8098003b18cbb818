import { hash } from "node:crypto";
import type { Event } from "./batch.ts";

/**
 * The content of an event as text: all fields except the id and `arrivalFields`. Events with equal texts have equal
 * content. The order of fields does not matter; bytes are represented by their SHA-256. About 1 µs for a purchase of 5
 * lines, 5 ms for an image of 10 MiB.
 */
export function contentOf(event: Event, arrivalFields: readonly string[] = []): string {
  const fields = Object.entries(event).filter(([name]) => name !== "id" && !arrivalFields.includes(name));
  return JSON.stringify(canonical(Object.fromEntries(fields)));
}

/** 96 bits of SHA-256 of a text, as 16 characters. Equal texts have equal fingerprints. */
export function fingerprintOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}

function canonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Buffer.isBuffer(value)) return { sha256: hash("sha256", value), bytes: value.length };
  if (Array.isArray(value)) return value.map(canonical);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, canonical(field)]));
}
