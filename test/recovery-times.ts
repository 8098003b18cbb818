import { randomUUID } from "node:crypto";
import type { Database } from "@tally/database";
import { eventState } from "@tally/bench/kit";
import { expect, vi } from "vitest";
import { sold } from "./sell.ts";

/** A sale that was sent after a fault: its event id, and the times since the call, in ms. */
interface Recovery {
  readonly id: string;
  readonly acceptedMs: number;
  readonly storedMs: number;
  readonly rankedMs: number;
}

const often = { timeout: 120_000, interval: 20 };

/**
 * Sends one sale, again with its key until it gets 201, and looks for its row at the write endpoint, and then for its place in the rankings.
 * Fails after two minutes.
 */
export async function recoveryTimes(url: string, { writer }: Database): Promise<Recovery> {
  const begunAt = performance.now();
  const since = (): number => Math.round(performance.now() - begunAt);
  const headers = { "idempotency-key": randomUUID() };
  const id = await vi.waitFor(() => sold(url, 1, { headers }), often);
  const acceptedMs = since();
  const row = "SELECT 1 FROM purchases WHERE id = ?";
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  await vi.waitFor(async () => expect(await writer.query(row, [bytes])).toHaveLength(1), often);
  const storedMs = since();
  await untilRanked(url, id);
  return { id, acceptedMs, storedMs, rankedMs: since() };
}

/** Resolves when an event is counted in the rankings. */
export function untilRanked(url: string, id: string): Promise<void> {
  return vi.waitFor(async () => expect((await eventState(url, id, 2000)).ranked).toBe(true), often);
}
