import { WrongUsage } from "../wrong-usage.ts";
import type { Flags } from "./flags.ts";

/** The flags with their defaults, and which of them the user gave. */
export interface Asked {
  readonly flags: Flags;
  readonly isGiven: (flag: keyof Flags) => boolean;
}

/** Throws when the user gave one of these flags, which would be ignored. */
export function refuse({ isGiven }: Asked, flags: readonly (keyof Flags)[], why: string): void {
  const given = flags.find(isGiven);
  if (given !== undefined) throw new WrongUsage(`${asWritten(given)} ${why}`);
}

/** Throws when the user gave a flag that another given flag excludes in every mode. */
export function refuseExcluded(asked: Asked): void {
  const { amount, target } = asked.flags;
  if (amount !== undefined) refuse(asked, ["warmUp", "duration"], "cannot be combined with --amount");
  if (target !== undefined)
    refuse(
      asked,
      ["gateways", "set", "fill", "design", "durability"],
      "cannot be combined with --target, which is a running system",
    );
}

/** As on a command line. */
function asWritten(flag: keyof Flags): string {
  return `--${flag.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
}
