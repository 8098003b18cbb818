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

/** Likewise for what another flag leaves aside, whatever is run. */
export function refuseLeftAside(asked: Asked): void {
  const { amount, target } = asked.flags;
  if (amount !== undefined) refuse(asked, ["warmUp", "duration"], "does not go with --amount");
  if (target !== undefined)
    refuse(asked, ["gateways", "set", "fill", "design", "durability"], "does not go with --target, which runs already");
}

/** As it stands on a command line. */
function asWritten(flag: keyof Flags): string {
  return `--${flag.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
}
