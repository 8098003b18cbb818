import type { FaultKind } from "./fault-kind.ts";
import { linkKinds } from "./links.ts";
import { messageKinds } from "./messages.ts";
import { processKinds } from "./processes.ts";
import { serverKinds } from "./servers.ts";

/** Every fault that the drill knows. */
export const faultKinds: readonly FaultKind[] = [...processKinds, ...serverKinds, ...linkKinds, ...messageKinds];
