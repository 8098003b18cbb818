import { WrongUsage } from "../wrong-usage.ts";
import type { Flags } from "./flags.ts";

/** What somebody asked of the bench, and which of it they wrote themselves. */
export interface Asked {
  readonly flags: Flags;
  readonly isGiven: (flag: keyof Flags) => boolean;
}

/** Throws when one of these flags was given: it would be ignored. */
export function refuse({ isGiven }: Asked, flags: readonly (keyof Flags)[], why: string): void {
  const given = flags.find(isGiven);
  if (given !== undefined) throw new WrongUsage(`${asWritten(given)} ${why}`);
}

/** As it stands on a command line. */
function asWritten(flag: keyof Flags): string {
  return `--${flag.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
}
