import { runGateway } from "@tally/gateway";
import { designNames, durabilityNames } from "./designs.ts";
import { intakeOf } from "./intakes.ts";

/* The gateway of a design, started instead of the app's main.ts. Its arguments are the design and the durability. */

const [, , designName, durabilityName] = process.argv;
const design = designNames.find((name) => name === designName);
const durability = durabilityNames.find((name) => name === durabilityName);
if (design === undefined || durability === undefined) throw new TypeError("expected a design and a durability");

await runGateway({ newIntake: intakeOf(design, durability) });
